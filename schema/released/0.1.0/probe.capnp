@0x8f4be2d96a7c1053;
# What a probe's child process writes on its pipe: a sequence of ProbeEvent messages in the
# standard stream framing.

using Cxx = import "/capnp/c++.capnp";
using Common = import "common.capnp";
$Cxx.namespace("fleetmark::schema");

struct ProbeEvent {
  union {
    unknown @0 :Void;
    sample @1 :Common.Sample;
    notice @2 :Common.Notice;
    progress @3 :Text;
    done @4 :Void;            # the probe ended well; the last message
    failed @5 :Common.Error;  # the measurement failed; the last message
  }
}
