// Certificates and requests that somebody sends. What is signed carries the names of the spec,
// whatever the request says.
#include "common/crypto/certificate.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fleetmark;
  static const crypto::Validity validity{base::fromUnixNanos(1'700'000'000'000'000'000),
                                         base::fromUnixNanos(1'900'000'000'000'000'000)};
  static const auto ca = crypto::makeCa("fuzz", validity);
  auto pem = fuzz::asText(data, size);
  (void)fuzz::answered(crypto::describe(pem));
  crypto::SignSpec spec;
  spec.commonName = "agent:x:0123456789abcd";
  spec.serialHex = "0123456789abcd";
  spec.validity = validity;
  auto signedOne = crypto::signRequest(fuzz::sure(ca, "an authority can be made"), pem, spec);
  if (!fuzz::answered(signedOne)) return 0;
  auto info = crypto::describe(signedOne->certificatePem);
  const auto& made = fuzz::sure(info, "what was signed is a certificate");
  fuzz::require(made.commonName == spec.commonName && made.issuer == "fuzz" &&
                    made.serialHex == spec.serialHex && made.notAfter == validity.notAfter,
                "a certificate says what the spec says", made.commonName);
  return 0;
}
