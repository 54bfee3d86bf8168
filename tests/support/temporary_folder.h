// A private folder that goes with the object.
#pragma once

#include <string>

#include "common/base/check.h"
#include "common/platform/files.h"

namespace fleetmark::tests {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto made = platform::makeTemporaryFolder("fmtest");
    FM_CHECK(made.has_value());
    path_ = *made;
  }
  ~TemporaryFolder() {
    auto ignored = platform::removeTree(path_);
    (void)ignored;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fleetmark::tests
