#include "common/rpc/agent_codec.h"

#include "common/rpc/agent_wire_codec.h"
#include "common/rpc/message_bytes_codec.h"

namespace fleetmark::rpc {

std::string encodeAssignment(const model::Assignment& assignment) {
  capnp::MallocMessageBuilder message;
  toWire(assignment, message.initRoot<schema::Assignment>());
  return flatten(message);
}

base::Result<model::Assignment> decodeAssignment(std::string_view bytes) {
  return readFlat<schema::Assignment>(bytes, "a stored assignment",
                                      [](schema::Assignment::Reader r) { return fromWire(r); });
}

std::string encodeSampleChunk(const model::SampleChunk& chunk) {
  capnp::MallocMessageBuilder message;
  toWire(chunk, message.initRoot<schema::SampleChunk>());
  return flatten(message);
}

base::Result<model::SampleChunk> decodeSampleChunk(std::string_view bytes) {
  return readFlat<schema::SampleChunk>(bytes, "a stored chunk",
                                       [](schema::SampleChunk::Reader r) { return fromWire(r); });
}

std::string encodeCompletion(const model::Completion& completion) {
  capnp::MallocMessageBuilder message;
  toWire(completion, message.initRoot<schema::Completion>());
  return flatten(message);
}

base::Result<model::Completion> decodeCompletion(std::string_view bytes) {
  return readFlat<schema::Completion>(bytes, "a stored completion",
                                      [](schema::Completion::Reader r) { return fromWire(r); });
}

}  // namespace fleetmark::rpc
