#include "tests/fuzz/spool_bytes.h"

#include "agent/core/spool_record.h"

namespace fleetmark::fuzz {

using agent::core::encodeRecord;
using agent::core::kRecordHeaderBytes;
using agent::core::RecordType;

namespace {

std::uint32_t little32(std::string_view bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 4; i > 0; --i) {
    out = (out << 8) | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return out;
}

}  // namespace

std::string withProofs(std::string_view bytes) {
  std::string out(bytes);
  std::size_t at = 0;
  while (bytes.size() - at >= kRecordHeaderBytes) {
    std::size_t length = little32(bytes, at + 12);
    if (length > bytes.size() - at - kRecordHeaderBytes) break;
    if (bytes[at + 7] == 0) {
      auto record = encodeRecord(static_cast<RecordType>(bytes[at + 4]), little32(bytes, at + 8),
                                 bytes.substr(at + kRecordHeaderBytes, length));
      out.replace(at, record.size(), record);
    }
    at += kRecordHeaderBytes + length;
  }
  return out;
}

}  // namespace fleetmark::fuzz
