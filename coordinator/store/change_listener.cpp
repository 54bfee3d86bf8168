#include "coordinator/store/change_listener.h"

#include "coordinator/store/connection_string.h"
#include "coordinator/store/pqxx_compat.h"
#include "coordinator/store/session.h"

namespace fleetmark::coordinator::store {

namespace {

class Receiver final : public pqxx::notification_receiver {
 public:
  explicit Receiver(pqxx::connection& connection)
      : pqxx::notification_receiver(connection, "fleetmark_change") {}
  void operator()(const std::string& payload, int) override {
    if (payload != self) heard = true;
  }

  std::string self;
  bool heard = false;
};

class PostgresChangeListener final : public ports::ChangeListener {
 public:
  explicit PostgresChangeListener(std::string connectionString)
      : connectionString_(std::move(connectionString)) {}

  base::Result<bool> wait(const std::string& self, base::Nanos limit) override {
    try {
      if (!receiver_) {
        FM_TRY(connect());
        return true;  // what was announced before is not known
      }
      receiver_->self = self;
      receiver_->heard = false;
      auto us = std::chrono::duration_cast<std::chrono::microseconds>(limit).count();
      connection_->raw().await_notification(us / 1'000'000, us % 1'000'000);
      return receiver_->heard;
    } catch (...) {
      auto error = currentError();
      receiver_.reset();
      connection_.reset();
      return error;
    }
  }

 private:
  base::Status connect() {
    FM_TRY_ASSIGN(auto string, withOptions(connectionString_, {{"client_encoding", "UTF8"}},
                                           {{"connect_timeout", "3"},
                                            {"tcp_user_timeout", "5000"},
                                            {"keepalives_idle", "5"},
                                            {"application_name", "fleetmark-listener"}}));
    connection_ = std::make_unique<Connection>(string);
    receiver_ = std::make_unique<Receiver>(connection_->raw());
    return {};
  }

  std::string connectionString_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Receiver> receiver_;  // before its connection
};

}  // namespace

std::unique_ptr<ports::ChangeListener> openChangeListener(const std::string& connectionString) {
  return std::make_unique<PostgresChangeListener>(connectionString);
}

}  // namespace fleetmark::coordinator::store
