// Processor time and memory of other processes, from /proc. Linux only.
#pragma once

#include <cstdint>

namespace fleetmark::bench {

// User and system time, seconds.
struct CpuSplit {
  double coordinator = 0;
  double database = 0;   // its PostgreSQL: every process of it, also those that have ended
  double simulated = 0;  // this process: agents, watchers and their TLS
};

// Since the processes began. `coordinator`: the pid of one that runs its own PostgreSQL.
CpuSplit cpuSoFar(std::int64_t coordinator);
CpuSplit operator-(const CpuSplit& later, const CpuSplit& earlier);

// Anonymous and file pages that are in memory now.
double residentKib(std::int64_t pid);

}  // namespace fleetmark::bench
