// Strict readers: a value is of the kind asked for, or a fault is reported and nothing comes back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/units.h"
#include "coordinator/loader/issues.h"
#include "coordinator/loader/yaml_tree.h"

namespace fleetmark::coordinator::loader {

// One key of a mapping with its value. References the tree, which must live longer.
struct Field {
  const Node* node = nullptr;
  Place keyPlace;
  std::string label;  // "'samples' under disk"

  // Of the value; of the key where there is no value.
  Place place() const { return node->kind == NodeKind::kNull ? keyPlace : node->place; }
};

// The keys of a mapping, each reported when it is not known.
class Fields {
 public:
  // `where`: "disk", "the campaign". Reports keys that are not in `known`.
  Fields(const Node& mapping, std::string where, std::vector<std::string_view> known,
         Issues& issues);
  std::optional<Field> find(std::string_view key) const;
  // As find; reports its absence at the mapping's place.
  std::optional<Field> require(std::string_view key, std::string_view hint) const;
  const Node& mapping() const { return mapping_; }

 private:
  const Node& mapping_;
  std::string where_;
  Issues& issues_;
};

enum class Empty { kRefused, kAllowed };

std::optional<std::string> readText(const Field& field, Empty empty, Issues& issues);
// [a-z0-9][a-z0-9-]{0,62} with at least one letter.
std::optional<std::string> readName(const Field& field, Issues& issues);
std::optional<bool> readFlag(const Field& field, Issues& issues);
std::optional<std::int64_t> readCount(const Field& field, std::int64_t min, std::int64_t max,
                                      Issues& issues);
std::optional<double> readDecimal(const Field& field, double min, double max, Issues& issues);
std::optional<base::Nanos> readDuration(const Field& field, base::Nanos min, base::Nanos max,
                                        Issues& issues);
std::optional<base::Bytes> readBytes(const Field& field, base::Bytes min, base::Bytes max,
                                     Issues& issues);
std::optional<std::string> readChoice(const Field& field,
                                      const std::vector<std::string_view>& choices, Issues& issues);
// False, with a fault reported, when it is something else.
bool isMapping(const Field& field, Issues& issues);
bool isList(const Field& field, Issues& issues);

}  // namespace fleetmark::coordinator::loader
