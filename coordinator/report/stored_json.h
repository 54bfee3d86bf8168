// JSON documents that came from hosts or stand in the database as text. They are read with care:
// malformed, nested too deeply or no object reads as "nothing known", never as an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fleetmark::coordinator::report {

enum class Pinning { kPinned, kUnpinned, kNotRecorded };

// The member "pinned" or else "pin_in_force" of a sample's context.
Pinning pinningOf(std::string_view contextJson);

struct BuildFacts {
  std::string compiler;  // empty: not told
  std::string flags;     // empty: not told
};
// Members compiler, compiler_flags (or flags) at the top or under "build".
BuildFacts buildFacts(std::string_view environmentJson);

struct Parameter {
  std::string name;  // "min duration"
  std::string text;  // "5 s"
};
// Of a profile; _ns and _bytes members become durations and sizes. Sorted by name.
std::vector<Parameter> parametersInWords(std::string_view paramsJson);

// The object on one line, members in their order by name; nullopt when it is no object.
std::optional<std::string> compactObject(std::string_view text);
// A JSON string literal with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string quoteJson(std::string_view text);

}  // namespace fleetmark::coordinator::report
