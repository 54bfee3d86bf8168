#include "common/rpc/probe_pipe.h"

#include <cstdint>

#include "common/rpc/common_wire_codec.h"
#include "common/rpc/message_bytes_codec.h"
#include "schema/probe.capnp.h"

namespace fleetmark::rpc {

namespace {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

constexpr std::size_t kWord = 8;
constexpr std::uint32_t kMaxSegments = 64;

std::uint32_t little32(std::string_view bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 4; i > 0; --i) {
    out = (out << 8) | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return out;
}

// Size in bytes of the message at the beginning of `bytes` by its segment table (Cap'n Proto
// encoding, "Serialization Over a Stream"); nullopt: the table itself is not whole yet.
base::Result<std::optional<std::size_t>> messageSize(std::string_view bytes) {
  if (bytes.size() < 4) return std::optional<std::size_t>();
  std::uint32_t segments = little32(bytes, 0) + 1;
  if (segments == 0 || segments > kMaxSegments) {
    return base::invalid("the probe's pipe carries something that is no event");
  }
  std::size_t table = (4 + 4 * std::size_t{segments} + kWord - 1) / kWord * kWord;
  if (bytes.size() < table) return std::optional<std::size_t>();
  std::size_t total = table;
  for (std::uint32_t i = 0; i < segments; ++i) {
    total += kWord * std::size_t{little32(bytes, 4 + 4 * std::size_t{i})};
    if (total > ProbePipeReader::kMaxPending) {
      return base::invalid("the probe's pipe carries something that is no event, or one over " +
                           std::to_string(ProbePipeReader::kMaxPending) + " bytes");
    }
  }
  return std::optional<std::size_t>(total);
}

base::Result<ProbeEvent> decode(schema::ProbeEvent::Reader wire) {
  switch (wire.which()) {
    case schema::ProbeEvent::SAMPLE: {
      FM_TRY_ASSIGN(auto sample, fromWire(wire.getSample()));
      return ProbeEvent(std::move(sample));
    }
    case schema::ProbeEvent::NOTICE: {
      FM_TRY_ASSIGN(auto notice, fromWire(wire.getNotice()));
      return ProbeEvent(std::move(notice));
    }
    case schema::ProbeEvent::PROGRESS: {
      FM_TRY_ASSIGN(auto text, checkedText(wire.getProgress(), kMaxMessage, "a progress line"));
      return ProbeEvent(ProbeProgress{std::move(text)});
    }
    case schema::ProbeEvent::DONE:
      return ProbeEvent(ProbeDone{});
    case schema::ProbeEvent::FAILED:
      return ProbeEvent(ProbeFailed{fromWire(wire.getFailed())});
    case schema::ProbeEvent::UNKNOWN:
      break;
  }
  return base::invalid("an event of the probe is unknown to this version");
}

}  // namespace

std::string encodeProbeEvent(const ProbeEvent& event) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::ProbeEvent>();
  std::visit(
      Overloaded{[&](const model::Sample& sample) { toWire(sample, root.initSample()); },
                 [&](const model::Notice& notice) { toWire(notice, root.initNotice()); },
                 [&](const ProbeProgress& progress) { root.setProgress(progress.text); },
                 [&](const ProbeDone&) { root.setDone(); },
                 [&](const ProbeFailed& failed) { toWire(failed.error, root.initFailed()); }},
      event);
  return flatten(message);
}

base::Status ProbePipeReader::feed(std::string_view bytes) {
  if (pending_.size() - taken_ + bytes.size() > kMaxPending) {
    return base::invalid("the probe's pipe carries an event over " + std::to_string(kMaxPending) +
                         " bytes");
  }
  pending_.erase(0, taken_);
  taken_ = 0;
  pending_.append(bytes);
  return {};
}

base::Result<std::optional<ProbeEvent>> ProbePipeReader::next() {
  std::string_view rest = std::string_view(pending_).substr(taken_);
  FM_TRY_ASSIGN(auto size, messageSize(rest));
  if (!size || rest.size() < *size) return std::optional<ProbeEvent>();
  FM_TRY_ASSIGN(auto event, readFlat<schema::ProbeEvent>(rest.substr(0, *size),
                                                         "an event of the probe", decode));
  taken_ += *size;
  return std::optional<ProbeEvent>(std::move(event));
}

}  // namespace fleetmark::rpc
