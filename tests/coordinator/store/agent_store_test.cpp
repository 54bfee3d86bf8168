#include "tests/coordinator/store/fixture.h"

namespace fleetmark::coordinator::store {
namespace {

class AgentStore : public StoreTest {
 protected:
  std::vector<ports::AgentView> agents(base::Nanos window = std::chrono::seconds(20)) {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.agents().list(window); });
  }
};

TEST_F(AgentStore, RegistersAndListsAgents) {
  auto hello = makeHello();
  hello.wallClockNs = 0;
  auto who = enter(hello);
  EXPECT_EQ(who.agent, hello.agent);
  EXPECT_EQ(who.session, 1);
  auto all = agents();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, hello.agent);
  EXPECT_EQ(all[0].name, "agent-a");
  EXPECT_EQ(all[0].state, "online");
  EXPECT_EQ(all[0].labels, hello.labels);
  EXPECT_EQ(all[0].probes, hello.probes);
  EXPECT_EQ(all[0].version, "0.1.0");
  EXPECT_EQ(all[0].cpuModel, "Imaginary 9000");
  // A clock at the epoch is behind by all the time since.
  EXPECT_LT(all[0].clockOffset, -std::chrono::hours(24 * 365 * 50));
  EXPECT_EQ(agents(base::Nanos(0))[0].state, "offline");
}

TEST_F(AgentStore, ABusyAgentSaysWhatItDoes) {
  insert(makeCampaign());
  auto who = enter();
  ASSERT_TRUE(claim(who));
  EXPECT_EQ(agents()[0].state, "busy");
  EXPECT_EQ(agents()[0].doing, "quick: cpu measure for linux, trial 1");
}

TEST_F(AgentStore, HeartbeatsOfAnOlderSessionAreRefused) {
  auto hello = makeHello();
  auto old = enter(hello);
  auto now = enter(hello);
  auto unit = must(db_->begin(ports::Durability::kRelaxed));
  must(unit->agents().heartbeat(now.agent, now.session));
  EXPECT_EQ(unit->agents().heartbeat(old.agent, old.session).error().code,
            base::ErrorCode::kConflict);
  EXPECT_EQ(unit->agents().heartbeat(base::newUuid(), 1).error().code, base::ErrorCode::kNotFound);
  must(unit->agents().disconnected(old.agent, old.session));
  must(unit->commit());
  unit.reset();
  EXPECT_EQ(agents()[0].state, "online");
}

TEST_F(AgentStore, DisconnectedIsOfflineAtOnce) {
  auto who = enter();
  auto unit = must(db_->begin());
  must(unit->agents().disconnected(who.agent, who.session));
  must(unit->commit());
  unit.reset();
  EXPECT_EQ(agents()[0].state, "offline");
}

TEST_F(AgentStore, ARestartedAgentLosesItsLeasesAtOnce) {
  insert(makeCampaign());
  auto hello = makeHello();
  auto work = claim(enter(hello));
  enter(hello);  // reconnected: the same process
  EXPECT_FALSE(look(work->lease).leaseExpired);
  hello.instanceNonce = "start-2";
  enter(hello);
  EXPECT_TRUE(look(work->lease).leaseExpired);
  auto expired = inUnit([](ports::UnitOfWork& unit) { return unit.queue().expired(10); });
  EXPECT_EQ(expired.size(), 1u);
}

TEST_F(AgentStore, MachinesWithoutAnIdAreNotTakenForOne) {
  insert(makeCampaign(2));
  auto a = makeHello({.name = "a", .machine = ""});
  a.host.machineKey = "";
  auto b = makeHello({.name = "b", .machine = ""});
  b.host.machineKey = "";
  auto first = enter(a);
  auto second = enter(b);
  EXPECT_TRUE(claim(first));
  EXPECT_TRUE(claim(second));
}

TEST_F(AgentStore, UnknownNumbersAreNullInTheEnvironment) {
  auto hello = makeHello();
  hello.host.effectiveCpus = 0;
  hello.host.memoryBytes = 0;
  enter(hello);
  EXPECT_EQ(sql("SELECT count(*) FROM fleetmark.environment "
                "WHERE effective_cpus IS NULL AND memory_bytes IS NULL"),
            "1");
}

TEST_F(AgentStore, CredentialsAreFoundBySerial) {
  ports::Credential one{
      "0a1b", "agent", "subject", "name", base::fromUnixNanos(1'900'000'000'000'000'000), false};
  auto unit = must(db_->begin());
  must(unit->credentials().insert(one));
  auto found = must(unit->credentials().find("0a1b"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->role, "agent");
  EXPECT_EQ(found->subject, "subject");
  EXPECT_EQ(found->expiresAt, one.expiresAt);
  EXPECT_FALSE(found->revoked);
  EXPECT_FALSE(must(unit->credentials().find("ffff")));
  EXPECT_EQ(unit->credentials().insert(one).error().code, base::ErrorCode::kConflict);
}

TEST_F(AgentStore, ARoleThatIsNoneIsRefused) {
  auto unit = must(db_->begin());
  EXPECT_EQ(unit->credentials().insert({"01", "root", "s", "n", std::nullopt, false}).error().code,
            base::ErrorCode::kInvalid);
}

}  // namespace
}  // namespace fleetmark::coordinator::store
