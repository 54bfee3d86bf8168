// The walls of docs/architecture.md hold in this repository, and the checker sees planted breaches.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/layers/rules.h"

namespace fleetmark::layers {
namespace {

namespace fs = std::filesystem;

std::string include(std::string_view target) { return "#include " + std::string(target) + "\n"; }

struct Case {
  std::string_view path;
  std::string_view target;  // with its marks
};

TEST(Layers, HoldInEveryFile) {
  const char* root = std::getenv("FLEETMARK_SOURCE");
  ASSERT_NE(root, nullptr) << "ctest sets FLEETMARK_SOURCE to the root of the repository";
  int files = 0;
  for (const std::string_view top : {"agent", "common", "coordinator", "schema", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / top)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp")) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      const std::string path = fs::relative(entry.path(), root).generic_string();
      for (const Violation& violation : checkFile(path, text))
        ADD_FAILURE() << violation.describe();
      ++files;
    }
  }
  EXPECT_GT(files, 40) << "the walk found almost nothing under " << root;
}

TEST(Layers, RefuseAnIncludeThroughAWall) {
  constexpr auto kBreaches = std::to_array<Case>({
      {"common/base/a.cpp", "\"common/model/host.h\""},
      {"common/model/a.cpp", "\"common/stats/summary.h\""},
      {"common/stats/a.cpp", "\"common/model/sample.h\""},
      {"common/stats/a.cpp", "\"common/probes/spec.h\""},
      {"common/model/a.cpp", "\"coordinator/domain/states.h\""},
      {"common/rpc/a.cpp", "\"agent/core/session.h\""},
      {"agent/core/a.cpp", "\"coordinator/domain/states.h\""},
      {"agent/main.cpp", "\"coordinator/domain/states.h\""},
      {"coordinator/service/a.cpp", "\"agent/probes/probe.h\""},
      {"coordinator/domain/a.cpp", "\"coordinator/ports/store.h\""},
      {"coordinator/ports/a.h", "\"coordinator/service/ingest.h\""},
      {"coordinator/service/a.cpp", "\"coordinator/store/database.h\""},
      {"coordinator/service/a.cpp", "\"coordinator/rpc/agent_gateway.h\""},
      {"coordinator/store/a.cpp", "\"coordinator/report/report.h\""},
      {"coordinator/report/a.cpp", "\"coordinator/store/database.h\""},
      {"coordinator/rpc/a.cpp", "\"coordinator/store/database.h\""},
      {"coordinator/cli/a.cpp", "\"coordinator/store/database.h\""},
      {"agent/probes/a.cpp", "\"agent/core/spool.h\""},
      {"agent/core/a.cpp", "\"agent/rpc/client.h\""},
      {"common/base/a.cpp", "\"tests/layers/rules.h\""},
      {"common/base/a.cpp", "\"log.h\""},
      {"common/base/a.cpp", "\"misc/log.h\""},
      {"agent/core/a.cpp", "\"schema/agent.capnp.h\""},
      {"coordinator/service/a.cpp", "\"schema/common.capnp.h\""},
  });
  for (const Case& c : kBreaches) {
    EXPECT_EQ(checkFile(c.path, "#pragma once\n" + include(c.target)).size(), 1u)
        << c.path << " includes " << c.target;
  }
}

TEST(Layers, RefuseALibraryOutsideItsLeaf) {
  constexpr auto kBreaches = std::to_array<Case>({
      {"common/model/a.cpp", "<kj/common.h>"},
      {"coordinator/service/a.cpp", "<capnp/message.h>"},
      {"agent/core/a.cpp", "<uv.h>"},
      {"coordinator/service/a.cpp", "<pqxx/pqxx>"},
      {"coordinator/main.cpp", "<pqxx/pqxx>"},
      {"coordinator/rpc/a.cpp", "<prometheus/registry.h>"},
      {"coordinator/service/a.cpp", "<yaml-cpp/yaml.h>"},
      {"agent/core/session.cpp", "<yaml-cpp/yaml.h>"},
      {"common/model/a.h", "<nlohmann/json.hpp>"},
      {"common/model/a.cpp", "<openssl/evp.h>"},
      {"coordinator/service/a.cpp", "<CLI/CLI.hpp>"},
      {"common/base/a.cpp", "<gtest/gtest.h>"},
      {"tests/common/a.cpp", "<grpcpp/grpcpp.h>"},
      {"common/base/a.cpp", "<boost/asio.hpp>"},
  });
  for (const Case& c : kBreaches) {
    EXPECT_EQ(checkFile(c.path, "#pragma once\n" + include(c.target)).size(), 1u)
        << c.path << " includes " << c.target;
  }
}

TEST(Layers, KeepPlainHeadersOfRpcPlain) {
  const std::string codec = "#pragma once\n" + include("\"common/rpc/agent_codec.h\"");
  EXPECT_EQ(checkFile("agent/core/spool.cpp", codec).size(), 0u);
  EXPECT_EQ(checkFile("agent/platform/a.cpp", codec).size(), 1u);
  EXPECT_EQ(checkFile("agent/core/a.cpp", include("\"common/rpc/worker_bridge.h\"")).size(), 1u);
  for (const std::string_view target :
       {"<kj/common.h>", "\"schema/agent.capnp.h\"", "\"common/rpc/agent_wire_codec.h\""}) {
    EXPECT_EQ(checkFile("common/rpc/agent_codec.h", "#pragma once\n" + include(target)).size(), 1u)
        << target;
  }
}

TEST(Layers, RefuseTheOperatingSystemOutsidePlatformFolders) {
  constexpr auto kBreaches = std::to_array<Case>({
      {"common/base/a.cpp", "<unistd.h>"},
      {"common/platform/files.cpp", "<fcntl.h>"},
      {"agent/probes/disk.cpp", "<sys/stat.h>"},
      {"agent/core/spool.cpp", "<signal.h>"},
      {"coordinator/store/embedded.cpp", "<linux/limits.h>"},
      {"agent/platform/affinity.cpp", "<windows.h>"},
  });
  for (const Case& c : kBreaches) {
    EXPECT_EQ(checkFile(c.path, include(c.target)).size(), 1u)
        << c.path << " includes " << c.target;
  }
  for (const std::string_view condition :
       {"#ifdef __linux__\n", "#if defined(_WIN32)\n",
        "#  if defined(A) || \\\n  defined(__APPLE__)\n", "#if A\n#elif defined __unix__\n",
        "#ifndef _MSC_VER\n"}) {
    EXPECT_EQ(checkFile("agent/probes/cpu.cpp", condition).size(), 1u) << condition;
    EXPECT_EQ(checkFile("agent/platform/linux/facts.cpp", condition).size(), 0u) << condition;
  }
}

TEST(Layers, LetEveryFolderUseWhatIsItsOwn) {
  constexpr auto kAllowed = std::to_array<Case>({
      {"common/base/a.cpp", "<vector>"},
      {"common/base/a.cpp", "\"common/base/log.h\""},
      {"common/crypto/a.cpp", "<openssl/evp.h>"},
      {"common/model/a.cpp", "<nlohmann/json.hpp>"},
      {"common/rpc/a.h", "<kj/async.h>"},
      {"common/rpc/a.h", "\"schema/agent.capnp.h\""},
      {"coordinator/store/a.cpp", "<pqxx/pqxx>"},
      {"coordinator/loader/a.cpp", "<yaml-cpp/yaml.h>"},
      {"coordinator/rpc/a.cpp", "\"coordinator/service/ingest.h\""},
      {"coordinator/main.cpp", "\"coordinator/store/database.h\""},
      {"coordinator/main.cpp", "<kj/async.h>"},
      {"agent/config.cpp", "<yaml-cpp/yaml.h>"},
      {"agent/core/a.cpp", "\"agent/probes/probe.h\""},
      {"agent/platform/linux/a.cpp", "<sys/stat.h>"},
      {"common/platform/posix/a.cpp", "<unistd.h>"},
      {"tests/agent/core/a.cpp", "<unistd.h>"},
      {"tests/bench/a.cpp", "<benchmark/benchmark.h>"},
  });
  for (const Case& c : kAllowed) {
    for (const Violation& violation : checkFile(c.path, "#pragma once\n" + include(c.target))) {
      if (c.path != "agent/config.cpp") ADD_FAILURE() << violation.describe();
    }
  }
}

TEST(Layers, SeeOnlyWhatTheCompilerSees) {
  constexpr std::string_view kText =
      "// #include <unistd.h>\n"
      "/*\n#include <unistd.h>\n*/\n"
      "const char* a = R\"x(\n#include <unistd.h>\n)x\";\n"
      "const char* b = \"\\\"/*\";\n"
      "const char c = '\"';\n"
      "const int d = 1'000'000;\n"
      "  #  include <unistd.h>  // here\n";
  const auto violations = checkFile("common/base/a.cpp", kText);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].line, 11u);
}

TEST(Layers, WantAGuardInEveryHeaderAndARoomForEveryFolder) {
  EXPECT_EQ(checkFile("common/base/a.h", "int a();\n").size(), 1u);
  EXPECT_EQ(checkFile("common/base/a.h", "#pragma once\nint a();\n").size(), 0u);
  EXPECT_EQ(checkFile("common/misc/a.cpp", "int a();\n").size(), 1u);
  EXPECT_EQ(checkFile("docs/a.cpp", "#include <unistd.h>\n").size(), 0u);
}

}  // namespace
}  // namespace fleetmark::layers
