#include "coordinator/cli/connection.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "common/platform/process.h"
#include "tests/support/temporary_folder.h"

namespace fleetmark::coordinator::cli {
namespace {

class ResolveConnection : public testing::Test {
 protected:
  // The test program runs one test a process under ctest; the variables are its own.
  ResolveConnection() {
    for (const char* name :
         {"FLEETMARK_COORDINATOR", "FLEETMARK_IDENTITY", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}) {
      ::unsetenv(name);
    }
    ::setenv("HOME", folder_.path().c_str(), 1);
  }

  // Makes an identity whose certificate's text is `mark`.
  std::string identity(const std::string& below, const std::string& mark) {
    std::string folder = folder_.path() + "/" + below;
    EXPECT_TRUE(platform::makeFolder(folder));
    for (const char* name : {"certificate.pem", "key.pem", "ca.pem"}) {
      EXPECT_TRUE(platform::writePrivateFile(folder + "/" + name, mark + " " + name));
    }
    return folder;
  }

  static std::string found(const ConnectionFlags& flags = {}) {
    auto connection = resolveConnection(flags);
    if (!connection) return "error: " + connection.error().message;
    return connection->certificatePem.substr(0, connection->certificatePem.find(' '));
  }

  tests::TemporaryFolder folder_;
};

TEST_F(ResolveConnection, TheFlagWinsOverTheVariableAndThatOverTheFolders) {
  if (platform::runningAsRoot() && platform::exists("/var/lib/fleetmark/pki/operator")) {
    GTEST_SKIP() << "a fleet of this machine would be found";
  }
  EXPECT_NE(found().find("no operator identity found"), std::string::npos);
  identity(".local/share/fleetmark/pki/operator", "data");
  EXPECT_EQ(found(), "data");
  identity(".config/fleetmark/operator", "config");
  EXPECT_EQ(found(), "config");
  ::setenv("XDG_CONFIG_HOME", (folder_.path() + "/xdg").c_str(), 1);
  EXPECT_EQ(found(), "data");
  identity("xdg/fleetmark/operator", "xdg");
  EXPECT_EQ(found(), "xdg");
  ::setenv("FLEETMARK_IDENTITY", identity("variable", "variable").c_str(), 1);
  EXPECT_EQ(found(), "variable");
  EXPECT_EQ(found({{}, identity("flag", "flag")}), "flag");
}

TEST_F(ResolveConnection, CoordinatorsComeFromFlagVariableOrThisMachine) {
  ConnectionFlags flags{{}, identity("flag", "flag")};
  EXPECT_EQ(resolveConnection(flags)->coordinators, (std::vector<std::string>{"127.0.0.1:7300"}));
  ::setenv("FLEETMARK_COORDINATOR", "a:1,b:2,,c:3,", 1);
  EXPECT_EQ(resolveConnection(flags)->coordinators,
            (std::vector<std::string>{"a:1", "b:2", "c:3"}));
  flags.coordinators = {"d:4"};
  EXPECT_EQ(resolveConnection(flags)->coordinators, (std::vector<std::string>{"d:4"}));
}

TEST_F(ResolveConnection, AnIncompleteFolderIsNamedAndNothingElseIsTried) {
  identity(".config/fleetmark/operator", "config");
  std::string half = identity("half", "half");
  ASSERT_TRUE(platform::removeTree(half + "/key.pem"));
  auto text = found({{}, half});
  EXPECT_NE(text.find(half + ": "), std::string::npos) << text;
  EXPECT_NE(text.find("key.pem"), std::string::npos) << text;
}

TEST_F(ResolveConnection, AMissingIdentitySaysWhereItWasLookedForAndWhatToDo) {
  auto text = found();
  if (text.find("error: ") != 0) GTEST_SKIP() << "a fleet of this machine was found";
  EXPECT_NE(text.find(folder_.path() + "/.config/fleetmark/operator"), std::string::npos) << text;
  EXPECT_NE(text.find("--identity FOLDER"), std::string::npos) << text;
}

}  // namespace
}  // namespace fleetmark::coordinator::cli
