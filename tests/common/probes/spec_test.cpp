#include "common/probes/spec.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace fleetmark::probes {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(ProbeSpecs, EachHasAUniqueNameAndWellFormedParts) {
  const std::regex word("^[a-z][a-z0-9_]*$");
  std::set<std::string_view> names;
  for (const ProbeSpec* spec : allSpecs()) {
    EXPECT_TRUE(names.insert(spec->name).second) << spec->name;
    EXPECT_TRUE(std::regex_match(std::string(spec->name), word)) << spec->name;
    EXPECT_GE(spec->protocol, 1) << spec->name;
    EXPECT_FALSE(spec->metrics.empty()) << spec->name;
    EXPECT_NE(spec->estimate, nullptr) << spec->name;
    EXPECT_EQ(findSpec(spec->name), spec);
    std::set<std::string_view> metrics, params;
    bool headline = false;
    for (const auto& metric : spec->metrics) {
      EXPECT_TRUE(metrics.insert(metric.name).second) << metric.name;
      EXPECT_TRUE(std::regex_match(std::string(metric.name), word)) << metric.name;
      EXPECT_FALSE(metric.help.empty()) << metric.name;
      EXPECT_EQ(spec->metric(metric.name), &metric);
      headline |= metric.headline;
    }
    EXPECT_TRUE(headline) << spec->name << " has nothing for a report's first table";
    for (const auto& param : spec->params) {
      EXPECT_TRUE(params.insert(param.name).second) << param.name;
      EXPECT_NE(param.name, "on") << "'on' names runners in a campaign";
      EXPECT_FALSE(param.help.empty()) << param.name;
    }
    EXPECT_EQ(spec->metric("no_such_metric"), nullptr);
  }
  EXPECT_EQ(findSpec("no-such-probe"), nullptr);
}

TEST(JsonKey, CarriesTheUnit) {
  ParamSpec param{"time", ParamKind::kDuration, ParamPart::kProfile, "1s", ""};
  EXPECT_EQ(jsonKey(param), "time_ns");
  param.kind = ParamKind::kBytes;
  EXPECT_EQ(jsonKey(param), "time_bytes");
  for (auto kind : {ParamKind::kCount, ParamKind::kText, ParamKind::kChoice, ParamKind::kFlag}) {
    param.kind = kind;
    EXPECT_EQ(jsonKey(param), "time");
  }
}

TEST(Params, ReadWhatTheLoaderWrote) {
  auto params = Params::parse(
      *findSpec("disk"),
      R"({"file_bytes":1048576,"min_duration_ns":5,"sample_timeout_ns":6,"samples":2})",
      R"({"path":"/mnt"})");
  ASSERT_TRUE(params) << params.error().message;
  EXPECT_EQ(params->bytes("file").count, 1048576);
  EXPECT_EQ(params->duration("min_duration"), base::Nanos(5));
  EXPECT_EQ(params->count("samples"), 2);
  EXPECT_EQ(params->text("path"), "/mnt");
}

TEST(Params, RefuseWhatAnotherVersionWouldSend) {
  const ProbeSpec& cpu = *findSpec("cpu");
  for (std::string json : {"", "[]", "{}", R"({"samples":5})", R"({"samples":"5","duration_ns":1})",
                           R"({"samples":5,"duration_ns":1.5})", R"({"samples":5,"duration":1})"}) {
    EXPECT_FALSE(Params::parse(cpu, json, "{}")) << json;
  }
  EXPECT_TRUE(Params::parse(cpu, R"({"samples":5,"duration_ns":1})", "{}"));
}

// Every parameter at its largest: the estimate must not leave the range of 64 bits.
TEST(Estimates, StayPositiveAtTheLargestParameters) {
  for (const ProbeSpec* spec : allSpecs()) {
    std::string json = "{", separator;
    for (const auto& param : spec->params) {
      bool isText = param.kind == ParamKind::kText || param.kind == ParamKind::kChoice;
      json += separator + "\"" + jsonKey(param) + "\":" +
              (isText ? "\"" + std::string(param.defaultText) + "\"" : std::to_string(param.max));
      separator = ",";
    }
    auto params = Params::parse(*spec, json + "}", "{}");
    ASSERT_TRUE(params) << params.error().message;
    auto estimate = spec->estimate(*params);
    EXPECT_GT(estimate.expected, hours(1)) << spec->name;
    EXPECT_LT(estimate.expected, hours(24 * 365 * 100)) << spec->name;
    EXPECT_GE(estimate.limit, seconds(1)) << spec->name;
  }
}

TEST(Estimates, OfTheDiskCountItsPasses) {
  // By hand: 1,024 blocks at 200 MiB/s are 5.12 s a pass, longer than min_duration; 5 samples of
  // two sequential passes, two random operations of 5 s and two passes that read back what was
  // written, and one pass to prepare: (2 x 5.12 + 2 x 5 + 2 x 5.12) x 5 + 5.12 = 157.52 s.
  auto params = Params::parse(*findSpec("disk"),
                              R"({"file_bytes":1073741824,"min_duration_ns":5000000000,)"
                              R"("sample_timeout_ns":60000000000,"samples":5})",
                              R"({"path":"/var/tmp"})");
  ASSERT_TRUE(params);
  EXPECT_EQ(findSpec("disk")->estimate(*params).expected, base::Nanos(157'520'000'000));
}

base::Status checkInternet(const std::string& change) {
  std::string json =
      R"({"service":"librespeed","url":"https://speed.example.org/backend/","download_path":"",)"
      R"("upload_path":"","ping_path":"","transfer_bytes":1073741824,"request_bytes":33554432,)"
      R"("samples":3,"warmup_bytes":1048576,"connect_timeout_ns":10000000000,)"
      R"("stall_timeout_ns":20000000000,"sample_timeout_ns":900000000000,"proxy":"none",)"
      R"("allow_http":false,"name":"","ca_file":""})";
  const auto key = change.substr(0, change.find(':') + 1);
  if (!key.empty()) {
    const auto from = json.find(key);
    EXPECT_NE(from, std::string::npos) << change;
    json.replace(from, json.find_first_of(",}", from) - from, change);
  }
  const auto& spec = *findSpec("internet");
  auto params = Params::parse(spec, json, "{}");
  EXPECT_TRUE(params) << json;
  return spec.check(*params);
}

TEST(InternetSpec, AcceptsServersWithPortPathAndLiteralAddress) {
  EXPECT_TRUE(checkInternet(""));
  for (std::string url : {"https://a.example/", "https://a.example:8443/x/y-z/",
                          "https://[2001:db8::1]/", "https://[::1]:443/", "https://192.0.2.1/b/"}) {
    EXPECT_TRUE(checkInternet(R"("url":")" + url + "\"")) << url;
  }
}

TEST(InternetSpec, RefusesUrlsThatAreNoServersFolder) {
  for (std::string url :
       {"", "a.example/", "ftp://a.example/", "HTTPS://a.example/", "https://", "https:///",
        "https://a.example", "https://a.example/x", "https://a.example/?k=v/",
        "https://a.example/#/", "https://a.example:0/", "https://a.example:65536/",
        "https://a.example:/", "https://a example/", "https://a.example/x y/", "https://-a/",
        "https://[::1/", "https://a.example/\\n/", "http://a.example/"}) {
    auto status = checkInternet(R"("url":")" + url + "\"");
    ASSERT_FALSE(status) << url;
    EXPECT_EQ(status.error().code, base::ErrorCode::kInvalid);
  }
}

TEST(InternetSpec, NeverRepeatsAPasswordOfAUrl) {
  auto status = checkInternet(R"("url":"https://user:hunter2@a.example/")");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message.find("hunter2"), std::string::npos) << status.error().message;
  EXPECT_NE(status.error().message.find("a user name or a password"), std::string::npos);
}

TEST(InternetSpec, RefusesWhatTheServiceCannotSend) {
  EXPECT_FALSE(checkInternet(R"("transfer_bytes":1000000)")) << "no whole MiB";
  EXPECT_FALSE(checkInternet(R"("warmup_bytes":1)"));
  EXPECT_FALSE(checkInternet(R"("upload_path":"/empty.php")"));
  EXPECT_FALSE(checkInternet(R"("ping_path":"x?token=1")"));
  EXPECT_FALSE(checkInternet(R"("sample_timeout_ns":1000000000)")) << "below stall_timeout";
}

TEST(Estimates, OfTheInternetAreItsPayloadAtAHundredMegabits) {
  // By hand: 1,025 MiB are 8,598,323,200 bits, 85.983232 s; twice that and a second, three times.
  const auto& spec = *findSpec("internet");
  auto params = Params::parse(
      spec,
      R"({"service":"librespeed","url":"","download_path":"","upload_path":"","ping_path":"",)"
      R"("transfer_bytes":1073741824,"request_bytes":33554432,"samples":3,"warmup_bytes":1048576,)"
      R"("connect_timeout_ns":10000000000,"stall_timeout_ns":1,"sample_timeout_ns":900000000000,)"
      R"("proxy":"none","allow_http":false,"name":"","ca_file":""})",
      "{}");
  ASSERT_TRUE(params);
  EXPECT_EQ(spec.estimate(*params).expected, base::Nanos(518'899'392'000));
}

}  // namespace
}  // namespace fleetmark::probes
