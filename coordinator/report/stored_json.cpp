#include "coordinator/report/stored_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/units.h"
#include "coordinator/report/values.h"

namespace fleetmark::coordinator::report {

namespace {

constexpr int kDeepest = 32;  // printing a document recurses once a level

bool tooDeep(std::string_view text) {
  int depth = 0;
  bool inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\') ++i;
      if (c == '"') inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepest) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

std::optional<nlohmann::json> parseObject(std::string_view text) {
  if (tooDeep(text)) return std::nullopt;
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object()) return std::nullopt;
  return document;
}

std::string dump(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string textMember(const nlohmann::json& object, const char* name) {
  auto found = object.find(name);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_array()) return {};
  std::string out;
  for (const auto& item : *found) {
    if (item.is_string()) out += (out.empty() ? "" : " ") + item.get<std::string>();
  }
  return out;
}

BuildFacts readBuild(const nlohmann::json& object) {
  BuildFacts out{textMember(object, "compiler"), textMember(object, "compiler_flags")};
  if (out.flags.empty()) out.flags = textMember(object, "flags");
  return out;
}

bool dropSuffix(std::string& name, std::string_view suffix) {
  if (name.size() <= suffix.size() || !name.ends_with(suffix)) return false;
  name.resize(name.size() - suffix.size());
  return true;
}

Parameter inWords(std::string name, const nlohmann::json& value) {
  Parameter out;
  bool whole = value.is_number_integer();
  if (whole && dropSuffix(name, "_ns")) {
    out.text = formatSpan(base::Nanos(value.get<std::int64_t>()));
  } else if (whole && dropSuffix(name, "_bytes")) {
    out.text = base::formatBytes(base::Bytes{value.get<std::int64_t>()});
  } else if (value.is_boolean()) {
    out.text = value.get<bool>() ? "yes" : "no";
  } else if (value.is_string()) {
    out.text = value.get<std::string>();
  } else {
    out.text = dump(value);
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  out.name = std::move(name);
  return out;
}

}  // namespace

Pinning pinningOf(std::string_view contextJson) {
  // A look before the parse: a report may hold a million contexts.
  if (contextJson.find("\"pin") == std::string_view::npos) return Pinning::kNotRecorded;
  auto context = parseObject(contextJson);
  if (!context) return Pinning::kNotRecorded;
  for (const char* name : {"pinned", "pin_in_force"}) {
    auto found = context->find(name);
    if (found == context->end() || !found->is_boolean()) continue;
    return found->get<bool>() ? Pinning::kPinned : Pinning::kUnpinned;
  }
  return Pinning::kNotRecorded;
}

BuildFacts buildFacts(std::string_view environmentJson) {
  auto environment = parseObject(environmentJson);
  if (!environment) return {};
  BuildFacts out = readBuild(*environment);
  auto build = environment->find("build");
  if (build != environment->end() && build->is_object()) {
    BuildFacts nested = readBuild(*build);
    if (out.compiler.empty()) out.compiler = std::move(nested.compiler);
    if (out.flags.empty()) out.flags = std::move(nested.flags);
  }
  return out;
}

std::vector<Parameter> parametersInWords(std::string_view paramsJson) {
  std::vector<Parameter> out;
  auto params = parseObject(paramsJson);
  if (!params) return out;
  for (const auto& [name, value] : params->items()) out.push_back(inWords(name, value));
  return out;
}

std::optional<std::string> compactObject(std::string_view text) {
  if (text == "{}") return std::string(text);  // most contexts, a million times a report
  auto document = parseObject(text);
  if (!document) return std::nullopt;
  return dump(*document);
}

std::string quoteJson(std::string_view text) {
  bool plain = std::all_of(text.begin(), text.end(),
                           [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; });
  if (!plain) return dump(nlohmann::json(std::string(text)));
  std::string out = "\"";
  out += text;
  out += '"';
  return out;
}

}  // namespace fleetmark::coordinator::report
