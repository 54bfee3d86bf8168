#pragma once

#include "agent/platform/direct_io.h"

namespace fleetmark::agent::linux_os {

class LinuxDirectIo final : public DirectIo {
 public:
  base::Result<FileSystemFacts> fileSystem(const std::string& folder) override;
  base::Result<base::Bytes> freeSpace(const std::string& folder) override;
  base::Result<std::unique_ptr<DirectFile>> create(const std::string& folder,
                                                   base::Bytes size) override;
  base::Result<IoCounters> counters() override;
  base::Result<std::vector<std::string>> removeStale(const std::string& folder) override;
};

}  // namespace fleetmark::agent::linux_os
