// The bytes of a spool file, as they are and with the records' proofs put right.
#include "agent/core/spool_record.h"

#include <string>

#include "tests/fuzz/spool_bytes.h"
#include "tests/fuzz/target.h"

namespace fleetmark::fuzz {
namespace {

using namespace agent::core;

void check(std::string_view bytes) {
  SpoolScan scan = scanSpool(bytes);
  require(scan.goodBytes <= bytes.size(), "the good bytes are a part of the file");
  require(scan.damage != SpoolDamage::kNone || scan.goodBytes == bytes.size(),
          "without damage the whole file is good");
  std::string good;
  for (const auto& record : scan.records) {
    good += encodeRecord(record.type, record.number,
                         bytes.substr(record.payloadOffset, record.payloadBytes));
  }
  require(good == bytes.substr(0, scan.goodBytes), "records are what stands in the file");
  if (scan.damage != SpoolDamage::kTorn) return;
  SpoolScan cut = scanSpool(good);
  require(cut.damage == SpoolDamage::kNone && cut.records.size() == scan.records.size(),
          "a torn file is whole once it is cut");
  RecordRef record;
  require(!readRecord(bytes, scan.goodBytes, record), "no record stands at the torn place");
}

}  // namespace
}  // namespace fleetmark::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fleetmark;
  auto bytes = fuzz::asText(data, size);
  fuzz::check(bytes);
  fuzz::check(fuzz::withProofs(bytes));
  return 0;
}
