#include "agent/probes/internet/http_connection.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstring>

#include "agent/platform/socket_queue.h"
#include "agent/probes/internet/answer.h"
#include "common/base/check.h"
#include "common/platform/process.h"

namespace fleetmark::agent::probes::internet {

namespace {

using namespace std::chrono_literals;

constexpr long kReceiveBuffer = 100 * 1024;
constexpr std::int64_t kMostUploadAnswer = 64 * 1024;
constexpr base::Nanos kLook = 50ms;  // how often limits are looked at while nothing moves

void initialiseCurl() {
  static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);
  FM_CHECK(done == CURLE_OK);
}

long millisOf(base::Nanos time) {
  return std::max<long>(
      1, static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
}

std::string ofBytes(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole) + " bytes";
}

}  // namespace

std::string_view wordOf(Stage stage) {
  switch (stage) {
    case Stage::kResolve:
      return "resolve";
    case Stage::kConnect:
      return "connect";
    case Stage::kTls:
      return "tls";
    case Stage::kRequest:
      return "request";
    case Stage::kDownload:
      return "download";
    case Stage::kUpload:
      return "upload";
  }
  FM_CHECK(false && "unknown stage");
  return {};
}

std::string httpLibrary() {
  initialiseCurl();
  return curl_version();
}

class HttpConnection::Impl {
 public:
  Impl(const ConnectionOptions& options, const base::Clock& clock)
      : options_(options), clock_(clock) {
    initialiseCurl();
    easy_ = curl_easy_init();
    multi_ = curl_multi_init();
    FM_CHECK(easy_ != nullptr && multi_ != nullptr);
    configure();
  }
  ~Impl() {
    curl_easy_cleanup(easy_);
    curl_multi_cleanup(multi_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::optional<Failure> perform(const Exchange& exchange, Done& done) {
    exchange_ = &exchange;
    now_ = Current{};
    prepare();
    now_.startedAt = now_.movedAt = now_.sentAt = clock_.mono();
    const CURLcode code = drive();
    noteRoute();
    if (now_.abort) return now_.abort;
    if (code != CURLE_OK) return failureOf(code);
    if (auto wrong = afterwards()) return wrong;
    established_ = true;
    done.lastByteAt = now_.lastByteAt;
    done.unacknowledged = now_.unacknowledged;
    done.timing = timing();
    return std::nullopt;
  }
  const Route& route() const { return route_; }

 private:
  struct Current {
    AnswerHead head;
    base::MonoTime startedAt, sentAt, firstByteAt, lastByteAt, movedAt;
    std::int64_t received = 0;
    std::int64_t handed = 0;  // of the body, to libcurl
    std::int64_t seen = -1;   // sum of all that can move, at movedAt
    bool early = false;       // the answer began before the server had the whole body
    std::optional<std::int64_t> unacknowledged;
    std::optional<Failure> abort;
  };

  template <typename Value>
  void set(CURLoption option, Value value) {
    FM_CHECK(curl_easy_setopt(easy_, option, value) == CURLE_OK);
  }
  std::int64_t info(CURLINFO what) const {
    curl_off_t value = 0;
    curl_easy_getinfo(easy_, what, &value);
    return value;
  }

  void configure() {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_HTTP09_ALLOWED, 0L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SSL_SESSIONID_CACHE, 0L);
    set(CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    set(CURLOPT_USERAGENT, "fleetmark-internet/1");
    set(CURLOPT_BUFFERSIZE, kReceiveBuffer);
    set(CURLOPT_CONNECTTIMEOUT_MS, millisOf(options_.connectTimeout));
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (!options_.proxyFromEnvironment) set(CURLOPT_PROXY, "");
    if (!options_.caFile.empty()) {
      set(CURLOPT_CAINFO, options_.caFile.c_str());
      set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    }
    headers_.reset(curl_slist_append(nullptr, "Accept-Encoding: identity"));
    for (const char* line :
         {"Cache-Control: no-cache", "Content-Type: application/octet-stream", "Expect:"}) {
      FM_CHECK(curl_slist_append(headers_.get(), line) != nullptr);
    }
    getHeaders_.reset(curl_slist_append(nullptr, "Accept-Encoding: identity"));
    FM_CHECK(curl_slist_append(getHeaders_.get(), "Cache-Control: no-cache") != nullptr);
    set(CURLOPT_HEADERFUNCTION, &Impl::onHeader);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Impl::onBody);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_READFUNCTION, &Impl::onWanted);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_SOCKOPTFUNCTION, &Impl::onSocket);
    set(CURLOPT_SOCKOPTDATA, this);
    set(CURLOPT_DEBUGFUNCTION, &Impl::onDebug);
    set(CURLOPT_DEBUGDATA, this);
  }

  void prepare() {
    error_[0] = '\0';
    set(CURLOPT_URL, exchange_->url.c_str());
    const bool upload = exchange_->stage == Stage::kUpload;
    if (upload) {
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(exchange_->body.size()));
    } else {
      set(CURLOPT_HTTPGET, 1L);
    }
    set(CURLOPT_HTTPHEADER, upload ? headers_.get() : getHeaders_.get());
    set(CURLOPT_VERBOSE, !established_ ? 1L : 0L);  // onDebug
  }

  CURLcode drive() {
    FM_CHECK(curl_multi_add_handle(multi_, easy_) == CURLM_OK);
    int running = 1;
    while (running > 0 && !now_.abort) {
      FM_CHECK(curl_multi_perform(multi_, &running) == CURLM_OK);
      if (running == 0) break;
      lookAtLimits();
      if (now_.abort) break;
      curl_multi_poll(multi_, nullptr, 0, static_cast<int>(millisOf(wait())), nullptr);
    }
    CURLcode code = CURLE_ABORTED_BY_CALLBACK;
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg == CURLMSG_DONE) code = message->data.result;
    }
    if (code == CURLE_OK) curl_easy_getinfo(easy_, CURLINFO_ACTIVESOCKET, &socket_);
    curl_multi_remove_handle(multi_, easy_);
    return code;
  }

  base::Nanos wait() const {
    return std::clamp<base::Nanos>(options_.deadline - clock_.mono(), 1ms, kLook);
  }

  void lookAtLimits() {
    if (platform::StopSignal::requested()) {
      giveUp(FailureKind::kStopped, "stopped by a signal");
      return;
    }
    const auto now = clock_.mono();
    if (now >= options_.deadline) {
      giveUp(FailureKind::kTimedOut, "over the sample's time limit");
      return;
    }
    if (info(CURLINFO_PRETRANSFER_TIME_T) == 0) {  // the connection has a limit of its own
      now_.movedAt = now;
      return;
    }
    const auto queue = unacknowledged().value_or(0);
    const auto seen = now_.received + now_.handed - queue + (now_.head.begun() ? 1 : 0);
    if (seen != now_.seen) {
      now_.seen = seen;
      now_.movedAt = now;
    } else if (now - now_.movedAt >= options_.stallTimeout) {
      giveUp(FailureKind::kUnavailable, "nothing moved for " +
                                            base::formatDuration(options_.stallTimeout) +
                                            ", after " + amount());
    }
  }

  std::string amount() const {
    if (exchange_->stage == Stage::kUpload) {
      return ofBytes(now_.handed, static_cast<std::int64_t>(exchange_->body.size())) + " sent";
    }
    return ofBytes(now_.received, exchange_->answer.count) + " of the answer";
  }

  void giveUp(FailureKind kind, std::string reason, std::optional<Stage> stage = std::nullopt) {
    if (now_.abort) return;
    now_.abort = Failure{kind, stage.value_or(stageNow()), std::move(reason)};
    if (now_.head.begun()) now_.abort->status = now_.head.status();
  }

  // How far the connection has come.
  Stage stageNow() const {
    if (established_) return exchange_->stage;
    if (info(CURLINFO_NAMELOOKUP_TIME_T) == 0) return Stage::kResolve;
    if (info(CURLINFO_CONNECT_TIME_T) == 0 && !handshakes_) return Stage::kConnect;
    if (exchange_->url.starts_with("https:") && info(CURLINFO_APPCONNECT_TIME_T) == 0) {
      return Stage::kTls;
    }
    return exchange_->stage;
  }

  // Known from the second exchange on: libcurl tells the socket once a transfer has ended.
  std::optional<std::int64_t> unacknowledged() const {
    if (socket_ == CURL_SOCKET_BAD) return std::nullopt;
    return unacknowledgedBytes(static_cast<int>(socket_));
  }

  long connects() const {
    long made = 0;
    curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &made);
    return made;
  }

  void noteRoute() {
    route_.connections += connects();
    const char* address = nullptr;
    if (curl_easy_getinfo(easy_, CURLINFO_PRIMARY_IP, &address) == CURLE_OK && address != nullptr &&
        *address != '\0') {
      route_.address = address;
      long port = 0;
      curl_easy_getinfo(easy_, CURLINFO_PRIMARY_PORT, &port);
      route_.port = static_cast<int>(port);
    }
    long tunnel = 0;
    curl_easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &tunnel);
    if (tunnel != 0) route_.tunnelled = true;
  }

  void noteTls() {
    if (route_.tls) return;
    const curl_tlssessioninfo* session = nullptr;
    if (curl_easy_getinfo(easy_, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK ||
        session == nullptr || session->backend != CURLSSLBACKEND_OPENSSL ||
        session->internals == nullptr) {
      return;
    }
    route_.tls = crypto::tlsFacts(session->internals);
  }

  std::optional<Failure> fail(Stage stage, std::string reason) const {
    Failure out{FailureKind::kUnavailable, stage, std::move(reason)};
    if (now_.head.begun()) out.status = now_.head.status();
    return out;
  }

  std::optional<Failure> failureOf(CURLcode code) const {
    if (refusedSecond_ && now_.handed + now_.received > 0) {
      return fail(exchange_->stage, "the connection broke after " + amount());
    }
    if (refusedSecond_) {
      return fail(exchange_->stage,
                  "the server had closed the connection after the request before; a sample keeps "
                  "to one connection");
    }
    const std::string text = plainText(error_[0] != '\0' ? error_ : curl_easy_strerror(code), 200);
    switch (code) {
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
        return fail(Stage::kResolve, text);
      case CURLE_COULDNT_CONNECT:
        return fail(Stage::kConnect, text);
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_CERTPROBLEM:
      case CURLE_SSL_CIPHER:
      case CURLE_SSL_ISSUER_ERROR:
        return fail(Stage::kTls, text);
      case CURLE_OPERATION_TIMEDOUT:
        return fail(stageNow(),
                    "no connection within " + base::formatDuration(options_.connectTimeout));
      case CURLE_PARTIAL_FILE:
        return fail(exchange_->stage,
                    "the answer ended after " + ofBytes(now_.received, exchange_->answer.count));
      case CURLE_GOT_NOTHING:
        return fail(exchange_->stage, "the server closed the connection without an answer");
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
      case CURLE_SEND_FAIL_REWIND:
        return fail(stageNow(), "the connection broke after " + amount() + ": " + text);
      default:
        return fail(stageNow(), text);
    }
  }

  // What libcurl is content with and a measurement isn't.
  std::optional<Failure> afterwards() const {
    const auto stage = exchange_->stage;
    if (!now_.head.complete()) return fail(stage, "the answer has no complete head");
    if (stage == Stage::kUpload) {
      const auto size = static_cast<std::int64_t>(exchange_->body.size());
      const auto sent = info(CURLINFO_SIZE_UPLOAD_T);
      if (sent != size) return fail(stage, "only " + ofBytes(sent, size) + " were sent");
    } else if (now_.received != exchange_->answer.count) {
      return fail(stage,
                  "the answer ended after " + ofBytes(now_.received, exchange_->answer.count));
    }
    if (route_.connections != 1) {
      return fail(stage, std::to_string(route_.connections) +
                             " connections were used, a sample keeps to one");
    }
    return std::nullopt;
  }

  Timing timing() const {
    Timing out;
    out.total = now_.lastByteAt - now_.startedAt;
    base::Nanos before{0};  // up to where the request could be sent
    if (connects() > 0) {
      const base::Nanos resolved{info(CURLINFO_NAMELOOKUP_TIME_T) * 1000};
      const base::Nanos connected{info(CURLINFO_CONNECT_TIME_T) * 1000};
      const base::Nanos secured{info(CURLINFO_APPCONNECT_TIME_T) * 1000};
      out.resolve = resolved;
      out.connect = connected - resolved;
      if (secured > connected) out.tls = secured - connected;
      before = out.resolve + out.connect + out.tls;
    }
    out.send = std::max(base::Nanos(0), now_.sentAt - now_.startedAt - before);
    out.rest = now_.lastByteAt - now_.firstByteAt;
    out.firstByte = out.total - before - out.send - out.rest;
    return out;
  }

  void beginsToAnswer() {
    now_.firstByteAt = clock_.mono();
    noteTls();
    if (exchange_->stage != Stage::kUpload) return;
    now_.unacknowledged = unacknowledged();
    const auto size = static_cast<std::int64_t>(exchange_->body.size());
    now_.early = std::min(now_.handed, info(CURLINFO_SIZE_UPLOAD_T)) < size ||
                 now_.unacknowledged.value_or(0) > 0;
  }

  // False ends the exchange.
  bool judgeHead() {
    if (auto objection = now_.head.objection(); !objection.empty()) {
      giveUp(FailureKind::kUnavailable, std::move(objection));
      return false;
    }
    const auto size = static_cast<std::int64_t>(exchange_->body.size());
    if (now_.early) {
      const auto sent =
          std::min(now_.handed, info(CURLINFO_SIZE_UPLOAD_T)) - now_.unacknowledged.value_or(0);
      giveUp(FailureKind::kUnavailable, "the server answered when it had " +
                                            ofBytes(std::max<std::int64_t>(0, sent), size) +
                                            ", so the time would not be that of the upload");
      return false;
    }
    const auto promised = now_.head.contentLength();
    if (exchange_->stage != Stage::kUpload && promised && *promised != exchange_->answer.count) {
      giveUp(FailureKind::kUnavailable, "the answer is to have " + std::to_string(*promised) +
                                            " bytes, asked for were " +
                                            std::to_string(exchange_->answer.count));
      return false;
    }
    return true;
  }

  static std::size_t onHeader(char* data, std::size_t, std::size_t size, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    auto& now = impl.now_;
    const bool before = now.head.begun();
    const bool judged = now.head.complete();
    if (!now.head.line({data, size})) {
      impl.giveUp(FailureKind::kUnavailable, "the answer's head is longer than 64 KiB");
      return 0;
    }
    if (!before && now.head.begun()) impl.beginsToAnswer();
    now.lastByteAt = impl.clock_.mono();
    if (!judged && now.head.complete() && !impl.judgeHead()) return 0;
    return size;
  }

  static std::size_t onBody(char* data, std::size_t, std::size_t size, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    auto& now = impl.now_;
    now.lastByteAt = impl.clock_.mono();
    now.received += static_cast<std::int64_t>(size);
    const bool upload = impl.exchange_->stage == Stage::kUpload;
    const auto most = upload ? kMostUploadAnswer : impl.exchange_->answer.count;
    if (now.received > most) {
      impl.giveUp(FailureKind::kUnavailable,
                  "the answer is longer than the " + std::to_string(most) +
                      (upload ? " bytes that are read of it" : " bytes asked for"));
      return 0;
    }
    if (impl.exchange_->check != nullptr) impl.exchange_->check->feed({data, size});
    return size;
  }

  static std::size_t onWanted(char* into, std::size_t, std::size_t room, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    const auto left = impl.exchange_->body.subspan(static_cast<std::size_t>(impl.now_.handed));
    const auto piece = std::min(room, left.size());
    if (piece > 0) std::memcpy(into, left.data(), piece);
    impl.now_.handed += static_cast<std::int64_t>(piece);
    return piece;
  }

  // A socket is about to be connected. The first exchange may try several addresses.
  static int onSocket(void* self, curl_socket_t, curlsocktype) {
    auto& impl = *static_cast<Impl*>(self);
    if (!impl.established_) return CURL_SOCKOPT_OK;
    impl.refusedSecond_ = true;
    return CURL_SOCKOPT_ERROR;
  }

  static int onDebug(CURL*, curl_infotype type, char*, std::size_t, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    if (type == CURLINFO_HEADER_OUT) impl.now_.sentAt = impl.clock_.mono();
    // libcurl's time of the connection is only there once all of it stands.
    if (type == CURLINFO_SSL_DATA_OUT) impl.handshakes_ = true;
    return 0;
  }

  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  const ConnectionOptions options_;
  const base::Clock& clock_;
  CURL* easy_ = nullptr;
  CURLM* multi_ = nullptr;
  std::unique_ptr<curl_slist, FreeList> headers_, getHeaders_;
  char error_[CURL_ERROR_SIZE] = {};
  const Exchange* exchange_ = nullptr;
  Current now_;
  Route route_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  bool established_ = false;
  bool refusedSecond_ = false;
  bool handshakes_ = false;  // TLS has begun
};

HttpConnection::HttpConnection(const ConnectionOptions& options, const base::Clock& clock)
    : impl_(std::make_unique<Impl>(options, clock)) {}
HttpConnection::~HttpConnection() = default;

std::optional<Failure> HttpConnection::perform(const Exchange& exchange, Done& done) {
  return impl_->perform(exchange, done);
}

const Route& HttpConnection::route() const { return impl_->route(); }

}  // namespace fleetmark::agent::probes::internet
