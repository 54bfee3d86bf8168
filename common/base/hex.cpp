#include "common/base/hex.h"

namespace fleetmark::base {

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string toHex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

std::optional<std::string> fromHex(std::string_view hexadecimal) {
  if (hexadecimal.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(hexadecimal.size() / 2);
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    int high = digit(hexadecimal[i]);
    int low = digit(hexadecimal[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
  }
  return out;
}

}  // namespace fleetmark::base
