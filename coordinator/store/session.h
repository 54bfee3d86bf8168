// One connection and one transaction on it, with libpqxx's exceptions turned into errors. Private
// to this folder. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "common/base/result.h"
#include "coordinator/store/sql.h"

namespace fleetmark::coordinator::store {

// What the exception now being handled means to the caller. Call inside a catch block.
base::Error currentError();

class Connection {
 public:
  // Throws what libpqxx throws.
  explicit Connection(const std::string& connectionString) : quiet_(connectionString) {}

  pqxx::connection& raw() { return quiet_.get(); }
  void prepareOnce(const Statement& statement);
  // Once true the connection must not be used again: is_open() may still say otherwise.
  bool broken() const { return broken_; }
  void markBroken() { broken_ = true; }

 private:
  compat::QuietConnection quiet_;
  std::map<std::string, const char*> prepared_;  // by name, its text
  bool broken_ = false;
};

// A transaction. After the first error every call answers that error again.
class Session {
 public:
  explicit Session(Connection& connection)
      : connection_(connection), work_(std::in_place, connection.raw()) {}
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // These throw; use them within guard().
  pqxx::result run(const Statement& statement, const Params& params = {});
  // The only row, or nothing.
  std::optional<pqxx::row> runMaybe(const Statement& statement, const Params& params = {});
  pqxx::row runOne(const Statement& statement, const Params& params = {});
  pqxx::work& work() { return *work_; }

  // fn() -> Result<T>; a libpqxx exception becomes the error.
  template <typename Fn>
  auto guard(Fn&& fn) -> std::invoke_result_t<Fn> {
    using Out = std::invoke_result_t<Fn>;
    if (failed_) return Out(*failed_);
    try {
      return fn();
    } catch (...) {
      return Out(fail());
    }
  }

  // In doubt: kUnavailable, and the connection is broken. Nothing may follow.
  base::Status commit();

 private:
  base::Error fail();  // in a catch block

  Connection& connection_;
  std::optional<pqxx::work> work_;
  std::optional<base::Error> failed_;
};

}  // namespace fleetmark::coordinator::store
