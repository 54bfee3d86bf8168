// Parts of buildDocument, for document.cpp alone: each appends its blocks.
#pragma once

#include "coordinator/report/document.h"

namespace fleetmark::coordinator::report {

void addHeadlineBlocks(const ReportModel& model, Document& out);   // document_sections.cpp
void addSectionBlocks(const ReportModel& model, Document& out);    // document_sections.cpp
void addMachineBlocks(const ReportModel& model, Document& out);    // document_machines.cpp
void addOrderBlocks(const ReportModel& model, Document& out);      // document_order.cpp
void addMethodBlocks(const ReportModel& model, Document& out);     // document_method.cpp
void addReproduceBlocks(const ReportModel& model, Document& out);  // document_method.cpp

// Where a step stands: runner / probe fingerprint / trial.
Line whereLine(const ports::ReportStep& step);  // document.cpp

}  // namespace fleetmark::coordinator::report
