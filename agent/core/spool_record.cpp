#include "agent/core/spool_record.h"

#include "common/base/check.h"
#include "common/crypto/digest.h"

namespace fleetmark::agent::core {

namespace {

constexpr std::string_view kMagic = "FMR1";
constexpr std::size_t kCoveredHeader = 16;
constexpr std::size_t kProofBytes = 16;

void putU32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}

std::uint32_t getU32(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= std::uint32_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  }
  return value;
}

std::string proof(std::string_view covered, std::string_view payload) {
  crypto::Sha256 digest;
  digest.update(covered);
  digest.update(payload);
  return digest.finish().substr(0, kProofBytes);
}

bool inOrder(const std::vector<RecordRef>& before, const RecordRef& next) {
  switch (next.type) {
    case RecordType::kAssignment:
      return before.empty();
    case RecordType::kChunk:
      return !before.empty() && before.back().type != RecordType::kCompletion &&
             next.number + 1 == before.size();
    case RecordType::kCompletion:
      return !before.empty() && before.back().type != RecordType::kCompletion;
  }
  return false;
}

}  // namespace

std::string encodeRecord(RecordType type, std::uint32_t number, std::string_view payload) {
  FM_CHECK(payload.size() <= kMaxRecordPayload);
  std::string out(kMagic);
  out += static_cast<char>(type);
  out.append(3, '\0');
  putU32(out, number);
  putU32(out, static_cast<std::uint32_t>(payload.size()));
  out += proof(out, payload);
  out += payload;
  return out;
}

bool readRecord(std::string_view bytes, std::size_t offset, RecordRef& out) {
  if (offset > bytes.size() || bytes.size() - offset < kRecordHeaderBytes) return false;
  std::string_view header = bytes.substr(offset, kRecordHeaderBytes);
  if (header.substr(0, kMagic.size()) != kMagic) return false;
  auto type = static_cast<unsigned char>(header[4]);
  if (type < 1 || type > 3 || header[5] != 0 || header[6] != 0 || header[7] != 0) return false;
  std::size_t length = getU32(header, 12);
  if (length > kMaxRecordPayload || length > bytes.size() - offset - kRecordHeaderBytes) {
    return false;
  }
  std::string_view payload = bytes.substr(offset + kRecordHeaderBytes, length);
  if (proof(header.substr(0, kCoveredHeader), payload) != header.substr(kCoveredHeader)) {
    return false;
  }
  out = {static_cast<RecordType>(type), getU32(header, 8), offset + kRecordHeaderBytes, length};
  return true;
}

SpoolScan scanSpool(std::string_view bytes) {
  SpoolScan scan;
  RecordRef record;
  while (scan.goodBytes < bytes.size() && readRecord(bytes, scan.goodBytes, record)) {
    if (!inOrder(scan.records, record)) {
      scan.damage = SpoolDamage::kCorrupt;
      return scan;
    }
    scan.records.push_back(record);
    scan.goodBytes = record.payloadOffset + record.payloadBytes;
  }
  if (scan.goodBytes == bytes.size()) return scan;

  scan.damage = SpoolDamage::kTorn;
  for (std::size_t at = bytes.find(kMagic, scan.goodBytes + 1); at != std::string_view::npos;
       at = bytes.find(kMagic, at + 1)) {
    if (readRecord(bytes, at, record)) {
      scan.damage = SpoolDamage::kCorrupt;
      break;
    }
  }
  return scan;
}

}  // namespace fleetmark::agent::core
