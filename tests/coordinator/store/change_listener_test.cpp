#include "coordinator/store/change_listener.h"

#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ChangeListener : public StoreTest {
 protected:
  ChangeListener() : listener_(openChangeListener(connectionString_)) {
    must(listener_->wait("me", milliseconds(0)));  // connects
  }
  void announce(const std::string& sender) {
    auto unit = must(db_->begin());
    must(unit->events().announce(sender));
    must(unit->commit());
  }

  std::unique_ptr<ports::ChangeListener> listener_;
};

TEST_F(ChangeListener, HearsWhatOthersAnnounce) {
  announce("somebody");
  EXPECT_TRUE(must(listener_->wait("me", seconds(30))));
}

TEST_F(ChangeListener, DoesNotHearItself) {
  announce("me");
  EXPECT_FALSE(must(listener_->wait("me", milliseconds(200))));
}

TEST_F(ChangeListener, HearsNothingThatWasNotCommitted) {
  {
    auto unit = must(db_->begin());
    must(unit->events().announce("somebody"));
  }
  EXPECT_FALSE(must(listener_->wait("me", milliseconds(200))));
}

TEST_F(ChangeListener, SaysThatItMayHaveMissedSomethingAfterALostConnection) {
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE application_name = 'fleetmark-listener' AND datname = current_database()");
  auto lost = listener_->wait("me", seconds(30));
  // The server's farewell may be read before the end of the connection: then nothing was heard.
  if (lost && !*lost) lost = listener_->wait("me", seconds(30));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, base::ErrorCode::kUnavailable);
  EXPECT_TRUE(must(listener_->wait("me", seconds(30)))) << "a new connection";
  announce("somebody");
  EXPECT_TRUE(must(listener_->wait("me", seconds(30))));
}

}  // namespace
}  // namespace fleetmark::coordinator::store
