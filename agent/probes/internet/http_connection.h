// One persistent HTTP/1.1 connection by libcurl: what of it a sample may use. A second connection,
// a redirect, another HTTP version or a retry never happens; each ends the exchange instead.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/probes/internet/repeat_check.h"
#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/crypto/tls_facts.h"

namespace fleetmark::agent::probes::internet {

// Where it went wrong.
enum class Stage { kResolve, kConnect, kTls, kRequest, kDownload, kUpload };
std::string_view wordOf(Stage stage);  // "resolve", "connect", "tls", "request", ...

enum class FailureKind { kUnavailable, kTimedOut, kStopped };

struct Failure {
  FailureKind kind = FailureKind::kUnavailable;
  Stage stage = Stage::kRequest;
  std::string reason;              // for people
  std::optional<int> status = {};  // of HTTP, where there was an answer
};

struct ConnectionOptions {
  base::Nanos connectTimeout{0};  // name, TCP and TLS together
  base::Nanos stallTimeout{0};    // no byte either way once connected
  base::MonoTime deadline;        // of everything
  std::string caFile;             // empty: the system's
  bool proxyFromEnvironment = false;
};

// One request and what must come back: status 200, HTTP/1.1, no content encoding.
struct Exchange {
  Stage stage = Stage::kRequest;  // kRequest, kDownload: GET; kUpload: POST
  std::string url = {};
  base::Bytes answer = {};                  // bytes of the answer, exactly; not with kUpload
  std::span<const std::uint8_t> body = {};  // kUpload; must outlive the call
  RepeatCheck* check = nullptr;             // sees the answer as it comes
};

// From the start to the last byte of the answer. The parts add up to the total.
struct Timing {
  base::Nanos resolve{0}, connect{0}, tls{0}, send{0}, firstByte{0}, rest{0}, total{0};
};

struct Done {
  base::MonoTime lastByteAt;
  Timing timing;  // whole with kRequest alone; resolve, connect and tls are 0 when reused
  // Of the body, when the answer's first byte came; absent where the system can't say.
  std::optional<std::int64_t> unacknowledged;
};

struct Route {
  std::string address;  // numeric, of the proxy if there is one; empty: no connection stood
  int port = 0;
  bool tunnelled = false;  // through a proxy
  std::optional<crypto::TlsFacts> tls;
  std::int64_t connections = 0;
};

// Not yet connected when made; the first exchange connects. After a failure it is spent. One
// owner, one thread; the clock must outlive it.
class HttpConnection {
 public:
  HttpConnection(const ConnectionOptions& options, const base::Clock& clock);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // nullopt: done, and `done` is filled.
  std::optional<Failure> perform(const Exchange& exchange, Done& done);
  const Route& route() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

std::string httpLibrary();  // "libcurl/7.88.1 OpenSSL/3.0.15 ..."

}  // namespace fleetmark::agent::probes::internet
