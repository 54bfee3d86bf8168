// The form of a spool file: records one after another, each with its own proof.
//
//   offset  size
//   0       4     "FMR1"
//   4       1     type (RecordType)
//   5       3     zero
//   8       4     number, little-endian: the chunk's number, else 0
//   12      4     length of the payload, little-endian
//   16      16    first half of SHA-256 over bytes 0..15 and the payload
//   32      n     payload, Cap'n Proto
//
// Pure: no file is touched here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fleetmark::agent::core {

enum class RecordType : std::uint8_t { kAssignment = 1, kChunk = 2, kCompletion = 3 };

inline constexpr std::size_t kRecordHeaderBytes = 32;
inline constexpr std::size_t kMaxRecordPayload = 16u * 1024 * 1024;

std::string encodeRecord(RecordType type, std::uint32_t number, std::string_view payload);

struct RecordRef {
  RecordType type = RecordType::kAssignment;
  std::uint32_t number = 0;
  std::size_t payloadOffset = 0;
  std::size_t payloadBytes = 0;
};

enum class SpoolDamage {
  kNone,
  // The file ends in something that is no record and nothing valid follows: what a write leaves
  // that was cut short. Everything before goodBytes stands.
  kTorn,
  // Valid records follow a spoiled place, or their order makes no sense.
  kCorrupt,
};

struct SpoolScan {
  std::vector<RecordRef> records;  // the valid ones before the damage
  std::size_t goodBytes = 0;
  SpoolDamage damage = SpoolDamage::kNone;
};

// The order must be: assignment, chunks 0, 1, 2, ..., at most one completion at the end.
SpoolScan scanSpool(std::string_view bytes);

// The whole record at `offset`; false when there is none. Used to check what is read back.
bool readRecord(std::string_view bytes, std::size_t offset, RecordRef& out);

}  // namespace fleetmark::agent::core
