#include "common/platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace fleetmark::platform {

namespace {

int descriptor(Stream stream) { return stream == Stream::kOut ? STDOUT_FILENO : STDERR_FILENO; }

}  // namespace

bool isTerminal(Stream stream) { return ::isatty(descriptor(stream)) == 1; }

std::size_t terminalWidth(Stream stream, std::size_t fallback) {
  winsize size{};
  if (::ioctl(descriptor(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return fallback;
  return size.ws_col;
}

}  // namespace fleetmark::platform
