#include "coordinator/store/connection_string.h"

#include <libpq-fe.h>

#include <cstdlib>
#include <map>
#include <memory>

namespace fleetmark::coordinator::store {

namespace {

void appendOption(std::string& out, const std::string& key, const std::string& value) {
  if (!out.empty()) out.push_back(' ');
  out += key + "='";
  for (char c : value) {
    if (c == '\'' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('\'');
}

}  // namespace

base::Result<std::string> withOptions(const std::string& connectionString,
                                      const std::vector<ConnectionOption>& overrides,
                                      const std::vector<ConnectionOption>& defaults) {
  char* message = nullptr;
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
      PQconninfoParse(connectionString.c_str(), &message), &PQconninfoFree);
  // libpq's message may quote the string, and with it a password.
  if (message != nullptr) PQfreemem(message);
  if (!parsed) {
    return base::invalid(
        "the database connection string can't be read by libpq; write it as "
        "\"host=... dbname=... user=...\" or postgresql://user@host/dbname");
  }
  std::map<std::string, std::string> options;
  std::map<std::string, std::string> environment;
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) options[option->keyword] = option->val;
    if (option->envvar != nullptr) environment[option->keyword] = option->envvar;
  }
  for (const auto& [key, value] : overrides) options[key] = value;
  for (const auto& [key, value] : defaults) {
    auto variable = environment.find(key);
    bool set = variable != environment.end() && std::getenv(variable->second.c_str()) != nullptr;
    if (!set) options.emplace(key, value);
  }
  std::string out;
  for (const auto& [key, value] : options) appendOption(out, key, value);
  return out;
}

}  // namespace fleetmark::coordinator::store
