#include "common/rpc/kj_error.h"

namespace fleetmark::rpc {

namespace {
constexpr std::size_t kMaxText = 300;
}

base::Error toError(const kj::Exception& exception, std::string_view what) {
  const std::string text = std::string(what) + ": " + describe(exception);
  switch (exception.getType()) {
    case kj::Exception::Type::DISCONNECTED:
      return base::unavailable(text + "; try again");
    case kj::Exception::Type::OVERLOADED:
      return base::overloaded(text + "; try again after a pause");
    case kj::Exception::Type::UNIMPLEMENTED:
      return base::unsupported(text + "; the other end is older or newer than this program");
    case kj::Exception::Type::FAILED:
      break;
  }
  return base::internal(text);
}

std::string describe(const kj::Exception& exception) {
  std::string text = exception.getDescription().cStr();
  if (text.size() > kMaxText) text.resize(kMaxText);
  for (char& c : text) {
    if (c >= 0 && (c < ' ' || c == 127)) c = ' ';  // bytes over 127 are UTF-8
  }
  return text;
}

}  // namespace fleetmark::rpc
