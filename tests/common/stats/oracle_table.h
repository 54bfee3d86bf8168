// The tables that oracle/oracle.py and oracle/oracle.R wrote.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fleetmark::stats::testing {

struct OracleCase {
  std::string name;
  std::vector<double> a, b;
};

// Name of a case -> key -> value.
using Expected = std::map<std::string, std::map<std::string, double>>;

std::string oracleFolder();
std::vector<OracleCase> oracleCases();
Expected expectedBy(const std::string& file);  // python.tsv or r.tsv

}  // namespace fleetmark::stats::testing
