#include "agent/probes/internet/service.h"

#include <gtest/gtest.h>

#include "agent/probes/internet/repeat_check.h"
#include "common/base/random.h"
#include "tests/agent/probes/fakes.h"

namespace fleetmark::agent::probes::internet {
namespace {

Service serviceOf(const std::string& kind, std::map<std::string, std::string> values = {}) {
  values["service"] = "\"" + kind + "\"";
  values["url"] = R"("https://a.example/backend/")";
  return Service(testing::paramsOf("internet", values));
}

// As the clients of both services ask: LibreSpeed's takes whole MiB.
TEST(InternetService, SpeaksLibrespeed) {
  auto service = serviceOf("librespeed");
  EXPECT_EQ(service.downloadUrl({32 << 20}, "0f"),
            "https://a.example/backend/garbage.php?r=0f&ckSize=32");
  EXPECT_EQ(service.uploadUrl("0f"), "https://a.example/backend/empty.php?r=0f");
  EXPECT_EQ(service.zeroByteUrl("0f"), "https://a.example/backend/empty.php?r=0f");
  EXPECT_TRUE(service.repeatsItsBlock());
}

TEST(InternetService, SpeaksCloudflare) {
  auto service = serviceOf("cloudflare");
  EXPECT_EQ(service.downloadUrl({1001}, "0f"), "https://a.example/backend/__down?r=0f&bytes=1001");
  EXPECT_EQ(service.uploadUrl("0f"), "https://a.example/backend/__up?r=0f");
  EXPECT_EQ(service.zeroByteUrl("0f"), "https://a.example/backend/__down?r=0f&bytes=0");
  EXPECT_FALSE(service.repeatsItsBlock());
}

TEST(InternetService, TakesThePathsOfAServerEntry) {
  auto service = serviceOf("librespeed", {{"download_path", R"("garbage")"},
                                          {"upload_path", R"("up/empty")"},
                                          {"ping_path", R"("ping")"}});
  EXPECT_EQ(service.downloadUrl({1 << 20}, "1"), "https://a.example/backend/garbage?r=1&ckSize=1");
  EXPECT_EQ(service.uploadUrl("1"), "https://a.example/backend/up/empty?r=1");
  EXPECT_EQ(service.zeroByteUrl("1"), "https://a.example/backend/ping?r=1");
}

TEST(RequestSizes, CutThePayloadWithoutALoss) {
  using Sizes = std::vector<base::Bytes>;
  EXPECT_EQ(requestSizes({1 << 30}, {32 << 20}), Sizes(32, {32 << 20}));
  EXPECT_EQ(requestSizes({70}, {32}), (Sizes{{32}, {32}, {6}}));
  EXPECT_EQ(requestSizes({5}, {32}), (Sizes{{5}}));
}

TEST(AddressKind, FollowsTheRegistries) {
  for (const char* text : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_EQ(addressKind(text), AddressKind::kLoopback) << text;
  }
  for (const char* text : {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.3.4", "100.64.0.1",
                           "100.127.255.255", "fd12:3456::1", "fc00::1"}) {
    EXPECT_EQ(addressKind(text), AddressKind::kPrivate) << text;
  }
  for (const char* text : {"169.254.169.254", "fe80::1", "febf::1"}) {
    EXPECT_EQ(addressKind(text), AddressKind::kLinkLocal) << text;
  }
  for (const char* text : {"1.1.1.1", "172.15.0.1", "172.32.0.1", "192.167.0.1", "100.63.0.1",
                           "100.128.0.1", "2606:4700::1111", "fec0::1"}) {
    EXPECT_EQ(addressKind(text), AddressKind::kPublic) << text;
  }
}

std::string block() {
  std::string out(RepeatCheck::kBlock, '\0');
  base::SeededRandom(7).fill({reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  return out;
}

void feedInPieces(RepeatCheck& check, const std::string& text, std::size_t piece) {
  for (std::size_t at = 0; at < text.size(); at += piece) {
    check.feed(std::string_view(text).substr(at, piece));
  }
}

TEST(RepeatCheck, AcceptsOneBlockOverAndOverHoweverItIsCut) {
  for (std::size_t piece : {1000U, 16384U, 1048576U, 3'000'000U}) {
    RepeatCheck check;
    feedInPieces(check, block() + block() + block(), piece);
    EXPECT_FALSE(check.firstWrong()) << piece;
    EXPECT_EQ(check.compared(), 2 << 20);
    EXPECT_GT(*check.bitsPerByte(), 7.99) << "random bytes";
  }
}

TEST(RepeatCheck, FindsTheFirstByteThatDiffers) {
  std::string text = block() + block() + block();
  text[2'000'000] = static_cast<char>(text[2'000'000] ^ 1);
  text[3'000'000] = static_cast<char>(text[3'000'000] ^ 1);
  RepeatCheck check;
  feedInPieces(check, text, 16384);
  EXPECT_EQ(check.firstWrong(), 2'000'000);
}

TEST(RepeatCheck, FindsALostByte) {
  std::string text = block() + block() + block();
  text.erase(1'500'000, 1);
  RepeatCheck check;
  feedInPieces(check, text, 16384);
  ASSERT_TRUE(check.firstWrong());
  EXPECT_NEAR(static_cast<double>(*check.firstWrong()), 1'500'000, 4);  // bytes may be alike
}

TEST(RepeatCheck, KnowsTextFromNoise) {
  RepeatCheck check;
  check.feed("aabb");  // one bit tells a from b
  EXPECT_DOUBLE_EQ(*check.bitsPerByte(), 1);
  check.reset();
  EXPECT_FALSE(check.bitsPerByte());
}

}  // namespace
}  // namespace fleetmark::agent::probes::internet
