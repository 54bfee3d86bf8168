// Limits on what a peer may send. The codecs refuse more with kInvalid.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fleetmark::rpc {

inline constexpr std::size_t kMaxName = 256;          // bytes: names, words, versions
inline constexpr std::size_t kMaxMessage = 8 * 1024;  // bytes: sentences for people
inline constexpr std::size_t kMaxContextJson = 64 * 1024;
inline constexpr std::size_t kMaxEnvironmentJson = 1024 * 1024;
inline constexpr std::size_t kMaxParamsJson = 64 * 1024;
inline constexpr std::size_t kMaxJsonDepth = 64;  // objects and arrays within each other
inline constexpr std::size_t kMaxYaml = 1024 * 1024;
inline constexpr std::size_t kMaxLabels = 128;
inline constexpr std::size_t kMaxProbes = 256;
inline constexpr std::size_t kMaxReasons = 32;
inline constexpr std::size_t kMaxNotices = 1000;
inline constexpr std::size_t kMaxLeases = 64;  // in one renewal
inline constexpr std::size_t kMaxSamplesInChunk = 10'000;
inline constexpr std::size_t kMaxChunks = 100'000;  // of one attempt
inline constexpr std::size_t kMaxLogText = 64 * 1024;
inline constexpr std::size_t kTokenSize = 16;

// Of one received message: 8 MiB, nested at most 32 deep.
inline constexpr std::uint64_t kTraversalWords = 8 * 1024 * 1024 / 8;
inline constexpr int kNestingLimit = 32;

}  // namespace fleetmark::rpc
