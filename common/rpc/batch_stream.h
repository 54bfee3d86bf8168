#pragma once

#include <kj/async-io.h>

namespace fleetmark::rpc {

// Gathers the small writes of one turn of the loop into one, and reads ahead. Over TLS every write
// costs a record and a system call, and Cap'n Proto writes each message in two or more pieces: with
// many calls outstanding this is most of the time spent.
//
// A small write is done once it is copied; its failure shows at a later write or read. Nothing is
// held back longer than until the loop would sleep.
kj::Own<kj::AsyncIoStream> newBatchStream(kj::Own<kj::AsyncIoStream> inner);

}  // namespace fleetmark::rpc
