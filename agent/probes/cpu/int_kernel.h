// fleetmark-int, version 1: the integer work that the cpu probe counts.
//
// One iteration goes over a fixed data set of 2,000 bytes: a linked list is searched, reversed and
// merge-sorted; two 9x9 matrices are added to, multiplied and reduced; a state machine scans text
// for numbers, twice, with damage in between. A CRC-32 over the results must equal kCheck. Every
// iteration leaves the data set as it found it, so each one does the same work. Only unsigned
// arithmetic of fixed width is used: the value depends on no compiler, byte order or word size.
//
// The version names the work: whoever changes a step raises it, and the probe's protocol with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fleetmark::agent::probes::cpu {

inline constexpr std::string_view kKernelName = "fleetmark-int";
inline constexpr int kKernelVersion = 1;

class IntKernel {
 public:
  // CRC-32 of one iteration, from an independent implementation in another language.
  static constexpr std::uint32_t kCheck = 0x277a0526;

  IntKernel();
  // No allocation, no system call, no floating point. Returns the CRC-32 of the results.
  std::uint32_t iterate();

  static constexpr std::size_t dataSetBytes() { return sizeof(Data); }
  // Standard CRC-32 (reflected 0xEDB88320), bit by bit, over the bytes of `value` from the lowest.
  static std::uint32_t crc(std::uint32_t state, std::uint32_t value, int bytes);

 private:
  static constexpr std::size_t kNodes = 83;
  static constexpr std::size_t kSide = 9;
  static constexpr std::size_t kTextBytes = 688;
  static constexpr std::uint16_t kEnd = 0xffff;

  struct Node {
    std::uint16_t next;
    std::uint16_t key;
    std::uint16_t rank;  // place in the original order
    std::uint16_t info;
  };
  struct Data {
    std::array<Node, kNodes> nodes;              // 664 bytes
    std::array<std::uint16_t, kSide * kSide> a;  // 162
    std::array<std::uint16_t, kSide * kSide> b;  // 162
    std::array<std::uint32_t, kSide * kSide> c;  // 324
    std::array<std::uint8_t, kTextBytes> text;   // 688
  };
  static_assert(sizeof(Data) == 2000);
  enum class SortBy { kKey, kRank };

  std::uint32_t listWork(std::uint32_t state);
  std::uint32_t matrixWork(std::uint32_t state);
  std::uint32_t textWork(std::uint32_t state);
  std::uint16_t sorted(std::uint16_t head, SortBy by);
  std::uint16_t reversed(std::uint16_t head);
  std::uint32_t scan(std::uint32_t state) const;

  Data data_;
  std::uint16_t head_ = 0;
};

}  // namespace fleetmark::agent::probes::cpu
