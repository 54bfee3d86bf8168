// What an agent keeps on disk, as bytes: the same Cap'n Proto messages that go over the wire, in
// the standard stream framing. Decoding validates as for a peer.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/model/work.h"

namespace fleetmark::rpc {

std::string encodeAssignment(const model::Assignment& assignment);
base::Result<model::Assignment> decodeAssignment(std::string_view bytes);

std::string encodeSampleChunk(const model::SampleChunk& chunk);
base::Result<model::SampleChunk> decodeSampleChunk(std::string_view bytes);

std::string encodeCompletion(const model::Completion& completion);
base::Result<model::Completion> decodeCompletion(std::string_view bytes);

}  // namespace fleetmark::rpc
