#include "common/rpc/uv_error.h"

#include <kj/debug.h>
#include <uv.h>

namespace fleetmark::rpc {

kj::Exception uvException(int status, const char* what) {
  auto type = kj::Exception::Type::FAILED;
  switch (status) {
    case UV_ECONNRESET:
    case UV_EPIPE:
    case UV_ECONNABORTED:
    case UV_ENOTCONN:
    case UV_ECONNREFUSED:
    case UV_ETIMEDOUT:
    case UV_EHOSTUNREACH:
    case UV_EHOSTDOWN:
    case UV_ENETUNREACH:
    case UV_ENETDOWN:
    case UV_ESHUTDOWN:
    case UV_EOF:
    case UV_ECANCELED:
    case UV_ENOENT:
    case UV_EAI_AGAIN:
    case UV_EAI_FAIL:
    case UV_EAI_NODATA:
    case UV_EAI_NONAME:
      type = kj::Exception::Type::DISCONNECTED;
      break;
    case UV_EMFILE:
    case UV_ENFILE:
    case UV_ENOMEM:
    case UV_ENOBUFS:
      type = kj::Exception::Type::OVERLOADED;
      break;
    default:
      break;
  }
  return kj::Exception(type, __FILE__, __LINE__, kj::str(what, ": ", uv_strerror(status)));
}

void uvCheck(int status, const char* what) {
  if (status < 0) kj::throwFatalException(uvException(status, what));
}

}  // namespace fleetmark::rpc
