#include "common/rpc/refusal.h"

#include <capnp/message.h>
#include <capnp/rpc.capnp.h>
#include <capnp/serialize-async.h>

namespace fleetmark::rpc {
namespace {

constexpr std::string_view kMark = "fleetmark refuses this peer: ";
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
                              std::string_view reason) {
  auto message = kj::heap<capnp::MallocMessageBuilder>();
  const std::string text = std::string(kMark) + std::string(reason);
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

std::optional<std::string> parseRefusal(std::string_view exceptionText) {
  const std::size_t at = exceptionText.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  return std::string(exceptionText.substr(at + kMark.size()));
}

}  // namespace fleetmark::rpc
