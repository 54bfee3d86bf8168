// A private file that only grows, for what must survive the process: written whole or not at all,
// on the medium once sync() has returned.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fleetmark::platform {

// One owner; calls from one thread at a time. Closed by destruction, without a sync.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  // All of `bytes` or none: after a failure the file has its former length again (or, when even
  // that fails, every later append fails). kOverloaded: no space; kUnavailable: the device failed.
  virtual base::Status append(std::string_view bytes) = 0;
  // fdatasync. After a failure nothing is known of what was appended since the last success.
  virtual base::Status sync() = 0;
  virtual base::Status truncate(std::int64_t size) = 0;
  virtual std::int64_t size() const = 0;
};

enum class AppendOpen {
  kCreate,    // kConflict when it exists; its folder is synced as well
  kExisting,  // kNotFound when it doesn't
};

// Mode 0600.
base::Result<std::unique_ptr<AppendFile>> openAppendFile(const std::string& path, AppendOpen how);

}  // namespace fleetmark::platform
