#include <algorithm>

#include "common/probes/spec.h"

namespace fleetmark::probes {

namespace {

constexpr std::int64_t kMostRequests = 100'000;  // of one sample

bool isLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isPath(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return isLetterOrDigit(c) || std::string_view("/._~-%").find(c) != std::string_view::npos;
  });
}

bool isPort(std::string_view text) {
  if (text.empty() || text.size() > 5 || text.front() == '0') return false;
  int port = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    port = port * 10 + (c - '0');
  }
  return port <= 65535;
}

bool isHost(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) {
    const auto inside = text.substr(1, text.size() - 2);
    return inside.size() >= 2 &&
           inside.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
  }
  return !text.empty() && text.size() <= 253 && isLetterOrDigit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return isLetterOrDigit(c) || c == '.' || c == '-' || c == '_'; });
}

bool isAuthority(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto bracket = text.rfind(']');
  const bool withPort =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (withPort && !isPort(text.substr(colon + 1))) return false;
  return isHost(withPort ? text.substr(0, colon) : text);
}

// The text itself is never repeated: it may hold a secret.
base::Status checkUrl(std::string_view url, bool plainAllowed) {
  const std::string write = "write it like https://speed.example.org/backend/";
  if (url.empty()) {
    return base::invalid("'url' is missing: the server to measure with; " + write);
  }
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://")) {
    return base::invalid("'url' doesn't begin with https:// (in small letters); " + write);
  }
  if (!secure && !plainAllowed) {
    return base::invalid(
        "'url' is plain HTTP, which anything on the way can change; use https://, "
        "or set 'allow_http: true'");
  }
  const auto rest = url.substr(secure ? 8 : 7);
  if (rest.find('@') != std::string_view::npos) {
    return base::invalid(
        "'url' holds a user name or a password ('@'); secrets have no place in a "
        "campaign and the probe needs none, so take them out");
  }
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return base::invalid(
        "'url' has a query or a fragment ('?', '#'); give the folder alone, "
        "parameters are the probe's own");
  }
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos || !rest.ends_with('/')) {
    return base::invalid("'url' doesn't end with '/'; " + write);
  }
  if (!isAuthority(rest.substr(0, slash)) || !isPath(rest.substr(slash))) {
    return base::invalid("'url' has no valid host, port or path; " + write);
  }
  return {};
}

base::Status check(const Params& params) {
  FM_TRY(checkUrl(params.text("url"), params.flag("allow_http")));
  for (std::string name : {"download_path", "upload_path", "ping_path"}) {
    const auto path = params.text(name);
    if (path.starts_with('/') || !isPath(path)) {
      return base::invalid("'" + name +
                           "' isn't a path below 'url'; write it like garbage.php, "
                           "without '/' in front and without a query");
    }
  }
  const auto transfer = params.bytes("transfer").count;
  const auto request = params.bytes("request").count;
  if (params.text("service") == "librespeed") {
    for (std::string name : {"transfer", "request", "warmup"}) {
      if (params.bytes(name).count % base::kMiB != 0) {
        return base::invalid("'" + name +
                             "' must be a multiple of 1MiB: a librespeed server sends "
                             "whole MiB");
      }
    }
  }
  if ((transfer + request - 1) / request > kMostRequests) {
    return base::invalid(
        "'transfer' takes more than 100,000 requests of the size 'request'; "
        "enlarge 'request'");
  }
  if (params.duration("sample_timeout") < params.duration("stall_timeout")) {
    return base::invalid("'sample_timeout' is shorter than 'stall_timeout'");
  }
  return {};
}

Estimate estimate(const Params& params) {
  const auto samples = params.count("samples");
  // Downloads and uploads, guessed at 100 Mbps; a zero-byte request is a second at the most.
  const auto bytes = params.bytes("transfer").count + params.bytes("warmup").count;
  const auto expected = (base::Nanos(bytes * 80) * 2 + std::chrono::seconds(1)) * samples;
  const auto limit =
      (params.duration("sample_timeout") + params.duration("connect_timeout")) * 3 * samples +
      std::chrono::minutes(1);
  return {expected, limit, static_cast<std::uint32_t>(samples)};
}

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

const ProbeSpec& internetSpec() {
  using model::Better;
  using model::Unit;
  static const ProbeSpec spec{
      .name = "internet",
      .protocol = 1,
      .summary =
          "one HTTP/1.1 stream at a time to a speed test server: download, upload, "
          "zero-byte request",
      .params =
          {
              {"service",
               ParamKind::kChoice,
               ParamPart::kProfile,
               "librespeed",
               "how the server is spoken to",
               0,
               0,
               {"librespeed", "cloudflare"}},
              {"url", ParamKind::kText, ParamPart::kProfile, "",
               "folder of the server's scripts, ends with '/'"},
              {"name", ParamKind::kText, ParamPart::kPlacement, "",
               "what people call the server, for the report"},
              {"download_path", ParamKind::kText, ParamPart::kProfile, "",
               "below 'url'; empty: the service's own (garbage.php, __down)"},
              {"upload_path", ParamKind::kText, ParamPart::kProfile, "",
               "below 'url'; empty: the service's own (empty.php, __up)"},
              {"ping_path", ParamKind::kText, ParamPart::kProfile, "",
               "of the zero-byte request, below 'url'; empty: the service's own"},
              {"transfer", ParamKind::kBytes, ParamPart::kProfile, "1GiB", "payload of one sample",
               1, 64 * base::kGiB},
              {"request", ParamKind::kBytes, ParamPart::kProfile, "32MiB",
               "payload of one request at the most", 1, 32 * base::kMiB},
              {"samples", ParamKind::kCount, ParamPart::kProfile, "3",
               "downloads, uploads and zero-byte requests, each", 1, 1000},
              {"warmup", ParamKind::kBytes, ParamPart::kProfile, "1MiB",
               "moved untimed on each sample's connection before its window", 0, 32 * base::kMiB},
              {"connect_timeout", ParamKind::kDuration, ParamPart::kProfile, "10s",
               "for name, TCP and TLS together", 10'000'000, 600 * kSecond},
              {"stall_timeout", ParamKind::kDuration, ParamPart::kProfile, "20s",
               "a request in which nothing moves for so long is given up", 10'000'000,
               3600 * kSecond},
              {"sample_timeout", ParamKind::kDuration, ParamPart::kProfile, "15m",
               "a sample over this is recorded as timed out", 10'000'000, 86'400 * kSecond},
              {"proxy",
               ParamKind::kChoice,
               ParamPart::kProfile,
               "none",
               "none, or what https_proxy and its like say in the agent's environment",
               0,
               0,
               {"none", "environment"}},
              {"allow_http", ParamKind::kFlag, ParamPart::kProfile, "false",
               "lets 'url' be plain http://"},
              {"ca_file", ParamKind::kText, ParamPart::kPlacement, "",
               "PEM file of authorities to trust instead of the system's, on the agent's host"},
          },
      .metrics =
          {
              {"internet_download_rate", Unit::kBitsPerSecond, Better::kHigher, true,
               "payload of one stream's downloads per second"},
              {"internet_upload_rate", Unit::kBitsPerSecond, Better::kHigher, true,
               "payload of one stream's uploads per second, up to the last answer's last byte"},
              {"internet_request_time", Unit::kSeconds, Better::kLower, true,
               "one zero-byte request on a new connection, from name to last byte; not a round "
               "trip"},
              {"internet_dns_time", Unit::kSeconds, Better::kLower, false,
               "part of the request time: the name"},
              {"internet_tcp_time", Unit::kSeconds, Better::kLower, false,
               "part of the request time: the TCP connection"},
              {"internet_tls_time", Unit::kSeconds, Better::kLower, false,
               "part of the request time: the TLS handshake"},
              {"internet_send_time", Unit::kSeconds, Better::kLower, false,
               "part of the request time: sending the request"},
              {"internet_first_byte_time", Unit::kSeconds, Better::kLower, false,
               "part of the request time: from the request sent to the answer's first byte"},
          },
      .estimate = estimate,
      .check = check,
  };
  return spec;
}

}  // namespace fleetmark::probes
