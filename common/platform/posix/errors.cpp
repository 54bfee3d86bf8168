#include "common/platform/posix/errors.h"

#include <cerrno>
#include <system_error>

namespace fleetmark::platform {

namespace {

base::ErrorCode codeOf(int error) {
  switch (error) {
    case ENOENT:
    case ESRCH:
    case ENODEV:
    case ENXIO:
      return base::ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return base::ErrorCode::kDenied;
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EPIPE:
    case EBUSY:
      return base::ErrorCode::kUnavailable;
    case ENOSYS:
    case EOPNOTSUPP:
      return base::ErrorCode::kUnsupported;
    case EEXIST:
      return base::ErrorCode::kConflict;
    default:
      return base::ErrorCode::kInvalid;
  }
}

}  // namespace

base::Error fromErrno(int error, std::string what, std::string advice) {
  std::string message = std::move(what) + ": " + std::generic_category().message(error);
  if (!advice.empty()) message += "; " + advice;
  return {codeOf(error), std::move(message)};
}

}  // namespace fleetmark::platform
