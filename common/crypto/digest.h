// SHA-256 by OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace fleetmark::crypto {

std::string sha256(std::string_view bytes);     // 32 raw bytes
std::string sha256Hex(std::string_view bytes);  // 64 lower-case digits

// Incremental. One owner, one thread.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::string_view bytes);
  std::string finish();  // 32 raw bytes; the object is spent afterwards

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fleetmark::crypto
