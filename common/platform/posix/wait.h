// Waiting for a descriptor with a limit that EINTR can't stretch.
#pragma once

#include "common/base/units.h"

namespace fleetmark::platform {

// True when `fd` is readable or at its end, false after `limit`. A negative fd only waits.
bool pollUntilReady(int fd, base::Nanos limit);

}  // namespace fleetmark::platform
