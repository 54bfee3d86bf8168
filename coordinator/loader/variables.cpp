#include "coordinator/loader/variables.h"

#include <algorithm>
#include <set>
#include <vector>

#include "common/base/nearest.h"
#include "coordinator/loader/text_check.h"

namespace fleetmark::coordinator::loader {

namespace {

constexpr std::string_view kOpen = "$\uE000";
constexpr std::string_view kClose = "\uE001";

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Replacer {
 public:
  Replacer(const Variables& variables, Issues& issues) : variables_(variables), issues_(issues) {}

  void visit(Node& node) {
    if (node.kind == NodeKind::kScalar) replace(node);
    for (Node& item : node.items) visit(item);
  }

  void reportUnused() {
    std::vector<std::string_view> missing(missing_.begin(), missing_.end());
    for (const auto& [name, value] : variables_) {
      if (used_.contains(name)) continue;
      auto near = base::nearestName(name, missing);
      issues_.add({}, "variable " + quoted(name) + " is set, but nothing here uses ${" + name +
                          "}" + (near ? "; did you mean '" + *near + "'?" : "; don't set it"));
    }
  }

 private:
  void replace(Node& node) {
    std::string out;
    std::size_t from = 0;
    for (;;) {
      std::size_t begin = node.text.find("${", from);
      if (begin == std::string::npos) break;
      std::size_t end = node.text.find('}', begin);
      std::string name =
          end == std::string::npos ? "" : node.text.substr(begin + 2, end - begin - 2);
      if (!isVariableName(name)) {
        issues_.add(node.place, quoted(node.text.substr(begin)) +
                                    " is no variable; write ${name} with letters, digits, _ and -");
        return;
      }
      out += node.text.substr(from, begin - from);
      out += valueOf(name, node.place);
      from = end + 1;
      if (out.size() > kLongestScalar) break;
    }
    if (from == 0) return;
    out += node.text.substr(from);
    if (out.size() > kLongestScalar) {
      issues_.add(node.place, "with its variables this text has more than " +
                                  std::to_string(kLongestScalar) + " bytes");
      return;
    }
    node.text = std::move(out);
  }

  std::string valueOf(const std::string& name, const Place& place) {
    auto found = variables_.find(name);
    if (found != variables_.end()) {
      used_.insert(name);
      return found->second;
    }
    if (missing_.insert(name).second) {
      issues_.add(place,
                  "variable '" + name + "' has no value; submit with --set " + name + "=VALUE");
    }
    return "${" + name + "}";
  }

  const Variables& variables_;
  Issues& issues_;
  std::set<std::string> used_;
  std::set<std::string> missing_;
};

// One line of printable text, so that a value can't be mistaken for structure in a record.
void checkGiven(const Variables& variables, Issues& issues) {
  for (const auto& [name, value] : variables) {
    if (!isVariableName(name)) {
      issues.add({}, "variable name " + quoted(name) +
                         " is not valid; use letters, digits, _ and -, at most 63");
    }
    bool control = std::any_of(value.begin(), value.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    });
    if (control || findInvalidUtf8(value) != std::string_view::npos) {
      issues.add({}, "the value of variable " + quoted(name) + " must be one line of UTF-8 text");
    }
  }
}

}  // namespace

bool isVariableName(std::string_view name) {
  if (name.empty() || name.size() > 63 || !isLetter(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return isLetter(c) || isDigit(c) || c == '-'; });
}

std::string shieldVariables(std::string_view text) {
  std::string out;
  std::size_t from = 0;
  for (;;) {
    std::size_t begin = text.find("${", from);
    if (begin == std::string_view::npos) break;
    out += text.substr(from, begin - from);
    from = begin + 2;
    std::size_t end = text.find('}', from);
    if (end != std::string_view::npos && isVariableName(text.substr(from, end - from))) {
      out += kOpen;
      out += text.substr(from, end - from);
      out += kClose;
      from = end + 1;
    } else {
      out += "${";
    }
  }
  out += text.substr(from);
  return out;
}

std::string unshieldVariables(std::string text) {
  std::size_t from = 0;
  while ((from = text.find(kOpen, from)) != std::string::npos) {
    text.replace(from, kOpen.size(), "${");
    std::size_t end = text.find(kClose, from);
    if (end == std::string::npos) break;
    text.replace(end, kClose.size(), "}");
    from = end + 1;
  }
  return text;
}

void replaceVariables(Node& root, const Variables& variables, Issues& issues) {
  checkGiven(variables, issues);
  Replacer replacer(variables, issues);
  replacer.visit(root);
  replacer.reportUnused();
}

}  // namespace fleetmark::coordinator::loader
