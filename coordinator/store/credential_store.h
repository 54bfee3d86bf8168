// Certificates that were issued. Private to this folder.
#pragma once

#include <optional>
#include <string>

#include "coordinator/ports/store.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

class PostgresCredentialStore final : public ports::CredentialStore {
 public:
  explicit PostgresCredentialStore(Session& session) : session_(session) {}
  // kConflict: this serial number was issued before.
  base::Status insert(const ports::Credential& credential) override;
  base::Result<std::optional<ports::Credential>> find(const std::string& serial) override;

 private:
  Session& session_;
};

}  // namespace fleetmark::coordinator::store
