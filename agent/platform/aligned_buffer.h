// Memory that direct I/O accepts: a whole number of pages at a page boundary.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "common/base/check.h"

namespace fleetmark::agent {

class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 4096;

  // `size` is a multiple of kAlignment. Aborts without memory. Content is zero, pages are touched.
  explicit AlignedBuffer(std::size_t size)
      : size_(size), data_(static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, size))) {
    FM_CHECK(data_ != nullptr && size % kAlignment == 0);
    for (auto& byte : bytes()) byte = 0;
  }
  std::span<std::uint8_t> bytes() { return {data_.get(), size_}; }
  std::span<const std::uint8_t> bytes() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::uint8_t* data) const { std::free(data); }
  };
  std::size_t size_;
  std::unique_ptr<std::uint8_t, Free> data_;
};

}  // namespace fleetmark::agent
