#include "tests/chaos/checks.h"

#include <map>
#include <set>
#include <sstream>

#include "tests/chaos/failure.h"

namespace fleetmark::chaos {

namespace {

constexpr std::size_t kMostRows = 12;

std::string join(const Row& row) {
  std::string out;
  for (const auto& field : row) out += (out.empty() ? "" : " | ") + field;
  return out;
}

std::vector<Row> ask(const DatabasePair& databases, const std::string& statement) {
  try {
    return databases.query("SET search_path = fleetmark; " + statement);
  } catch (const std::exception& e) {
    throw HarnessFailure("a check can't be made (" + std::string(e.what()) + "): " + statement);
  }
}

void add(std::vector<Broken>& broken, const std::string& rule, std::vector<std::string> rows) {
  if (rows.empty()) return;
  std::size_t all = rows.size();
  if (all > kMostRows) {
    rows.resize(kMostRows);
    rows.push_back("... " + std::to_string(all) + " rows in all");
  }
  broken.push_back({rule, std::move(rows)});
}

// What a key=value log line says for `key`; empty: nothing.
std::string valueOf(const std::string& line, const std::string& key) {
  auto at = line.find(" " + key + "=");
  if (at == std::string::npos) return {};
  at += key.size() + 2;
  return line.substr(at, line.find(' ', at) - at);
}

// An agent drops what the coordinator has answered for, so the database must have it, whatever
// happened to the server that gave the answer. A failure that is told after its lease had run out
// is known already, and is not stored again.
void checkAnswers(Fleet& fleet, std::vector<Broken>& broken) {
  std::map<std::string, std::string> agentOf;
  for (const auto& row : ask(fleet.databases(),
                             "SELECT x.id, a.name FROM attempt x JOIN agent a ON a.id = x.agent_id"
                             " WHERE x.body_sha256 IS NOT NULL")) {
    agentOf[row[0]] = row[1];
  }
  std::vector<std::string> lost;
  std::vector<std::string> unknown;
  std::vector<std::string> aside;
  for (int number = 0; number < kAgents; ++number) {
    const std::string& name = fleet.agent(number).name();
    std::istringstream lines(fleet.log(name));
    std::set<std::string> measured;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("attempt.set_aside") != std::string::npos) {
        aside.push_back(name + ": " + line);
      }
      bool result = valueOf(line, "outcome").starts_with("measure");
      if (line.find("step.ended") != std::string::npos && result) {
        measured.insert(valueOf(line, "attempt"));
      }
      if (line.find("attempt.reported") == std::string::npos) continue;
      std::string answer = valueOf(line, "answer");
      std::string attempt = valueOf(line, "attempt");
      bool taken = answer == "ok" || answer == "duplicate";
      if (taken && measured.contains(attempt) && agentOf[attempt] != name)
        lost.push_back(name + ": " + line);
      if (answer == "unknown") unknown.push_back(name + ": " + line);
    }
  }
  add(broken, "what an agent was told is stored is stored", std::move(lost));
  add(broken, "no agent measured for a lease that nobody knows", std::move(unknown));
  add(broken, "no attempt was refused for good", std::move(aside));
}

void checkSubmitted(Fleet& fleet, const Operator& op, std::vector<Broken>& broken) {
  std::map<std::string, std::string> idOf;
  std::map<std::string, std::string> stateOf;
  for (const auto& row : ask(fleet.databases(), "SELECT request_key, id, state FROM campaign")) {
    idOf[row[0]] = row[1];
    stateOf[row[1]] = row[2];
  }
  std::vector<std::string> lost;
  for (const auto& submitted : op.submitted()) {
    if (idOf[submitted.key] != submitted.id) {
      lost.push_back(submitted.key + " was answered as campaign " + submitted.id + ", is " +
                     idOf[submitted.key]);
    }
  }
  add(broken, "every campaign that was answered for is there", std::move(lost));
  std::vector<std::string> alive;
  for (const auto& id : op.cancelled()) {
    if (stateOf[id] != "cancelled") alive.push_back("campaign " + id + " is " + stateOf[id]);
  }
  add(broken, "a cancelled campaign stays cancelled", std::move(alive));
}

}  // namespace

std::vector<Broken> checkAll(Fleet& fleet, const Operator& op) {
  std::vector<Broken> broken;
  for (const auto& rule : rules()) {
    std::vector<std::string> rows;
    for (const auto& row : ask(fleet.databases(), std::string(rule.sql))) rows.push_back(join(row));
    add(broken, std::string(rule.name), std::move(rows));
  }
  checkAnswers(fleet, broken);
  checkSubmitted(fleet, op, broken);
  add(broken, "no order of the operator is refused", op.refusals());
  add(broken, "every spool is empty", fleet.spoolFiles());
  add(broken, "no program ends by itself", fleet.surprises());
  return broken;
}

Figures countAll(const DatabasePair& databases) {
  auto one = [&databases](const std::string& statement) {
    return ask(databases, statement).at(0).at(0);
  };
  auto groups = [&databases](const std::string& statement) {
    std::string out;
    for (const auto& row : ask(databases, statement)) {
      out += (out.empty() ? "" : ", ") + row[1] + " " + row[0];
    }
    return out;
  };
  return {one("SELECT count(*) FROM campaign"),
          groups("SELECT state, count(*) FROM step GROUP BY state ORDER BY 2 DESC"),
          groups("SELECT outcome, count(*) FROM attempt GROUP BY outcome ORDER BY 2 DESC"),
          one("SELECT coalesce(sum(n), 0) FROM sample_series")};
}

}  // namespace fleetmark::chaos
