// Between model types and schema/agent.capnp. fromWire is the only validator of what a peer sent.
#pragma once

#include "common/base/result.h"
#include "common/model/work.h"
#include "common/rpc/common_wire_codec.h"
#include "schema/agent.capnp.h"

namespace fleetmark::rpc {

void toWire(const model::LeaseRef& lease, schema::LeaseRef::Builder out);
base::Result<model::LeaseRef> fromWire(schema::LeaseRef::Reader lease);

void toWire(const model::AgentHello& hello, schema::AgentHello::Builder out);
// The agent's id comes from its certificate, not from the message.
base::Result<model::AgentHello> fromWire(schema::AgentHello::Reader hello, base::AgentId agent);

void toWire(const model::Assignment& assignment, schema::Assignment::Builder out);
base::Result<model::Assignment> fromWire(schema::Assignment::Reader assignment);

void toWire(const model::SampleChunk& chunk, schema::SampleChunk::Builder out);
base::Result<model::SampleChunk> fromWire(schema::SampleChunk::Reader chunk);

void toWire(const model::Completion& completion, schema::Completion::Builder out);
base::Result<model::Completion> fromWire(schema::Completion::Reader completion);

schema::RenewAnswer toWire(model::RenewAnswer answer);
base::Result<model::RenewAnswer> fromWire(schema::RenewAnswer answer);
schema::ArriveAnswer toWire(model::ArriveAnswer answer);
base::Result<model::ArriveAnswer> fromWire(schema::ArriveAnswer answer);
schema::IngestAnswer toWire(model::IngestAnswer answer);
base::Result<model::IngestAnswer> fromWire(schema::IngestAnswer answer);

}  // namespace fleetmark::rpc
