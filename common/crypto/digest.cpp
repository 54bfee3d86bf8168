#include "common/crypto/digest.h"

#include <openssl/evp.h>

#include "common/base/check.h"
#include "common/base/hex.h"

namespace fleetmark::crypto {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  FM_CHECK(state_->context != nullptr);
  FM_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  FM_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
  std::string out(32, '\0');
  unsigned size = 0;
  FM_CHECK(EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(out.data()),
                              &size) == 1);
  FM_CHECK(size == 32);
  return out;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

std::string sha256Hex(std::string_view bytes) { return base::toHex(sha256(bytes)); }

}  // namespace fleetmark::crypto
