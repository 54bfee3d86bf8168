#include "common/base/ids.h"

#include "common/base/hex.h"

namespace fleetmark::base {

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' ||
      text[23] != '-') {
    return std::nullopt;
  }
  std::string digits;
  digits.reserve(32);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i != 8 && i != 13 && i != 18 && i != 23) digits.push_back(text[i]);
  }
  auto bytes = fromHex(digits);
  if (!bytes || bytes->size() != 16) return std::nullopt;
  std::array<std::uint8_t, 16> out{};
  for (std::size_t i = 0; i < 16; ++i) out[i] = static_cast<std::uint8_t>((*bytes)[i]);
  return Uuid(out);
}

std::string Uuid::toString() const {
  std::string hex = toHex(std::string_view(reinterpret_cast<const char*>(bytes_.data()), 16));
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

}  // namespace fleetmark::base
