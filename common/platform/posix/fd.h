// Owns a file descriptor.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "common/base/result.h"

namespace fleetmark::platform {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

// Both ends close on exec and are numbered 3 or more, so that dup2 onto 0-2 can't hit them.
struct Pipe {
  Fd readEnd;
  Fd writeEnd;
};
base::Result<Pipe> makePipe();
// Goes on after EINTR and short writes; returns the errno or 0.
int writeAll(int fd, std::string_view bytes);

}  // namespace fleetmark::platform
