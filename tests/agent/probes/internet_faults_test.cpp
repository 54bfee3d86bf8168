// Servers that misbehave: each fault gives an unavailable sample with its stage, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <sstream>

#include "tests/agent/probes/internet_fixture.h"
#include "tests/support/tcp_proxy.h"

namespace fleetmark::agent::probes {
namespace {

using model::Verdict;
using ::testing::HasSubstr;
using ::testing::Not;

// What each kind of sample must say; empty: it is ok.
struct Fault {
  const char* behaviour;
  const char* request;
  const char* download;
  const char* upload;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.behaviour; }

class InternetFaults : public testing::InternetFixture,
                       public ::testing::WithParamInterface<Fault> {
 protected:
  void expectSample(const char* metric, const std::string& reason) {
    SCOPED_TRACE(metric);
    const auto samples = sink_.of(metric);
    ASSERT_EQ(samples.size(), 1U);
    if (reason.empty()) {
      EXPECT_EQ(samples[0].verdict, Verdict::kOk) << everyReason();
      EXPECT_TRUE(samples[0].value);
      return;
    }
    EXPECT_EQ(samples[0].verdict, Verdict::kUnavailable);
    EXPECT_FALSE(samples[0].value);
    ASSERT_EQ(samples[0].reasons.size(), 1U);
    EXPECT_THAT(samples[0].reasons[0], HasSubstr(reason));
  }
};

TEST_P(InternetFaults, AreUnavailableAndNamed) {
  const auto& fault = GetParam();
  support::FaultServer server(folder_.path(), certificates_);
  if (std::string(fault.behaviour) == "stall" || std::string(fault.behaviour) == "silent") {
    set("stall_timeout_ns", 1'000'000'000);
  }
  set("warmup_bytes", std::string(fault.behaviour) == "limited" ? 1 << 20 : 0);
  auto status = run(server.url(fault.behaviour));
  EXPECT_TRUE(status) << "all was attempted";
  expectSample("internet_request_time", fault.request);
  expectSample("internet_download_rate", fault.download);
  expectSample("internet_upload_rate", fault.upload);
}

constexpr const char* kForbidden = "answered 403 Forbidden";
constexpr const char* kMoved = "answered 302 Found and pointed to https://other.example/x;";
constexpr const char* kOld = "answered with HTTP/1.0";
constexpr const char* kGone = "closed the connection";
constexpr const char* kStalled = "nothing moved for 1s";
constexpr const char* kShort = "download, request 1 of 2: the answer ended after 524288 of 4194304";

INSTANTIATE_TEST_SUITE_P(
    Server, InternetFaults,
    ::testing::Values(
        Fault{"ok", "", "", ""}, Fault{"interim", "", "", ""},
        Fault{"early", "", "", "upload, request 1 of 2: the server answered when it had"},
        Fault{"early-close", "", "", "upload, request 1 of 2: "},
        Fault{"large", "", "", "upload, request 1 of 2: "},
        Fault{"close-midway", "", kShort, "upload, request 1 of 2: the connection broke after"},
        Fault{"short", "", kShort, ""},
        Fault{"short-chunks", "", "the answer ended after 4194303 of 4194304", ""},
        Fault{"long", "", "the answer is longer than the 4194304 bytes asked for", ""},
        Fault{"wrong-length", "", "the answer is to have 4194305 bytes", ""},
        Fault{"gzip", "", "content encoding gzip", ""}, Fault{"stall", "", kStalled, kStalled},
        Fault{"silent", kStalled, kStalled, kStalled},
        Fault{"forbidden", kForbidden, kForbidden, kForbidden},
        Fault{"moved", kMoved, kMoved, kMoved}, Fault{"old", kOld, kOld, kOld},
        Fault{"limited", "", "request 2 of 2: answered 429 Too Many Requests, retry after 30",
              "request 2 of 2: answered 429"},
        Fault{"broken", "answered 503", "answered 503", "answered 503"},
        Fault{"gone", kGone, kGone, kGone},
        Fault{"reset", "request: ", "request, warm-up: ", "request, warm-up: "},
        Fault{"flood", "head is longer", "head is longer", "head is longer"},
        Fault{"talkative", "5 bytes, asked for were 0", "5 bytes, asked for were 0",
              "5 bytes, asked for were 0"},
        Fault{"oneshot", "", "request 1 of 2: the server had closed the connection",
              "request 1 of 2: the server had closed the connection"}),
    [](const auto& param) {
      std::string name = param.param.behaviour;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_F(InternetFaults, ChangedContentIsUnverified) {
  support::FaultServer server(folder_.path(), certificates_);
  ASSERT_TRUE(run(server.url("corrupt")));
  const auto sample = sink_.of("internet_download_rate").at(0);
  EXPECT_EQ(sample.verdict, Verdict::kUnverified);
  EXPECT_THAT(sample.reasons.at(0), HasSubstr("byte 1049576 differs"));  // 1 MiB and 1,000
  EXPECT_EQ(sink_.of("internet_upload_rate").at(0).verdict, Verdict::kOk);
}

// librespeed/speedtest-cli#103: an upload that counted what its own kernel had buffered.
TEST_F(InternetFaults, UploadCountsNothingThatTheServerHasNotAnswered) {
  support::FaultServer server(folder_.path(), certificates_);
  ASSERT_TRUE(run(server.url("ok")));
  std::int64_t taken = 0;
  std::set<std::string> sums;
  std::istringstream lines(testing::contentOf(server.log()));
  for (std::string text; std::getline(lines, text);) {
    auto line = nlohmann::json::parse(text);
    if (line["method"] != "POST") continue;
    taken += line["bytes"].get<std::int64_t>();
    if (line["bytes"] == 4 << 20) sums.insert(line["sha256"]);
  }
  auto about = contextOf("internet_upload_rate");
  EXPECT_EQ(taken, about["moved_bytes"].get<std::int64_t>() + (1 << 20)) << "and the warm-up";
  EXPECT_EQ(sums, std::set<std::string>{about["body_sha256"]});
}

// librespeed/speedtest#361: answers of 413 were counted as uploads.
TEST_F(InternetFaults, RefusedUploadsHaveNoScore) {
  support::FaultServer server(folder_.path(), certificates_);
  ASSERT_TRUE(run(server.url("large")));
  const auto sample = sink_.of("internet_upload_rate").at(0);
  EXPECT_EQ(sample.verdict, Verdict::kUnavailable);
  EXPECT_FALSE(sample.value);
}

TEST_F(InternetFaults, SecretsInARedirectAreNotRepeated) {
  support::FaultServer server(folder_.path(), certificates_);
  ASSERT_TRUE(run(server.url("moved")));
  EXPECT_THAT(everyReason(), Not(HasSubstr("secret")));
}

TEST_F(InternetFaults, NobodyListens) {
  const int fd = support::connectLoopback(1);
  ASSERT_LT(fd, 0) << "something listens on port 1";
  ASSERT_TRUE(run("https://127.0.0.1:1/"));
  for (const auto& sample : sink_.samples) EXPECT_EQ(sample.verdict, Verdict::kUnavailable);
  EXPECT_EQ(sink_.samples.size(), 8U);
  EXPECT_EQ(contextOf("internet_request_time")["stage"], "connect") << everyReason();
}

TEST_F(InternetFaults, NameThatDoesNotExist) {  // RFC 6761: .invalid never resolves
  ASSERT_TRUE(run("https://speed.invalid/"));
  EXPECT_EQ(contextOf("internet_request_time")["stage"], "resolve") << everyReason();
}

TEST_F(InternetFaults, ServerThatNeverShakesHands) {
  support::FaultServer server(folder_.path(), certificates_);
  const auto url = server.url("ok");
  const auto port = std::stoi(url.substr(url.find(':', 8) + 1));
  support::TcpProxy proxy(static_cast<std::uint16_t>(port));
  proxy.stall();
  set("connect_timeout_ns", 1'000'000'000);
  ASSERT_TRUE(run("https://localhost:" + std::to_string(proxy.port()) + "/ok/"));
  EXPECT_EQ(contextOf("internet_request_time")["stage"], "tls") << everyReason();
  EXPECT_THAT(everyReason(), HasSubstr("no connection within 1s"));
}

TEST_F(InternetFaults, SampleOverItsLimitIsTimedOutAndTheRestIsTried) {
  support::FaultServer server(folder_.path(), certificates_);
  set("sample_timeout_ns", 400'000'000);
  ASSERT_TRUE(run(server.url("stall")));
  for (const char* metric : {"internet_download_rate", "internet_upload_rate"}) {
    EXPECT_EQ(sink_.of(metric).at(0).verdict, Verdict::kTimedOut) << everyReason();
    EXPECT_FALSE(sink_.of(metric).at(0).value);
  }
}

TEST_F(InternetFaults, SigtermEndsItWithAnIncompleteSample) {
  support::FaultServer server(folder_.path(), certificates_);
  const pid_t pid = ::fork();
  if (pid == 0) {
    platform::StopSignal::install();
    sink_.onProgress = [&](const std::string& text) {
      if (text.rfind("download", 0) == 0) ::kill(::getpid(), SIGTERM);
    };
    auto ended = run(server.url("stall"));
    const auto downloads = sink_.of("internet_download_rate");
    const bool right = !ended && downloads.size() == 1 &&
                       downloads[0].verdict == Verdict::kIncomplete &&
                       sink_.of("internet_upload_rate").empty();
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace fleetmark::agent::probes
