#include "tests/common/stats/oracle_table.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fleetmark::stats::testing {

namespace {

std::vector<std::vector<std::string>> rowsOf(const std::string& file) {
  std::ifstream in(oracleFolder() + "/" + file);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
  }
  return rows;
}

std::vector<double> numbersOf(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> out;
  for (std::string word; in >> word;) out.push_back(std::stod(word));
  return out;
}

}  // namespace

std::string oracleFolder() {
  const char* root = std::getenv("FLEETMARK_SOURCE");
  return std::string(root != nullptr ? root : ".") + "/tests/common/stats/oracle";
}

std::vector<OracleCase> oracleCases() {
  std::vector<OracleCase> out;
  for (const auto& row : rowsOf("cases.tsv")) {
    out.push_back({row.at(0), numbersOf(row.at(1)), numbersOf(row.at(2))});
  }
  return out;
}

Expected expectedBy(const std::string& file) {
  Expected out;
  for (const auto& row : rowsOf(file)) {
    if (row.at(0) != "-") out[row.at(0)][row.at(1)] = std::stod(row.at(2));
  }
  return out;
}

}  // namespace fleetmark::stats::testing
