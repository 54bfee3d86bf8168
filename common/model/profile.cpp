#include "common/model/profile.h"

#include <nlohmann/json.hpp>

#include "common/crypto/digest.h"

namespace fleetmark::model {

namespace {

bool canonicalValue(const nlohmann::json& value) {
  if (value.is_object() || value.is_array()) {
    for (const auto& item : value) {
      if (!canonicalValue(item)) return false;
    }
    return true;
  }
  return value.is_number_integer() || value.is_string() || value.is_boolean();
}

}  // namespace

base::Result<Profile> makeProfile(const std::string& probe, std::int64_t protocol,
                                  const std::string& paramsJson) {
  auto params = nlohmann::json::parse(paramsJson, nullptr, false);
  if (params.is_discarded() || !params.is_object() || !canonicalValue(params)) {
    return base::invalid("parameters of probe '" + probe +
                         "' are not a JSON object of integers, texts and booleans");
  }
  nlohmann::json document{{"probe", probe}, {"protocol", protocol}, {"params", params}};
  Profile profile;
  profile.probe = probe;
  profile.protocol = protocol;
  try {
    profile.canonicalJson = document.dump();  // std::map keys: sorted by byte value
  } catch (const nlohmann::json::exception&) {
    return base::invalid("parameters of probe '" + probe + "' are not valid UTF-8");
  }
  profile.fingerprint = crypto::sha256Hex(profile.canonicalJson).substr(0, 12);
  return profile;
}

}  // namespace fleetmark::model
