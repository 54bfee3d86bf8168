// The one place that knows which libpqxx this is: 6.4 (Debian 12) to 7.x. Private to this folder,
// and the only header that includes pqxx.
#pragma once

#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace fleetmark::coordinator::store::compat {

// In text form; nullopt is NULL.
using Values = std::vector<std::optional<std::string>>;

#if PQXX_VERSION_MAJOR < 7

// null is what 6.4 makes of a null char pointer.
inline std::vector<const char*> pointers(const Values& values) {
  std::vector<const char*> out;
  out.reserve(values.size());
  for (const auto& value : values) out.push_back(value ? value->c_str() : nullptr);
  return out;
}

inline pqxx::result execPrepared(pqxx::transaction_base& tx, const std::string& name,
                                 const Values& values) {
  return tx.exec_prepared(name, pqxx::prepare::make_dynamic_params(pointers(values)));
}

inline pqxx::result execParams(pqxx::transaction_base& tx, const std::string& sql,
                               const Values& values) {
  return tx.exec_params(sql, pqxx::prepare::make_dynamic_params(pointers(values)));
}

#else

inline pqxx::params toParams(const Values& values) {
  pqxx::params out;
  out.reserve(values.size());
  for (const auto& value : values) {
    if (value) {
      out.append(*value);
    } else {
      out.append();
    }
  }
  return out;
}

inline pqxx::result execPrepared(pqxx::transaction_base& tx, const std::string& name,
                                 const Values& values) {
#if PQXX_VERSION_MAJOR > 7 || PQXX_VERSION_MINOR >= 10
  return tx.exec(pqxx::prepped{name}, toParams(values));
#else
  return tx.exec_prepared(name, toParams(values));
#endif
}

inline pqxx::result execParams(pqxx::transaction_base& tx, const std::string& sql,
                               const Values& values) {
#if PQXX_VERSION_MAJOR > 7 || PQXX_VERSION_MINOR >= 10
  return tx.exec(sql, toParams(values));
#else
  return tx.exec_params(sql, toParams(values));
#endif
}

#endif

// A connection that prints nothing: every error comes back as an exception.
class QuietConnection {
 public:
  explicit QuietConnection(const std::string& connectionString)
      : connection_(connectionString), quiet_(silence(connection_)) {}
  pqxx::connection& get() { return connection_; }

 private:
#if PQXX_VERSION_MAJOR > 7 || (PQXX_VERSION_MAJOR == 7 && PQXX_VERSION_MINOR >= 10)
  struct Quiet {};
  static Quiet silence(pqxx::connection& connection) {
    connection.set_notice_handler([](pqxx::zview) noexcept {});
    return {};
  }
  pqxx::connection connection_;
  Quiet quiet_;
#else
  static std::unique_ptr<pqxx::errorhandler> silence(pqxx::connection& connection) {
#if PQXX_VERSION_MAJOR < 7
    // 6.4 would connect again by itself, without the session's settings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    connection.inhibit_reactivation(true);
#pragma GCC diagnostic pop
#endif
    return std::make_unique<pqxx::quiet_errorhandler>(connection);
  }
  pqxx::connection connection_;
  std::unique_ptr<pqxx::errorhandler> quiet_;
#endif
};

}  // namespace fleetmark::coordinator::store::compat
