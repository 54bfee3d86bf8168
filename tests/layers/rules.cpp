#include "tests/layers/rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "tests/layers/scan.h"

namespace fleetmark::layers {
namespace {

using Words = std::span<const std::string_view>;

bool startsWith(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

bool endsWith(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

bool startsWithAny(std::string_view text, Words heads) {
  return std::any_of(heads.begin(), heads.end(),
                     [text](std::string_view head) { return startsWith(text, head); });
}

// A folder of the house and the folders whose headers it may include, itself apart.
struct Room {
  std::string_view folder;
  std::span<const std::string_view> sees;
};

constexpr std::string_view kCrypto[] = {"common/base"};
constexpr std::string_view kModel[] = {"common/base", "common/crypto"};
constexpr std::string_view kProbes[] = {"common/base", "common/crypto", "common/model",
                                        "common/stats"};
constexpr std::string_view kCommonRpc[] = {"common/base",  "common/crypto", "common/model",
                                           "common/stats", "common/probes", "common/platform",
                                           "schema"};
constexpr std::string_view kDomain[] = {"common/base", "common/crypto", "common/model",
                                        "common/stats", "common/probes"};
constexpr std::string_view kPorts[] = {"common/base",  "common/crypto", "common/model",
                                       "common/stats", "common/probes", "coordinator/domain"};
constexpr std::string_view kService[] = {
    "common/base",        "common/crypto",      "common/model",
    "common/stats",       "common/probes",      "common/platform",
    "coordinator/domain", "coordinator/loader", "coordinator/ports"};
constexpr std::string_view kIdentity[] = {"common/base",        "common/crypto",
                                          "common/model",       "common/platform",
                                          "coordinator/domain", "coordinator/ports"};
constexpr std::string_view kReport[] = {"common/base",      "common/crypto", "common/model",
                                        "common/stats",     "common/probes", "coordinator/domain",
                                        "coordinator/ports"};
constexpr std::string_view kCompare[] = {"common/base", "common/model", "common/stats",
                                         "coordinator/report"};
constexpr std::string_view kCoordinatorRpc[] = {
    "common/base",        "common/crypto",     "common/model",       "common/stats",
    "common/probes",      "common/platform",   "common/rpc",         "schema",
    "coordinator/domain", "coordinator/ports", "coordinator/service"};
constexpr std::string_view kCli[] = {
    "common/base",       "common/crypto",      "common/model",       "common/stats",
    "common/probes",     "common/platform",    "coordinator/domain", "coordinator/loader",
    "coordinator/ports", "coordinator/report", "coordinator/compare"};
constexpr std::string_view kAgentPlatform[] = {"common/base", "common/crypto", "common/model",
                                               "common/platform"};
constexpr std::string_view kAgentProbes[] = {"common/base",   "common/crypto", "common/model",
                                             "common/stats",  "common/probes", "common/platform",
                                             "agent/platform"};
constexpr std::string_view kAgentConfig[] = {"common/base", "common/model", "common/platform"};
constexpr std::string_view kAgentCore[] = {"common/base",    "common/crypto", "common/model",
                                           "common/stats",   "common/probes", "common/platform",
                                           "agent/platform", "agent/probes",  "agent/config"};
constexpr std::string_view kAgentCli[] = {"common/base", "common/model",   "common/probes",
                                          "agent/core",  "agent/platform", "agent/probes"};
constexpr std::string_view kAgentRpc[] = {"common/base",    "common/crypto", "common/model",
                                          "common/stats",   "common/probes", "common/platform",
                                          "common/rpc",     "schema",        "agent/core",
                                          "agent/platform", "agent/probes"};

// base <- crypto <- model, stats <- probes; schema <- common/rpc; domain <- ports <- service;
// store, providers, rpc, metrics, web and cli are leaves.
constexpr std::array kRooms{
    Room{"common/base", {}},
    Room{"common/crypto", kCrypto},
    Room{"common/model", kModel},
    Room{"common/stats", kCrypto},
    Room{"common/probes", kProbes},
    Room{"common/platform", kCrypto},
    Room{"common/rpc", kCommonRpc},
    Room{"schema", {}},
    Room{"coordinator/domain", kDomain},
    Room{"coordinator/loader", kDomain},
    Room{"coordinator/ports", kPorts},
    Room{"coordinator/service", kService},
    Room{"coordinator/identity", kIdentity},
    Room{"coordinator/store", kService},
    Room{"coordinator/providers", kService},
    Room{"coordinator/metrics", kService},
    Room{"coordinator/report", kReport},
    Room{"coordinator/compare", kCompare},
    Room{"coordinator/web", kService},
    Room{"coordinator/rpc", kCoordinatorRpc},
    Room{"coordinator/cli", kCli},
    Room{"agent/platform", kAgentPlatform},
    Room{"agent/probes", kAgentProbes},
    Room{"agent/config", kAgentConfig},
    Room{"agent/core", kAgentCore},
    Room{"agent/cli", kAgentCli},
    Room{"agent/metrics", kAgentConfig},
    Room{"agent/rpc", kAgentRpc},
};

const Room* roomOf(std::string_view path) {
  for (const Room& room : kRooms) {
    if (startsWith(path, room.folder) && path.size() > room.folder.size() &&
        path[room.folder.size()] == '/') {
      return &room;
    }
  }
  return nullptr;
}

// A third-party library: how its headers begin, and where its leaf is. `inFolders` are prefixes of
// paths, `inParts` names of a folder anywhere in the path. `sourcesAnywhere`: any .cpp may use it.
struct Library {
  std::string_view name;
  std::span<const std::string_view> headers;
  std::span<const std::string_view> inFolders;
  std::span<const std::string_view> inParts;
  bool inMain = false;
  bool sourcesAnywhere = false;
};

constexpr std::string_view kRpcHeaders[] = {"kj/", "capnp/", "uv.h", "uv/"};
constexpr std::string_view kRpcFolders[] = {"schema/", "tests/"};
constexpr std::string_view kRpcParts[] = {"rpc", "web"};
constexpr std::string_view kPqxxHeaders[] = {"pqxx/", "libpq-fe.h", "postgresql/"};
constexpr std::string_view kPqxxFolders[] = {"coordinator/store/", "tests/"};
constexpr std::string_view kPrometheusHeaders[] = {"prometheus/"};
constexpr std::string_view kPrometheusParts[] = {"metrics"};
constexpr std::string_view kYamlHeaders[] = {"yaml-cpp/"};
constexpr std::string_view kYamlFolders[] = {"coordinator/loader/", "agent/config",
                                             "agent/core/config", "tests/"};
constexpr std::string_view kOpensslHeaders[] = {"openssl/"};
constexpr std::string_view kOpensslFolders[] = {"common/crypto/", "tests/"};
constexpr std::string_view kOpensslParts[] = {"rpc"};
constexpr std::string_view kCurlHeaders[] = {"curl/"};
constexpr std::string_view kCurlFolders[] = {"agent/probes/internet/", "tests/"};
constexpr std::string_view kJsonHeaders[] = {"nlohmann/"};
constexpr std::string_view kTestFolders[] = {"tests/"};
constexpr std::string_view kCliHeaders[] = {"CLI/"};
constexpr std::string_view kCliFolders[] = {"coordinator/cli/", "agent/cli/", "tests/bench/"};
constexpr std::string_view kGtestHeaders[] = {"gtest/", "gmock/"};
constexpr std::string_view kBenchHeaders[] = {"benchmark/", "grpc/", "grpcpp/", "google/protobuf/"};
constexpr std::string_view kBenchFolders[] = {"tests/bench/"};

constexpr std::array kLibraries{
    Library{"Cap'n Proto, KJ and libuv", kRpcHeaders, kRpcFolders, kRpcParts, true, false},
    Library{"PostgreSQL's client", kPqxxHeaders, kPqxxFolders, {}, false, false},
    Library{"prometheus-cpp", kPrometheusHeaders, {}, kPrometheusParts, false, false},
    Library{"yaml-cpp", kYamlHeaders, kYamlFolders, {}, false, false},
    Library{"OpenSSL", kOpensslHeaders, kOpensslFolders, kOpensslParts, false, false},
    Library{"libcurl", kCurlHeaders, kCurlFolders, {}, false, false},
    Library{"nlohmann/json", kJsonHeaders, kTestFolders, {}, false, true},
    Library{"CLI11", kCliHeaders, kCliFolders, {}, true, false},
    Library{"GoogleTest", kGtestHeaders, kTestFolders, {}, false, false},
    Library{"a library of the benchmarks", kBenchHeaders, kBenchFolders, {}, false, false},
};

constexpr std::string_view kSystemFolders[] = {
    "common/platform/posix/",   "common/platform/linux/",  "common/platform/macos/",
    "common/platform/windows/", "agent/platform/posix/",   "agent/platform/linux/",
    "agent/platform/macos/",    "agent/platform/windows/", "tests/"};

// The operating system's headers: in these folders, or anything in angle brackets that ends in .h
// and belongs to no library.
constexpr std::string_view kSystemHeaders[] = {"sys/",  "linux/", "asm/",  "net/",    "netinet/",
                                               "arpa/", "mach/",  "bits/", "windows", "win"};

constexpr std::string_view kSystemMacros[] = {
    "__linux", "__gnu_linux__", "__unix",     "__APPLE__",     "__MACH__",    "_WIN32",
    "_WIN64",  "__FreeBSD__",   "__NetBSD__", "__OpenBSD__",   "__ANDROID__", "__CYGWIN__",
    "__MINGW", "_MSC_VER",      "TARGET_OS_", "_POSIX_VERSION"};

// Headers of common/rpc that are plain C++: they know values and bytes, no library, so that the
// core of a side may store and read messages. Each is kept free of libraries by
// checkForeignInclude.
constexpr std::string_view kPlainRpcHeaders[] = {
    "common/rpc/agent_codec.h", "common/rpc/probe_pipe.h", "common/rpc/wire_limits.h",
    "common/rpc/tls_identity.h"};
constexpr std::string_view kPlainRpcReaders[] = {"agent/core", "agent/cli"};

constexpr std::string_view kSides[] = {"agent/", "common/", "coordinator/", "schema/", "tests/"};

// Generated by protoc beside its source, for the benchmarks.
bool isProtobuf(std::string_view path, std::string_view header) {
  return startsWithAny(path, kBenchFolders) && endsWith(header, ".pb.h");
}

bool hasPart(std::string_view path, std::string_view part) {
  const std::string inside = "/" + std::string(part) + "/";
  return path.find(inside) != std::string_view::npos;
}

bool isOneOf(std::string_view text, Words words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool isMain(std::string_view path) { return endsWith(path, "/main.cpp"); }

std::string_view side(std::string_view path) { return path.substr(0, path.find('/')); }

bool mayUse(const Library& library, std::string_view path) {
  if (library.inMain && isMain(path)) return true;
  if (library.sourcesAnywhere && endsWith(path, ".cpp")) return true;
  if (startsWithAny(path, library.inFolders)) return true;
  return std::any_of(library.inParts.begin(), library.inParts.end(),
                     [path](std::string_view part) { return hasPart(path, part); });
}

const Library* libraryOf(std::string_view header) {
  for (const Library& library : kLibraries) {
    if (startsWithAny(header, library.headers)) return &library;
  }
  return nullptr;
}

std::optional<std::string> checkProjectInclude(std::string_view path, std::string_view header) {
  if (isOneOf(path, kPlainRpcHeaders) &&
      (endsWith(header, ".capnp.h") ||
       (startsWith(header, "common/rpc/") && !isOneOf(header, kPlainRpcHeaders)))) {
    return "this header is kept free of Cap'n Proto: '" + std::string(header) + "'";
  }
  if (endsWith(header, ".capnp.h") && !mayUse(kLibraries[0], path)) {
    return "generated Cap'n Proto code belongs to */rpc, schema, main.cpp and tests: '" +
           std::string(header) + "'; go through a codec or an interface of plain C++";
  }
  if (side(path) == "tests") return std::nullopt;
  if (startsWith(header, "tests/")) return "a product file includes a file of tests/";
  if ((side(path) == "agent" && side(header) == "coordinator") ||
      (side(path) == "coordinator" && side(header) == "agent")) {
    return "coordinator and agent see nothing of each other: '" + std::string(header) +
           "'; what both need stands in common/";
  }
  if (isMain(path)) return std::nullopt;
  const Room* from = roomOf(path);
  const Room* to = roomOf(header);
  if (to == nullptr) {
    return "'" + std::string(header) + "' is in no folder of docs/architecture.md";
  }
  if (from == nullptr || from == to) return std::nullopt;
  if (isOneOf(from->folder, kPlainRpcReaders) && isOneOf(header, kPlainRpcHeaders)) {
    return std::nullopt;
  }
  if (!isOneOf(to->folder, from->sees)) {
    return std::string(from->folder) + " may not see " + std::string(to->folder) + " ('" +
           std::string(header) + "'); turn the dependency round or put an interface in ports";
  }
  return std::nullopt;
}

std::optional<std::string> checkForeignInclude(std::string_view path, std::string_view header) {
  if (const Library* library = libraryOf(header)) {
    if (isOneOf(path, kPlainRpcHeaders)) {
      return "this header is kept free of libraries: '" + std::string(header) + "'";
    }
    if (mayUse(*library, path)) return std::nullopt;
    return std::string(library->name) + " is not for this folder ('" + std::string(header) +
           "'); its leaf is named in docs/architecture.md";
  }
  const bool system = startsWithAny(header, kSystemHeaders) || endsWith(header, ".h");
  if (!system) {
    if (header.find('/') == std::string_view::npos && header.find('.') == std::string_view::npos) {
      return std::nullopt;  // the standard library
    }
    return "'" + std::string(header) + "' belongs to no known library; add it to tests/layers";
  }
  if (startsWithAny(path, kSystemFolders)) return std::nullopt;
  return "'" + std::string(header) +
         "' is the operating system's (or the C name of a standard header); "
         "only common/platform/<os> and agent/platform/<os> speak to it";
}

std::optional<std::string> checkCondition(std::string_view path, std::string_view condition) {
  if (startsWithAny(path, kSystemFolders)) return std::nullopt;
  for (std::string_view macro : kSystemMacros) {
    if (condition.find(macro) != std::string_view::npos) {
      return "a condition on the platform (" + std::string(macro) +
             "); choose by folder: platform/<os>";
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Violation> checkFile(std::string_view path, std::string_view text) {
  std::vector<Violation> violations;
  if (!startsWithAny(path, kSides)) return violations;
  if (side(path) != "tests" && !isMain(path) && roomOf(path) == nullptr) {
    violations.push_back(
        {std::string(path), 1,
         "this folder has no place in the house; add it to docs/architecture.md and tests/layers"});
  }
  bool onceSeen = !endsWith(path, ".h");
  for (const Directive& directive : scanDirectives(text)) {
    std::optional<std::string> what;
    switch (directive.kind) {
      case DirectiveKind::kInclude:
        what = checkForeignInclude(path, directive.value);
        break;
      case DirectiveKind::kProjectInclude:
        if (isProtobuf(path, directive.value)) break;
        what = startsWithAny(directive.value, kSides)
                   ? checkProjectInclude(path, directive.value)
                   : "a path in quotes begins at the root of the repository: '" + directive.value +
                         "'";
        break;
      case DirectiveKind::kCondition:
        what = checkCondition(path, directive.value);
        break;
      case DirectiveKind::kPragmaOnce:
        onceSeen = true;
        break;
    }
    if (what) violations.push_back({std::string(path), directive.line, *what});
  }
  if (!onceSeen) violations.push_back({std::string(path), 1, "a header without #pragma once"});
  return violations;
}

}  // namespace fleetmark::layers
