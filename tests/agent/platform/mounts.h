// File systems for tests, mounted where only this process sees them: they go with it, however it
// ends.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/base/units.h"

namespace fleetmark::agent::testing {

// Once before any mount. kDenied where this user may not (GTEST_SKIP then).
base::Status ownMountNamespace();

// A folder with something mounted on it; unmounted and removed at the end.
class TestMount {
 public:
  TestMount() = default;
  TestMount(TestMount&& other) noexcept;
  TestMount& operator=(TestMount&&) = delete;
  ~TestMount();
  static base::Result<TestMount> tmpfs(base::Bytes size);
  static base::Result<TestMount> readOnlyView(const std::string& folder);
  static base::Result<TestMount> overlayOn(const std::string& upperParent);
  static base::Result<TestMount> ext4Image(const std::string& parent, base::Bytes size);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string scratch_;  // removed as well
};

}  // namespace fleetmark::agent::testing
