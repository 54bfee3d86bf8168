#include "coordinator/store/credential_store.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr Statement kInsert{"credential_insert", R"sql(
INSERT INTO credential (serial, role, subject, name, expires_at, revoked)
VALUES ($1, $2, $3, $4, timestamptz 'epoch' + interval_of_ns($5::bigint), $6))sql"};

constexpr Statement kFind{"credential_find", R"sql(
SELECT serial, role, subject, name, unix_ns(expires_at), revoked
FROM credential WHERE serial = $1)sql"};

}  // namespace

base::Status PostgresCredentialStore::insert(const ports::Credential& credential) {
  return session_.guard([&]() -> base::Status {
    std::optional<std::int64_t> expires;
    if (credential.expiresAt) expires = base::toUnixNanos(*credential.expiresAt);
    session_.run(kInsert, Params::of(credential.serial, credential.role, credential.subject,
                                     credential.name, expires, credential.revoked));
    return {};
  });
}

base::Result<std::optional<ports::Credential>> PostgresCredentialStore::find(
    const std::string& serial) {
  return session_.guard([&]() -> base::Result<std::optional<ports::Credential>> {
    auto row = session_.runMaybe(kFind, Params::of(serial));
    if (!row) return std::optional<ports::Credential>();
    RowReader reader(*row);
    ports::Credential out;
    out.serial = reader.text();
    out.role = reader.text();
    out.subject = reader.text();
    out.name = reader.text();
    out.expiresAt = reader.maybeTime();
    out.revoked = reader.flag();
    return std::optional<ports::Credential>(std::move(out));
  });
}

}  // namespace fleetmark::coordinator::store
