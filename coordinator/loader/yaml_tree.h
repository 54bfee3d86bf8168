// YAML as a plain tree with the place of every node. yaml-cpp parses, but builds no nodes: the tree
// grows from its events, and the first anchor, alias, tag, second document or excess of depth or
// number stops it, so hostile text costs about what its length does (checkText bounds the lines).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/loader/issues.h"

namespace fleetmark::coordinator::loader {

inline constexpr std::size_t kDeepest = 20;
inline constexpr std::size_t kMostNodes = 200'000;
inline constexpr std::size_t kLongestScalar = 4096;

enum class NodeKind { kNull, kScalar, kSequence, kMapping };
enum class Quoting { kPlain, kQuoted };

struct Node {
  NodeKind kind = NodeKind::kNull;
  Place place;
  std::string text;  // of a scalar
  Quoting quoting = Quoting::kPlain;
  std::vector<Node> items;  // of a sequence, or the values of a mapping
  struct Key {
    std::string text;
    Place place;
  };
  std::vector<Key> keys;  // of a mapping: keys[i] leads to items[i]; no two are equal
};

// "a mapping", "a list", "nothing", "'text'" for messages.
std::string describe(const Node& node);

// The single document of the text. Reports what is wrong and returns nothing when there is no tree.
std::optional<Node> parseYaml(std::string_view text, Issues& issues);

}  // namespace fleetmark::coordinator::loader
