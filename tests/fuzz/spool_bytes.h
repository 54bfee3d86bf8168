// Chance does not find a SHA-256: spool bytes whose records carry the right proof.
#pragma once

#include <string>
#include <string_view>

namespace fleetmark::fuzz {

// The bytes with the proof of each record put right, as far as they can be read as records. A
// record whose byte 7 is not zero keeps what it has, and its byte 7: so damage can be said.
std::string withProofs(std::string_view bytes);

}  // namespace fleetmark::fuzz
