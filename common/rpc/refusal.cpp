#include "common/rpc/refusal.h"

#include <capnp/message.h>
#include <capnp/rpc.capnp.h>
#include <capnp/serialize-async.h>

#include <string>

namespace fleetmark::rpc {
namespace {

constexpr std::string_view kMark = "fleetmark refuses this peer: ";  // then "<code>: <message>"
constexpr std::size_t kDrainBytes = 4096;
constexpr int kDrainLimitMs = 1000;
constexpr int kDrainReads = 256;  // 1 MiB

kj::Promise<void> drain(kj::AsyncIoStream& stream, kj::ArrayPtr<kj::byte> buffer, int left) {
  if (left == 0) return kj::READY_NOW;
  return stream.tryRead(buffer.begin(), 1, buffer.size())
      .then([&stream, buffer, left](size_t size) -> kj::Promise<void> {
        if (size == 0) return kj::READY_NOW;
        return drain(stream, buffer, left - 1);
      });
}

}  // namespace

kj::Promise<void> sendRefusal(kj::Own<kj::AsyncIoStream> stream, kj::Timer& timer,
                              const base::Error& error) {
  auto message = kj::heap<capnp::MallocMessageBuilder>();
  const std::string text =
      std::string(kMark) + std::string(base::toString(error.code)) + ": " + error.message;
  auto abort = message->initRoot<capnp::rpc::Message>().initAbort();
  abort.setReason(text.c_str());
  abort.setType(capnp::rpc::Exception::Type::FAILED);
  auto written = capnp::writeMessage(*stream, *message).attach(kj::mv(message));
  return written.then(
      [&timer, stream = kj::mv(stream)]() mutable { return closeGently(kj::mv(stream), timer); });
}

kj::Promise<void> closeGently(kj::Own<kj::AsyncIoStream> stream, kj::Timer& timer) {
  stream->shutdownWrite();
  auto buffer = kj::heapArray<kj::byte>(kDrainBytes);
  auto drained = drain(*stream, buffer, kDrainReads);
  return drained.exclusiveJoin(timer.afterDelay(kDrainLimitMs * kj::MILLISECONDS))
      .catch_([](kj::Exception&&) {})  // the peer may be gone already
      .attach(kj::mv(buffer), kj::mv(stream));
}

std::optional<base::Error> parseRefusal(std::string_view exceptionText) {
  const std::size_t at = exceptionText.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view said = exceptionText.substr(at + kMark.size());
  const std::size_t colon = said.find(": ");
  const auto code = base::parseErrorCode(said.substr(0, colon));
  if (colon == std::string_view::npos || !code) return base::denied(std::string(said));
  return base::Error{*code, std::string(said.substr(colon + 2))};
}

}  // namespace fleetmark::rpc
