// Between model types and schema/common.capnp. fromWire is the only validator of what a peer sent.
#pragma once

#include <capnp/list.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/model/host.h"
#include "common/model/sample.h"
#include "schema/common.capnp.h"

namespace fleetmark::rpc {

// A text of at most `most` bytes, valid UTF-8 and without NUL; kInvalid names `what`.
base::Result<std::string> checkedText(capnp::Text::Reader text, std::size_t most,
                                      std::string_view what);
// As above and a JSON object.
base::Result<std::string> checkedJson(capnp::Text::Reader text, std::size_t most,
                                      std::string_view what);

void toWire(const base::Error& error, schema::Error::Builder out);
base::Error fromWire(schema::Error::Reader error);  // never fails; unknown codes are kInternal

void toWire(const model::Sample& sample, schema::Sample::Builder out);
base::Result<model::Sample> fromWire(schema::Sample::Reader sample);

void toWire(const model::Notice& notice, schema::Notice::Builder out);
base::Result<model::Notice> fromWire(schema::Notice::Reader notice);

schema::Outcome toWire(model::Outcome outcome);
base::Result<model::Outcome> fromWire(schema::Outcome outcome);

void toWire(const model::Labels& labels, capnp::List<schema::KeyValue>::Builder out);
base::Result<model::Labels> fromWire(capnp::List<schema::KeyValue>::Reader labels);

}  // namespace fleetmark::rpc
