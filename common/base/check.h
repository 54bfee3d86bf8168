// FM_CHECK(condition): a broken invariant ends the process with its location. It stays on in
// release builds: a fleet that computes on a wrong state publishes wrong figures.
#pragma once

namespace fleetmark::base {

[[noreturn]] void checkFailed(const char* expression, const char* file, int line);

}  // namespace fleetmark::base

#define FM_CHECK(condition) \
  ((condition) ? (void)0 : ::fleetmark::base::checkFailed(#condition, __FILE__, __LINE__))
