#include "agent/probes/internet/service.h"

#include <algorithm>
#include <cstdio>

#include "common/base/check.h"

namespace fleetmark::agent::probes::internet {

namespace {

std::string orElse(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

AddressKind addressKindV4(unsigned a, unsigned b) {
  if (a == 127) return AddressKind::kLoopback;
  if (a == 169 && b == 254) return AddressKind::kLinkLocal;
  const bool local = a == 10 || (a == 172 && b >= 16 && b <= 31) || (a == 192 && b == 168) ||
                     (a == 100 && b >= 64 && b <= 127);
  return local ? AddressKind::kPrivate : AddressKind::kPublic;
}

}  // namespace

Service::Service(const fleetmark::probes::Params& params)
    : kind_(params.text("service") == "cloudflare" ? ServiceKind::kCloudflare
                                                   : ServiceKind::kLibrespeed),
      url_(params.text("url")) {
  const bool librespeed = kind_ == ServiceKind::kLibrespeed;
  download_ = orElse(params.text("download_path"), librespeed ? "garbage.php" : "__down");
  upload_ = orElse(params.text("upload_path"), librespeed ? "empty.php" : "__up");
  ping_ = params.text("ping_path");
  if (ping_.empty() && librespeed) ping_ = "empty.php";
}

std::string Service::downloadUrl(base::Bytes size, const std::string& mark) const {
  switch (kind_) {
    case ServiceKind::kLibrespeed:
      FM_CHECK(size.count % base::kMiB == 0);
      return url_ + download_ + "?r=" + mark + "&ckSize=" + std::to_string(size.count / base::kMiB);
    case ServiceKind::kCloudflare:
      return url_ + download_ + "?r=" + mark + "&bytes=" + std::to_string(size.count);
  }
  FM_CHECK(false && "unknown service");
  return {};
}

std::string Service::uploadUrl(const std::string& mark) const {
  return url_ + upload_ + "?r=" + mark;
}

std::string Service::zeroByteUrl(const std::string& mark) const {
  if (ping_.empty()) return url_ + download_ + "?r=" + mark + "&bytes=0";
  return url_ + ping_ + "?r=" + mark;
}

std::vector<base::Bytes> requestSizes(base::Bytes payload, base::Bytes most) {
  FM_CHECK(most.count > 0);
  std::vector<base::Bytes> out;
  for (std::int64_t left = payload.count; left > 0; left -= most.count) {
    out.push_back({std::min(left, most.count)});
  }
  return out;
}

std::string_view wordOf(AddressKind kind) {
  switch (kind) {
    case AddressKind::kPublic:
      return "public";
    case AddressKind::kPrivate:
      return "private";
    case AddressKind::kLinkLocal:
      return "link-local";
    case AddressKind::kLoopback:
      return "loopback";
  }
  FM_CHECK(false && "unknown kind of address");
  return {};
}

AddressKind addressKind(const std::string& address) {
  unsigned part[4] = {};
  const std::string text = address.starts_with("::ffff:") ? address.substr(7) : address;
  if (std::sscanf(text.c_str(), "%u.%u.%u.%u", &part[0], &part[1], &part[2], &part[3]) == 4) {
    return addressKindV4(part[0], part[1]);
  }
  if (address == "::1") return AddressKind::kLoopback;
  unsigned first = 0;
  if (std::sscanf(address.c_str(), "%4x:", &first) != 1) return AddressKind::kPublic;
  if ((first & 0xffc0U) == 0xfe80U) return AddressKind::kLinkLocal;
  if ((first & 0xfe00U) == 0xfc00U) return AddressKind::kPrivate;
  return AddressKind::kPublic;
}

}  // namespace fleetmark::agent::probes::internet
