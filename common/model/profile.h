// A profile is what two measurements must have in common to be compared: the probe, its protocol
// version and its resolved parameters. Runner, provider, labels, paths and credentials are not in.
//
// Canonical form: one JSON object {"params":{...},"probe":"...","protocol":N}, keys sorted by
// byte value, no white space, numbers are integers (durations in ns, sizes in bytes), UTF-8.
// Fingerprint: the first 12 hexadecimal digits of the SHA-256 of that text.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"

namespace fleetmark::model {

struct Profile {
  std::string probe;
  std::int64_t protocol = 0;
  std::string canonicalJson;
  std::string fingerprint;

  bool operator==(const Profile&) const = default;
};

// paramsJson: a JSON object with integer, string and boolean values. kInvalid when it is not.
base::Result<Profile> makeProfile(const std::string& probe, std::int64_t protocol,
                                  const std::string& paramsJson);

}  // namespace fleetmark::model
