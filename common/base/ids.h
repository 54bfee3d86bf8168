// Identifiers that can't be mixed up: a CampaignId is not a JobId.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fleetmark::base {

// A database identity. 0 means "not yet stored" and never names a row.
template <typename Tag>
struct Id {
  std::int64_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using CampaignId = Id<struct CampaignTag>;
using JobId = Id<struct JobTag>;
using StepId = Id<struct StepTag>;
using AttemptId = Id<struct AttemptTag>;

// RFC 4122 version 4, printed in lower case with hyphens.
class Uuid {
 public:
  Uuid() = default;  // the nil UUID
  explicit Uuid(std::array<std::uint8_t, 16> bytes) : bytes_(bytes) {}
  static std::optional<Uuid> parse(std::string_view text);
  std::string toString() const;
  bool isNil() const { return *this == Uuid(); }
  const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  auto operator<=>(const Uuid&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

using AgentId = Uuid;

}  // namespace fleetmark::base

template <typename Tag>
struct std::hash<fleetmark::base::Id<Tag>> {
  std::size_t operator()(const fleetmark::base::Id<Tag>& id) const {
    return std::hash<std::int64_t>{}(id.value);
  }
};
