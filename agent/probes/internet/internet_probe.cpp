#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/platform/platform.h"
#include "agent/probes/contention_json.h"
#include "agent/probes/internet/http_connection.h"
#include "agent/probes/internet/repeat_check.h"
#include "agent/probes/internet/service.h"
#include "agent/probes/probe.h"
#include "common/base/random.h"
#include "common/crypto/digest.h"
#include "common/platform/process.h"

namespace fleetmark::agent::probes {

namespace {

using namespace internet;

constexpr std::size_t kMostListedRequests = 64;
constexpr double kBusy =
    0.9;  // of one CPU: the figure is then more of this machine than of the way

base::Error internetStopped() {
  return base::unavailable("the internet probe was stopped by a signal");
}

// What one sample did.
struct Transfer {
  std::optional<Failure> failure;
  bool inWarmup = false;
  std::int64_t startedAtNs = 0;
  base::Nanos window{0};
  base::Bytes moved;
  std::vector<base::Nanos> requests;  // durations of those that ended well
  std::optional<std::int64_t> mostUnacknowledged;
  Timing timing;
  std::string contention = "{}";
  std::optional<double> busy;  // CPU time of this thread over the window
  std::optional<double> bitsPerByte;
  RepeatCheck check;
  Route route;
};

class InternetRun {
 public:
  explicit InternetRun(const ProbeContext& context)
      : context_(context),
        service_(context.params),
        payload_(context.params.bytes("transfer")),
        warmup_(context.params.bytes("warmup")),
        sizes_(requestSizes(payload_, context.params.bytes("request"))),
        bodySeed_(base::secureRandomSeed()),
        marks_(base::secureRandomSeed()),
        body_(static_cast<std::size_t>(std::max(sizes_.front(), warmup_).count)) {
    base::SeededRandom(bodySeed_).fill(body_);
    bodySha256_ = crypto::sha256Hex({reinterpret_cast<const char*>(body_.data()),
                                     static_cast<std::size_t>(sizes_.front().count)});
  }

  base::Status measure(Stage stage, std::uint32_t index) {
    Transfer transfer;
    HttpConnection connection(options(), context_.clock);
    if (stage == Stage::kRequest) {
      zeroByteRequest(connection, transfer);
    } else {
      moves(stage, connection, transfer);
    }
    transfer.route = connection.route();
    tell(stage, transfer);
    send(stage, index, transfer);
    const bool stopped = transfer.failure && transfer.failure->kind == FailureKind::kStopped;
    return stopped ? base::Status(internetStopped()) : base::Status();
  }

 private:
  ConnectionOptions options() const {
    const auto& params = context_.params;
    return {.connectTimeout = params.duration("connect_timeout"),
            .stallTimeout = params.duration("stall_timeout"),
            .deadline = context_.clock.mono() + params.duration("sample_timeout"),
            .caFile = params.text("ca_file"),
            .proxyFromEnvironment = params.text("proxy") == "environment"};
  }

  // No cache on the way can have the answer to a request that was never made before.
  std::string mark() {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(marks_.next()));
    return text;
  }

  Exchange zeroByte() { return {.stage = Stage::kRequest, .url = service_.zeroByteUrl(mark())}; }

  Exchange moving(Stage stage, base::Bytes size) {
    Exchange out{.stage = stage};
    if (stage == Stage::kUpload) {
      out.url = service_.uploadUrl(mark());
      out.body = std::span(body_).first(static_cast<std::size_t>(size.count));
    } else {
      out.url = service_.downloadUrl(size, mark());
      out.answer = size;
    }
    return out;
  }

  void zeroByteRequest(HttpConnection& connection, Transfer& transfer) {
    auto& contention = context_.platform.contention();
    const auto exchange = zeroByte();
    const auto before = contention.read();
    transfer.startedAtNs = base::toUnixNanos(context_.clock.wall());
    Done done;
    transfer.failure = connection.perform(exchange, done);
    transfer.timing = done.timing;
    transfer.window = done.timing.total;
    transfer.contention = contentionJson(before, contention.read(), transfer.window);
  }

  void moves(Stage stage, HttpConnection& connection, Transfer& transfer) {
    transfer.startedAtNs = base::toUnixNanos(context_.clock.wall());
    Done done;
    // Opens the connection as well, so that the window holds no handshake.
    transfer.inWarmup = true;
    transfer.failure =
        connection.perform(warmup_.count > 0 ? moving(stage, warmup_) : zeroByte(), done);
    if (transfer.failure) return;
    transfer.inWarmup = false;

    std::vector<Exchange> exchanges;
    for (auto size : sizes_) exchanges.push_back(moving(stage, size));
    transfer.requests.reserve(exchanges.size());
    auto& contention = context_.platform.contention();
    const auto before = contention.read();
    transfer.startedAtNs = base::toUnixNanos(context_.clock.wall());
    const auto start = context_.clock.mono();
    auto last = start;
    for (auto& exchange : exchanges) {
      if (stage == Stage::kDownload && service_.repeatsItsBlock()) {
        transfer.check.reset();
        exchange.check = &transfer.check;
      }
      transfer.failure = connection.perform(exchange, done);
      if (transfer.failure) break;
      transfer.moved.count += sizes_[transfer.requests.size()].count;
      transfer.requests.push_back(done.lastByteAt - last);
      last = done.lastByteAt;
      if (done.unacknowledged) {
        transfer.mostUnacknowledged =
            std::max(transfer.mostUnacknowledged.value_or(0), *done.unacknowledged);
      }
    }
    transfer.window = (transfer.failure ? context_.clock.mono() : last) - start;
    const auto after = contention.read();
    transfer.contention = contentionJson(before, after, transfer.window);
    if (before.threadCpu && after.threadCpu && transfer.window > base::Nanos(0)) {
      transfer.busy = static_cast<double>((*after.threadCpu - *before.threadCpu).count()) /
                      static_cast<double>(transfer.window.count());
    }
    if (stage == Stage::kDownload && service_.repeatsItsBlock()) {
      transfer.bitsPerByte = transfer.check.bitsPerByte();
    }
  }

  // Once a run, what a reader must know beside the samples.
  void tell(Stage stage, const Transfer& transfer) {
    const auto& address = transfer.route.address;
    if (!address.empty() && addresses_.insert(address).second) {
      const auto kind = addressKind(address);
      if (kind != AddressKind::kPublic) {
        context_.sink.notice(
            {"internet/address", "the address " + address + " is a " + std::string(wordOf(kind)) +
                                     " one: these figures aren't of a way through the internet"});
      }
      if (addresses_.size() == 2) {
        context_.sink.notice(
            {"internet/address", "the name led to several addresses (" + *addresses_.begin() +
                                     ", " + *addresses_.rbegin() +
                                     "); each sample says which, and they may be several servers"});
      }
    }
    if (transfer.busy.value_or(0) > kBusy && !saidBusy_) {
      saidBusy_ = true;
      context_.sink.notice(
          {"internet/cpu", "the " + std::string(wordOf(stage)) + " kept one CPU busy for " +
                               std::to_string(static_cast<int>(*transfer.busy * 100)) +
                               " % of its time: the figure is more of this machine's TLS than of "
                               "the network"});
    }
  }

  static void judge(Stage stage, const Transfer& transfer, std::size_t requests,
                    model::Sample& sample) {
    if (transfer.failure) {
      const auto& failure = *transfer.failure;
      switch (failure.kind) {
        case FailureKind::kUnavailable:
          sample.verdict = model::Verdict::kUnavailable;
          break;
        case FailureKind::kTimedOut:
          sample.verdict = model::Verdict::kTimedOut;
          break;
        case FailureKind::kStopped:
          sample.verdict = model::Verdict::kIncomplete;
          break;
      }
      std::string where(wordOf(failure.stage));
      if (transfer.inWarmup) {
        where += ", warm-up";
      } else if (stage != Stage::kRequest) {
        where += ", request " + std::to_string(transfer.requests.size() + 1) + " of " +
                 std::to_string(requests);
      }
      sample.reasons.push_back(where + ": " + failure.reason);
      return;
    }
    if (const auto wrong = transfer.check.firstWrong()) {
      sample.verdict = model::Verdict::kUnverified;
      sample.reasons.push_back(
          "an answer isn't one block of 1 MiB over and over, as such a server "
          "sends it: byte " +
          std::to_string(*wrong) + " differs from the first block's");
    }
    if (transfer.route.tls && transfer.route.tls->resumed) {
      sample.verdict = model::Verdict::kUnverified;
      sample.reasons.push_back("the TLS session was resumed, where a new one was asked for");
    }
  }

  void send(Stage stage, std::uint32_t index, const Transfer& transfer) {
    model::Sample sample;
    sample.index = index;
    sample.startedAtNs = transfer.startedAtNs;
    judge(stage, transfer, sizes_.size(), sample);
    sample.contextJson = about(stage, transfer);
    auto one = [&](const char* metric, std::optional<double> value) {
      sample.metric = metric;
      sample.value = value;
      context_.sink.sample(sample);
    };
    auto seconds = [&](base::Nanos time) -> std::optional<double> {
      if (transfer.failure) return std::nullopt;
      return static_cast<double>(time.count()) / 1e9;
    };
    if (stage != Stage::kRequest) {
      std::optional<double> rate;
      if (!transfer.failure && transfer.window > base::Nanos(0)) {
        rate = static_cast<double>(transfer.moved.count) * 8e9 /
               static_cast<double>(transfer.window.count());
      }
      one(stage == Stage::kDownload ? "internet_download_rate" : "internet_upload_rate", rate);
      return;
    }
    const auto& timing = transfer.timing;
    one("internet_request_time", seconds(timing.total));
    sample.contextJson = "{}";  // stands with the first
    one("internet_dns_time", seconds(timing.resolve));
    one("internet_tcp_time", seconds(timing.connect));
    if (context_.params.text("url").starts_with("https:")) {
      one("internet_tls_time", seconds(timing.tls));
    }
    one("internet_send_time", seconds(timing.send));
    one("internet_first_byte_time", seconds(timing.firstByte));
  }

  std::string about(Stage stage, const Transfer& transfer) const {
    using nlohmann::json;
    json out{{"service", context_.params.text("service")},
             {"server", context_.params.text("name")},
             {"url", context_.params.text("url")},
             {"http", httpLibrary()},
             {"connections", transfer.route.connections},
             {"window_ns", transfer.window.count()},
             {"contention", json::parse(transfer.contention, nullptr, false)}};
    const auto& route = transfer.route;
    if (!route.address.empty()) {
      out["address"] = route.address;
      out["port"] = route.port;
      out["address_kind"] = wordOf(addressKind(route.address));
      out["through_proxy"] = route.tunnelled;
    }
    if (route.tls) {
      out["tls"] = {{"version", route.tls->version},
                    {"cipher", route.tls->cipher},
                    {"resumed", route.tls->resumed}};
    }
    if (transfer.failure) {
      out["stage"] = wordOf(transfer.failure->stage);
      if (transfer.failure->status) out["status"] = *transfer.failure->status;
    }
    if (stage == Stage::kRequest) {
      const auto& timing = transfer.timing;
      if (!transfer.failure) {
        out["split"] = {{"dns_ns", timing.resolve.count()},
                        {"tcp_ns", timing.connect.count()},
                        {"tls_ns", timing.tls.count()},
                        {"send_ns", timing.send.count()},
                        {"first_byte_ns", timing.firstByte.count()},
                        {"rest_ns", timing.rest.count()}};
      }
      return out.dump();
    }
    out["payload_bytes"] = payload_.count;
    out["moved_bytes"] = transfer.moved.count;
    out["warmup_bytes"] = warmup_.count;
    out["requests"] = sizes_.size();
    out["requests_done"] = transfer.requests.size();
    if (transfer.busy) out["cpu_share"] = *transfer.busy;
    if (!transfer.requests.empty() && transfer.requests.size() <= kMostListedRequests) {
      for (auto one : transfer.requests) out["request_ns"].push_back(one.count());
    }
    if (stage == Stage::kUpload) {
      out["body_seed"] = std::to_string(bodySeed_);  // 64 bits, too many for a JSON number
      out["body_sha256"] = bodySha256_;
      if (transfer.mostUnacknowledged) {
        out["unacknowledged_at_answer_bytes"] = *transfer.mostUnacknowledged;
      }
    } else if (service_.repeatsItsBlock()) {
      out["compared_bytes"] = transfer.check.compared();
      if (transfer.bitsPerByte) out["entropy_bits_per_byte"] = *transfer.bitsPerByte;
    }
    return out.dump();
  }

  const ProbeContext& context_;
  const Service service_;
  const base::Bytes payload_;
  const base::Bytes warmup_;
  const std::vector<base::Bytes> sizes_;
  const std::uint64_t bodySeed_;
  base::SeededRandom marks_;
  std::vector<std::uint8_t> body_;
  std::string bodySha256_;
  std::set<std::string> addresses_;
  bool saidBusy_ = false;
};

class InternetProbe final : public Probe {
 public:
  base::Status run(const ProbeContext& context) override {
    InternetRun run(context);
    const auto samples = context.params.count("samples");
    for (std::int64_t index = 0; index < samples; ++index) {
      for (auto stage : {Stage::kRequest, Stage::kDownload, Stage::kUpload}) {
        if (platform::StopSignal::requested()) return internetStopped();
        context.sink.progress(std::string(wordOf(stage)) + " " + std::to_string(index + 1) + "/" +
                              std::to_string(samples));
        FM_TRY(run.measure(stage, static_cast<std::uint32_t>(index)));
      }
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Probe> internetProbe() { return std::make_unique<InternetProbe>(); }

}  // namespace fleetmark::agent::probes
