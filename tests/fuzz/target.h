// One fuzz target is one file that defines LLVMFuzzerTestOneInput. It is built twice: with
// libFuzzer (preset asan), and by every compiler with replay.cpp as a test of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "common/base/result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fleetmark::fuzz {

inline std::string_view asText(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// What must hold for every input. Ends the process, which is what a fuzzer sees.
inline void require(bool holds, std::string_view what, std::string_view seen = {}) {
  if (holds) return;
  std::cerr << "does not hold: " << what << "\n" << seen << std::endl;
  std::abort();
}

// The value, or an error that says something.
template <typename T>
bool answered(const base::Result<T>& result) {
  if (result) return true;
  require(!result.error().message.empty(), "an error has a message");
  return false;
}

// What must succeed, since the same was accepted before.
template <typename T>
const T& sure(const base::Result<T>& result, std::string_view what) {
  require(result.has_value(), what, result ? std::string_view() : result.error().message);
  return *result;
}

}  // namespace fleetmark::fuzz
