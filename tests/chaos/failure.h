// What ends a run before its checks: the harness itself could not do its part (exit code 3), which
// says nothing of the fleet.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "common/base/result.h"

namespace fleetmark::chaos {

class HarnessFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void must(const base::Status& status, const std::string& what) {
  if (!status) throw HarnessFailure(what + ": " + status.error().message);
}

template <typename T>
T must(base::Result<T> result, const std::string& what) {
  if (!result) throw HarnessFailure(what + ": " + result.error().message);
  return std::move(result).value();
}

}  // namespace fleetmark::chaos
