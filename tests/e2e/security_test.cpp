// Who may do what, and who is not let in at all.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/fleet.h"

namespace fleetmark::tests::e2e {
namespace {

namespace fs = std::filesystem;

TEST(Security, AgentCertificateCannotDoAnOperatorsCalls) {
  Fleet fleet;
  fleet.startCoordinator();
  std::string identity = fleet.folder() + "/agent-identity";
  ASSERT_EQ(fleet.fleetmark({"enroll", "agent", "a", "--out", identity}).exitCode, 0);
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"status"}, {"agents"}, {"cancel", "1"}, {"sql", "select 1"}, {"report", "1"}}) {
    auto all = arguments;
    all.insert(all.end(), {"--identity", identity});
    auto result = fleet.fleetmark(all);
    EXPECT_EQ(result.exitCode, 2) << arguments[0] << result.out;
    EXPECT_NE(result.err.find("an operator's certificate is needed"), std::string::npos)
        << result.err;
  }
}

TEST(Security, OperatorCertificateCannotBeAnAgent) {
  Fleet fleet;
  fleet.startCoordinator();
  auto result = fleet.run(
      "/usr/bin/timeout",
      {"20", program("fleetmark-agent"), "run", "--coordinator", fleet.address(), "--identity",
       fleet.folder() + "/data/pki/operator", "--name", "x", "--state", fleet.folder() + "/x"});
  EXPECT_NE(result.exitCode, 0);
  EXPECT_EQ(fleet.sql("select count(*) from campaigns"), "0");
  EXPECT_NE(fleet.fleetmark({"agents"}).out.find("no agent yet"), std::string::npos);
}

TEST(Security, CertificateOfAnotherFleetIsRefusedWithAClearMessage) {
  Fleet fleet;
  fleet.startCoordinator();
  Fleet other;
  other.startCoordinator();
  auto result = fleet.fleetmark({"status", "--identity", other.folder() + "/data/pki/operator"});
  EXPECT_NE(result.exitCode, 0);
  EXPECT_FALSE(result.err.empty());
  EXPECT_EQ(fleet.fleetmark({"status"}).exitCode, 0) << "the server goes on";
}

TEST(Security, PeerWithoutCertificateReadsNoByteOfRpc) {
  Fleet fleet;
  fleet.startCoordinator();
  auto result = fleet.run("/usr/bin/timeout", {"20", "/usr/bin/openssl", "s_client", "-connect",
                                               fleet.address(), "-tls1_3", "-quiet"});
  EXPECT_NE(result.exitCode, 0);
  EXPECT_TRUE(result.out.empty());
  EXPECT_NE(result.err.find("certificate required"), std::string::npos) << result.err;
  EXPECT_EQ(fleet.fleetmark({"status"}).exitCode, 0) << "the server goes on";
}

TEST(Security, PrivateFilesAreForTheirOwnerAlone) {
  Fleet fleet;
  fleet.startCoordinator();
  for (const auto& entry : fs::recursive_directory_iterator(fleet.folder() + "/data/pki")) {
    auto mode = fs::status(entry).permissions() & fs::perms::mask;
    EXPECT_EQ(mode & (fs::perms::group_all | fs::perms::others_all), fs::perms::none)
        << entry.path();
  }
  EXPECT_EQ(fleet.log("coordinator").find("PRIVATE KEY"), std::string::npos);
}

TEST(Security, PasswordInAnArgumentIsRefused) {
  Fleet fleet;
  for (const char* text : {"host=db password=hunter2", "postgresql://me:hunter2@db/fleetmark"}) {
    auto result = fleet.run(program("fleetmark-coordinator"),
                            {"--data-dir", fleet.folder() + "/d", "--database", text});
    EXPECT_EQ(result.exitCode, 2) << result.err;
    EXPECT_NE(result.err.find("FLEETMARK_DATABASE"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("hunter2"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace fleetmark::tests::e2e
