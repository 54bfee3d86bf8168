// Preprocessor lines of a C++ file, comments and strings aside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fleetmark::layers {

enum class DirectiveKind { kInclude, kProjectInclude, kCondition, kPragmaOnce };

struct Directive {
  DirectiveKind kind = DirectiveKind::kInclude;
  std::size_t line = 0;  // from 1
  std::string value;     // the path between the marks, or the condition's text
};

// Continued lines are joined. What stands in comments, strings and raw strings is not seen.
std::vector<Directive> scanDirectives(std::string_view text);

}  // namespace fleetmark::layers
