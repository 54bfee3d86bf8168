// The internet probe against Debian's nginx under TLS. What was asked and taken is read from
// nginx's log and files, sums are made by sha256sum.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/agent/probes/internet_fixture.h"
#include "tests/support/tcp_proxy.h"

namespace fleetmark::agent::probes {
namespace {

using testing::contentOf;
using ::testing::HasSubstr;

struct LogLine {
  std::string connection, method, path, status, answer, length;
};

std::vector<LogLine> linesOf(const std::string& log) {
  std::vector<LogLine> out;
  std::istringstream in(contentOf(log));
  LogLine one;
  while (in >> one.connection >> one.method >> one.path >> one.status >> one.answer >> one.length) {
    one.path.resize(one.path.find('?'));
    out.push_back(one);
  }
  return out;
}

std::string sha256sum(const std::string& path) {
  FILE* pipe = ::popen(("sha256sum '" + path + "'").c_str(), "r");
  char text[65] = {};
  if (pipe != nullptr) {
    static_cast<void>(!std::fread(text, 1, 64, pipe));
    ::pclose(pipe);
  }
  return text;
}

class InternetProbeOnNginx : public testing::InternetFixture {
 protected:
  void SetUp() override {
    if (!support::nginxIsInstalled()) GTEST_SKIP() << "nginx is not installed";
    nginx_ = std::make_unique<support::Nginx>(folder_.path(), certificates_);
  }
  std::vector<LogLine> requests() {
    nginx_->stop();
    return linesOf(nginx_->accessLog());
  }
  void expectAllOk() const {
    for (const auto& sample : sink_.samples) {
      EXPECT_EQ(sample.verdict, model::Verdict::kOk) << everyReason();
      ASSERT_TRUE(sample.value) << sample.metric;
    }
  }
  std::unique_ptr<support::Nginx> nginx_;
};

TEST_F(InternetProbeOnNginx, MovesTheWholePayloadOnOneConnectionASample) {
  set("samples", 2);
  auto status = run(nginx_->url() + "backend/");
  ASSERT_TRUE(status) << status.error().message;
  expectAllOk();
  ASSERT_EQ(sink_.samples.size(), 2U * 8);  // 2 rates, a time and its 5 parts
  std::map<std::string, std::vector<LogLine>> byConnection;
  for (const auto& line : requests()) byConnection[line.connection].push_back(line);
  EXPECT_EQ(byConnection.size(), 6U) << "a connection for each of 3 kinds of samples, twice";
  for (const auto& [connection, lines] : byConnection) {
    for (const auto& line : lines) EXPECT_EQ(line.status, "200");
    if (lines.size() == 1) {
      EXPECT_EQ(lines[0].method + " " + lines[0].path, "GET /backend/empty.php");
      EXPECT_EQ(lines[0].answer, "0");
      continue;
    }
    // Warm-up of 1 MiB, then 8 MiB in pieces of 4.
    ASSERT_EQ(lines.size(), 3U);
    const bool upload = lines[0].method == "POST";
    auto sizeOf = [&](const LogLine& line) { return upload ? line.length : line.answer; };
    EXPECT_EQ(lines[0].path, upload ? "/backend/empty.php" : "/backend/garbage.php");
    EXPECT_EQ(sizeOf(lines[0]), "1048576");
    EXPECT_EQ(sizeOf(lines[1]), "4194304");
    EXPECT_EQ(sizeOf(lines[2]), "4194304");
  }
}

TEST_F(InternetProbeOnNginx, RateIsDecimalAndOfThePayloadAlone) {
  ASSERT_TRUE(run(nginx_->url() + "backend/"));
  for (const char* metric : {"internet_download_rate", "internet_upload_rate"}) {
    auto about = contextOf(metric);
    EXPECT_EQ(about["moved_bytes"], 8 * 1024 * 1024);
    EXPECT_EQ(about["requests_done"], 2);
    EXPECT_EQ(about["request_ns"].size(), 2U);
    EXPECT_EQ(about["connections"], 1);
    const double window = about["window_ns"].get<double>();
    EXPECT_DOUBLE_EQ(*sink_.of(metric)[0].value, 67'108'864 / (window / 1e9)) << "8 bits a byte";
    EXPECT_EQ(
        about["request_ns"][0].get<std::int64_t>() + about["request_ns"][1].get<std::int64_t>(),
        about["window_ns"].get<std::int64_t>());
  }
  auto down = contextOf("internet_download_rate");
  EXPECT_EQ(down["compared_bytes"], 6 * 1024 * 1024) << "3 of 4 MiB, twice";
  EXPECT_GT(down["entropy_bits_per_byte"].get<double>(), 7.99);
}

TEST_F(InternetProbeOnNginx, UploadsWhatItsSeedAndSumSay) {
  set("transfer_bytes", 5 << 20);  // 4 MiB and 1 MiB
  ASSERT_TRUE(run(nginx_->url() + "backend/"));
  expectAllOk();
  auto about = contextOf("internet_upload_rate");
  std::multiset<std::uintmax_t> sizes;
  std::string largest;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(nginx_->bodies())) {
    if (!entry.is_regular_file()) continue;
    sizes.insert(entry.file_size());
    if (entry.file_size() == 4U << 20) largest = entry.path();
  }
  EXPECT_EQ(sizes, (std::multiset<std::uintmax_t>{1U << 20, 1U << 20, 4U << 20}));
  EXPECT_EQ(about["body_sha256"], sha256sum(largest));
  EXPECT_EQ(about["unacknowledged_at_answer_bytes"], 0);
  // Incompressible: random bytes have no order that deflate finds.
  FILE* pipe = ::popen(("gzip -c '" + largest + "' | wc -c").c_str(), "r");
  long packed = 0;
  ASSERT_NE(pipe, nullptr);
  ASSERT_EQ(std::fscanf(pipe, "%ld", &packed), 1);
  ::pclose(pipe);
  EXPECT_GT(packed, 4L << 20);
}

TEST_F(InternetProbeOnNginx, SpeaksToACloudflareStyleService) {
  set("service", "cloudflare");
  set("transfer_bytes", 3'001'000);
  set("request_bytes", 3'000'000);
  set("warmup_bytes", 0);
  ASSERT_TRUE(run(nginx_->url() + "cf/"));
  expectAllOk();
  std::multiset<std::string> seen;
  for (const auto& line : requests()) {
    seen.insert(line.method + line.path + " " + (line.method == "GET" ? line.answer : line.length));
  }
  // Without a warm-up a zero-byte request opens the connection.
  EXPECT_EQ(seen,
            (std::multiset<std::string>{"GET/cf/__down 0", "GET/cf/__down 0", "GET/cf/__down 0",
                                        "GET/cf/__down 3000000", "GET/cf/__down 1000",
                                        "POST/cf/__up 3000000", "POST/cf/__up 1000"}));
  EXPECT_FALSE(contextOf("internet_download_rate").contains("compared_bytes"));
}

TEST_F(InternetProbeOnNginx, ZeroByteRequestIsNewEachTimeAndSplit) {
  set("samples", 3);
  set("transfer_bytes", 1 << 20);
  ASSERT_TRUE(run(nginx_->url() + "backend/"));
  const auto totals = sink_.of("internet_request_time");
  ASSERT_EQ(totals.size(), 3U);
  for (const auto& sample : totals) {
    auto about = nlohmann::json::parse(sample.contextJson);
    EXPECT_EQ(about["tls"]["resumed"], false);
    EXPECT_THAT(about["tls"]["version"].get<std::string>(), HasSubstr("TLSv1."));
    EXPECT_EQ(about["address"], "127.0.0.1");
    EXPECT_EQ(about["address_kind"], "loopback");
    EXPECT_EQ(about["connections"], 1);
    std::int64_t sum = 0;
    for (const auto& [name, part] : about["split"].items()) {
      EXPECT_GE(part.get<std::int64_t>(), 0) << name;
      sum += part.get<std::int64_t>();
    }
    EXPECT_GT(about["split"]["tls_ns"].get<std::int64_t>(), 0);
    EXPECT_NEAR(static_cast<double>(sum) / 1e9, *sample.value, 1e-9);
  }
  std::vector<std::string> said;  // a busy machine may have a notice of its CPU as well
  for (const auto& notice : sink_.notices) {
    if (notice.stage == "internet/address") said.push_back(notice.message);
  }
  ASSERT_EQ(said.size(), 1U) << "once a run, not once a sample";
  EXPECT_THAT(said[0], HasSubstr("127.0.0.1 is a loopback one"));
}

TEST_F(InternetProbeOnNginx, PlainHttpHasNoTlsFigure) {
  set("allow_http", true);
  ASSERT_TRUE(run(nginx_->plainUrl() + "backend/"));
  expectAllOk();
  EXPECT_TRUE(sink_.of("internet_tls_time").empty());
  EXPECT_FALSE(contextOf("internet_request_time").contains("tls"));
}

struct Refusal {
  const char* name;
  const char* certificate;
  const char* path;
  const char* stage;
  const char* reason;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class InternetProbeRefused : public InternetProbeOnNginx,
                             public ::testing::WithParamInterface<Refusal> {};

TEST_P(InternetProbeRefused, IsUnavailableWithStageAndReason) {
  const auto& refusal = GetParam();
  auto status = run(nginx_->url(refusal.certificate) + refusal.path);
  EXPECT_TRUE(status) << "all was attempted: " << status.error().message;
  const auto uploads = sink_.of("internet_upload_rate");
  ASSERT_EQ(uploads.size(), 1U);
  EXPECT_EQ(uploads[0].verdict, model::Verdict::kUnavailable);
  EXPECT_FALSE(uploads[0].value);
  ASSERT_EQ(uploads[0].reasons.size(), 1U);
  EXPECT_THAT(uploads[0].reasons[0], HasSubstr(refusal.reason));
  EXPECT_EQ(contextOf("internet_upload_rate")["stage"], refusal.stage);
  EXPECT_EQ(sink_.of("internet_download_rate").size(), 1U);
  EXPECT_EQ(sink_.of("internet_request_time").size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Nginx, InternetProbeRefused,
    ::testing::Values(Refusal{"Expired", "expired", "backend/", "tls", "expired"},
                      Refusal{"OtherName", "other-name", "backend/", "tls", "localhost"},
                      Refusal{"OtherAuthority", "other-authority", "backend/", "tls", "issuer"},
                      Refusal{"TooLarge", "good", "small/", "upload", "answered 413"},
                      Refusal{"Forbidden", "good", "closed/", "upload", "answered 403"},
                      Refusal{"Missing", "good", "nowhere/", "upload", "answered 40"},
                      Refusal{"AnswersBeforeTheBody", "good", "early/", "upload",
                              "answered when it had"}),
    [](const auto& param) { return param.param.name; });

TEST_F(InternetProbeOnNginx, RefusalsAreNeverTriedAgain) {
  ASSERT_TRUE(run(nginx_->url() + "closed/"));
  EXPECT_EQ(requests().size(), 3U) << contentOf(nginx_->accessLog());
}

TEST_F(InternetProbeOnNginx, ProxyOfTheEnvironmentIsLeftAlone) {
  ::setenv("https_proxy", "http://127.0.0.1:1", 1);
  ASSERT_TRUE(run(nginx_->url() + "backend/"));
  expectAllOk();
  ::unsetenv("https_proxy");
}

TEST_F(InternetProbeOnNginx, ProxyOfTheEnvironmentIsUsedWhenAsked) {
  ::setenv("https_proxy", "http://127.0.0.1:1", 1);
  ::unsetenv("no_proxy");
  ::unsetenv("NO_PROXY");
  set("proxy", "environment");
  ASSERT_TRUE(run(nginx_->url() + "backend/"));
  ::unsetenv("https_proxy");
  EXPECT_EQ(sink_.of("internet_upload_rate")[0].verdict, model::Verdict::kUnavailable);
  EXPECT_EQ(contextOf("internet_upload_rate")["stage"], "connect") << everyReason();
}

TEST_F(InternetProbeOnNginx, WrongAuthorityFileIsSaid) {
  set("ca_file", folder_.path() + "/none.pem");
  ASSERT_TRUE(run(nginx_->url() + "backend/"));
  EXPECT_EQ(contextOf("internet_upload_rate")["stage"], "tls") << everyReason();
  EXPECT_THAT(everyReason(), HasSubstr("none.pem"));
}

}  // namespace
}  // namespace fleetmark::agent::probes
