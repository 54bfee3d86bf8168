// Between the operator's types and schema/operator.capnp. fromWire validates.
#pragma once

#include "common/base/result.h"
#include "common/rpc/common_wire_codec.h"
#include "coordinator/ports/operator_port.h"
#include "schema/operator.capnp.h"

namespace fleetmark::coordinator::rpc {

void toWire(const ports::CampaignSummary& summary, schema::CampaignSummary::Builder out);
base::Result<ports::CampaignSummary> fromWire(schema::CampaignSummary::Reader summary);

void toWire(const ports::StepStatus& step, schema::StepStatus::Builder out);
base::Result<ports::StepStatus> fromWire(schema::StepStatus::Reader step);

void toWire(const ports::CampaignEvent& event, schema::CampaignEvent::Builder out);
base::Result<ports::CampaignEvent> fromWire(schema::CampaignEvent::Reader event);

void toWire(const ports::AgentView& agent, schema::AgentStatus::Builder out);
base::Result<ports::AgentView> fromWire(schema::AgentStatus::Reader agent);

// The ok group of a WhyResult.
void toWire(const ports::JobReasons& job, schema::OperatorGateway::WhyResult::Ok::Builder out);
base::Result<ports::JobReasons> fromWire(schema::OperatorGateway::WhyResult::Ok::Reader job);

void toWire(const ports::Table& table, schema::Table::Builder out);
base::Result<ports::Table> fromWire(schema::Table::Reader table);

void toWire(const ports::SubmitOptions& options,
            schema::OperatorGateway::SubmitRequest::Builder out);
base::Result<ports::SubmitOptions> fromWire(schema::OperatorGateway::SubmitRequest::Reader request);

schema::OperatorGateway::ReportFormat toWire(ports::ReportFormat format);
base::Result<ports::ReportFormat> fromWire(schema::OperatorGateway::ReportFormat format);
schema::OperatorGateway::AgentWish toWire(ports::AgentWish wish);
base::Result<ports::AgentWish> fromWire(schema::OperatorGateway::AgentWish wish);
schema::OperatorGateway::Role toWire(ports::Role role);
base::Result<ports::Role> fromWire(schema::OperatorGateway::Role role);

}  // namespace fleetmark::coordinator::rpc
