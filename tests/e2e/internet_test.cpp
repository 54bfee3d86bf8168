// The internet probe in a campaign: from YAML to the report's table, beside a probe that it must
// not harm.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/e2e/fleet.h"
#include "tests/support/web_servers.h"

namespace fleetmark::tests::e2e {
namespace {

std::string contentOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string probeText(const std::string& url, const std::string& ca) {
  return "  - internet: {url: \"" + url + "\", ca_file: \"" + ca +
         "\", name: Lab, transfer: 4MiB, request: 2MiB, samples: 2}\n";
}

TEST(InternetCampaign, MeasuresOneServerAndKeepsTheRowOfAnother) {
  if (!support::nginxIsInstalled()) GTEST_SKIP() << "nginx is not installed";
  Fleet fleet;
  TemporaryFolder web;
  support::WebCertificates certificates(web.path());
  support::Nginx nginx(web.path(), certificates);
  auto campaign =
      fleet.file("c.yaml", "campaign: net\nrunners: [{name: a}]\nprobes:\n" +
                               probeText(nginx.url() + "backend/", certificates.authority()) +
                               probeText(nginx.url() + "closed/", certificates.authority()) +
                               "  - selftest: {samples: 1}\n");
  auto result = fleet.run(program("fleetmark"), {"run", campaign, "--out", "out"});
  const auto folder = fleet.folder() + "/out/";
  auto report = contentOf(folder + "report.md");
  for (const char* text : {"Download, Mbps", "Upload, Mbps", "Request time, ", "Server: Lab, ",
                           "answered 403 Forbidden", "unavailable", "0 / 2 / 2", "2 / 2 / 2"}) {
    EXPECT_NE(report.find(text), std::string::npos) << text << "\n" << report << result.err;
  }
  auto json = nlohmann::json::parse(contentOf(folder + "result.json"), nullptr, false);
  ASSERT_TRUE(json.is_object()) << result.err;
  std::map<std::string, std::string> status;
  for (const auto& one : json["results"]) {
    const auto probe = one["probe"].get<std::string>();
    const bool closed = one["metrics"][0]["completed"] == 0;
    status[probe + (closed ? " closed" : "")] = one["status"];
    for (const auto& metric : one["metrics"]) {
      if (metric["metric"] == "internet_download_rate") {
        EXPECT_EQ(metric["unit"], "bits_per_second");
      }
    }
  }
  EXPECT_EQ(status["internet"], "complete") << result.out;
  EXPECT_EQ(status["internet closed"], "unavailable") << result.out;
  EXPECT_NE(status.count("selftest"), 0U) << "a probe after it was harmed\n" << result.out;
  auto csv = contentOf(folder + "samples.csv");
  EXPECT_NE(csv.find(",internet_upload_rate,bits_per_second,1,"), std::string::npos) << csv;
}

TEST(InternetCampaign, IsRefusedWithThePlaceWhereItIsWrong) {
  Fleet fleet;
  fleet.file("c.yaml",
             "campaign: net\nrunners: [{name: a}]\nprobes:\n"
             "  - internet: {urll: \"https://a.example/\"}\n");
  auto result = fleet.run(program("fleetmark"), {"run", "c.yaml"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("unknown key 'urll' under internet; did you mean 'url'?"),
            std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace fleetmark::tests::e2e
