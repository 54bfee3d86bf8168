// A run of the internet probe against a server of the test.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/agent/probes/fakes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/web_servers.h"

namespace fleetmark::agent::probes::testing {

inline std::string contentOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class InternetFixture : public ::testing::Test {
 protected:
  // As JSON text, like all parameters of tests.
  void set(const std::string& key, const nlohmann::json& value) { values_[key] = value.dump(); }
  base::Status run(const std::string& url) {
    set("url", url);
    return runProbe("internet", values_, *platform_, clock_, sink_);
  }
  nlohmann::json contextOf(const std::string& metric) const {
    const auto samples = sink_.of(metric);
    return samples.empty() ? nlohmann::json() : nlohmann::json::parse(samples[0].contextJson);
  }
  std::string everyReason() const {
    std::string out;
    for (const auto& sample : sink_.samples) {
      for (const auto& reason : sample.reasons) out += sample.metric + ": " + reason + "\n";
    }
    return out;
  }

  tests::TemporaryFolder folder_;
  support::WebCertificates certificates_{folder_.path()};
  std::unique_ptr<Platform> platform_ = makePlatform();
  base::SystemClock clock_;
  KeepingSink sink_;
  // Small and quick; limits that no busy machine reaches by itself.
  std::map<std::string, std::string> values_{
      {"service", R"("librespeed")"},
      {"transfer_bytes", "8388608"},
      {"request_bytes", "4194304"},
      {"samples", "1"},
      {"warmup_bytes", "1048576"},
      {"connect_timeout_ns", "60000000000"},
      {"stall_timeout_ns", "60000000000"},
      {"sample_timeout_ns", "120000000000"},
      {"proxy", R"("none")"},
      {"ca_file", nlohmann::json(certificates_.authority()).dump()}};
};

}  // namespace fleetmark::agent::probes::testing
