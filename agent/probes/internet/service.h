// Where a speed test server takes requests, and how a payload is cut into them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/units.h"
#include "common/probes/spec.h"

namespace fleetmark::agent::probes::internet {

enum class ServiceKind { kLibrespeed, kCloudflare };

class Service {
 public:
  explicit Service(const fleetmark::probes::Params& params);

  // `mark`: hexadecimal, so that no cache on the way has the answer. size: whole MiB with
  // kLibrespeed.
  std::string downloadUrl(base::Bytes size, const std::string& mark) const;
  std::string uploadUrl(const std::string& mark) const;
  std::string zeroByteUrl(const std::string& mark) const;
  // A librespeed server repeats one block of 1 MiB through an answer; the other kind of server
  // promises a number of bytes alone.
  bool repeatsItsBlock() const { return kind_ == ServiceKind::kLibrespeed; }

 private:
  ServiceKind kind_;
  std::string url_;
  std::string download_;
  std::string upload_;
  std::string ping_;
};

// Requests of `most` bytes and a last one of the rest.
std::vector<base::Bytes> requestSizes(base::Bytes payload, base::Bytes most);

// What kind of network a numeric address belongs to.
enum class AddressKind { kPublic, kPrivate, kLinkLocal, kLoopback };
std::string_view wordOf(AddressKind kind);  // "public", "private", "link-local", "loopback"
// IPv4 or IPv6 as inet_ntop writes it. RFC 1918, 6598 (shared), 3927, 4193, 4291.
AddressKind addressKind(const std::string& address);

}  // namespace fleetmark::agent::probes::internet
