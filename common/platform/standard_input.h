// This process's own standard input, read past every buffer.
#pragma once

#include <cstddef>

#include "common/base/result.h"
#include "common/base/units.h"
#include "common/platform/process.h"

namespace fleetmark::platform {

// What is there, waiting at most `limit`; as Process::readStdout.
base::Result<Process::Read> readStandardInput(std::size_t most, base::Nanos limit);

// Takes back what SpawnOptions::dieWithParent did to this process.
void outliveParent();

}  // namespace fleetmark::platform
