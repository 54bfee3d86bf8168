// Writes chunks into a spool without an end, for a test to kill. After each chunk that is on the
// disk it prints the chunk's number.
#include <cstdio>

#include "agent/core/spool.h"
#include "common/base/clock.h"
#include "tests/agent/core/work_values.h"

using namespace fleetmark;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  base::SystemClock clock;
  auto spool = agent::core::Spool::open({argv[1], {256 * base::kMiB}, {0}}, clock);
  if (!spool) return 3;
  auto key = (*spool)->begin(agent::core::testing::makeAssignment());
  if (!key) return 3;
  for (std::uint32_t number = 0;; ++number) {
    if (!(*spool)->append(*key, agent::core::testing::makeChunk(number, 2000))) return 3;
    std::printf("%u\n", number);
    std::fflush(stdout);
  }
}
