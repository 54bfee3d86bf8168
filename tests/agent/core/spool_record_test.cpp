#include "agent/core/spool_record.h"

#include <gtest/gtest.h>

#include "common/base/hex.h"

namespace fleetmark::agent::core {
namespace {

std::string threeRecords() {
  return encodeRecord(RecordType::kAssignment, 0, "first") +
         encodeRecord(RecordType::kChunk, 0, "samples") +
         encodeRecord(RecordType::kCompletion, 0, "end");
}

// printf 'FMR1\x02\0\0\0\x05\0\0\0\x03\0\0\0abc' | sha256sum | head -c 32
TEST(SpoolRecord, HasTheBytesOfItsDescription) {
  std::string record = encodeRecord(RecordType::kChunk, 5, "abc");
  EXPECT_EQ(base::toHex(record),
            "464d5231"
            "02000000"
            "05000000"
            "03000000"
            "9ccd84a29925d71a585bf2dafe7e16fd"
            "616263");
}

TEST(SpoolScan, ReadsWhatWasWritten) {
  std::string bytes = threeRecords();
  SpoolScan scan = scanSpool(bytes);
  EXPECT_EQ(scan.damage, SpoolDamage::kNone);
  EXPECT_EQ(scan.goodBytes, bytes.size());
  ASSERT_EQ(scan.records.size(), 3u);
  EXPECT_EQ(bytes.substr(scan.records[1].payloadOffset, scan.records[1].payloadBytes), "samples");
}

TEST(SpoolScan, CutAtEveryByteIsTornAndKeepsTheWholeRecords) {
  std::string bytes = threeRecords();
  const std::size_t ends[] = {0, 32 + 5, 32 + 5 + 32 + 7};
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    SpoolScan scan = scanSpool(std::string_view(bytes).substr(0, length));
    std::size_t whole = length >= ends[2] ? 2 : length >= ends[1] ? 1 : 0;
    EXPECT_EQ(scan.records.size(), whole) << length;
    EXPECT_EQ(scan.goodBytes, ends[whole]) << length;
    EXPECT_EQ(scan.damage, length == ends[whole] ? SpoolDamage::kNone : SpoolDamage::kTorn)
        << length;
  }
}

TEST(SpoolScan, AnyFlippedBitBeforeTheLastRecordIsCorruption) {
  const std::string bytes = threeRecords();
  const std::size_t last = bytes.size() - 32 - 3;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string spoiled = bytes;
      spoiled[at] = static_cast<char>(spoiled[at] ^ (1 << bit));
      SpoolScan scan = scanSpool(spoiled);
      EXPECT_EQ(scan.damage, at < last ? SpoolDamage::kCorrupt : SpoolDamage::kTorn) << at;
      EXPECT_LT(scan.records.size(), 3u) << at;
    }
  }
}

TEST(SpoolScan, ZeroesAtTheEndAreTorn) {
  std::string bytes = threeRecords() + std::string(4096, '\0');
  SpoolScan scan = scanSpool(bytes);
  EXPECT_EQ(scan.damage, SpoolDamage::kTorn);
  EXPECT_EQ(scan.records.size(), 3u);
}

TEST(SpoolScan, AWrongOrderIsCorruption) {
  auto first = encodeRecord(RecordType::kAssignment, 0, "a");
  auto chunk0 = encodeRecord(RecordType::kChunk, 0, "c");
  auto chunk2 = encodeRecord(RecordType::kChunk, 2, "c");
  auto end = encodeRecord(RecordType::kCompletion, 0, "e");
  for (const auto& bytes : {chunk0, end, first + first, first + chunk2, first + chunk0 + chunk0,
                            first + end + chunk0, first + end + end}) {
    EXPECT_EQ(scanSpool(bytes).damage, SpoolDamage::kCorrupt);
  }
}

}  // namespace
}  // namespace fleetmark::agent::core
