@0xd3a1c7f05b9e4211;
# Types that agents, operators and the probe's pipe share.
# Ordinals only grow; nothing is deleted or retyped; enums start with unknown. See docs/rpc.md.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("fleetmark::schema");

enum ErrorCode {
  unknown @0;
  invalid @1;
  notFound @2;
  conflict @3;
  denied @4;
  unavailable @5;
  overloaded @6;
  unsupported @7;
  internal @8;
}

struct Error {
  code @0 :ErrorCode;
  message @1 :Text;
}

struct KeyValue {
  key @0 :Text;
  value @1 :Text;
}

enum Verdict {
  unknown @0;
  ok @1;
  incomplete @2;
  contended @3;
  unverified @4;
  timedOut @5;
  unavailable @6;
}

enum Outcome {
  unknown @0;
  measured @1;
  measurement @2;
  infrastructure @3;
  cancelled @4;
}

struct Sample {
  metric @0 :Text;
  index @1 :UInt32;
  startedAtNs @2 :Int64;      # wall clock, ns since the Unix epoch, UTC
  value :union {
    absent @3 :Void;          # there is no number
    number @4 :Float64;
  }
  verdict @5 :Verdict;
  reasons @6 :List(Text);
  contextJson @7 :Text;
}

struct Notice {
  stage @0 :Text;
  message @1 :Text;
}
