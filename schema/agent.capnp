@0xa7c90e4b1d52f863;
# What an agent asks of the coordinator. All calls go from the agent to the coordinator, so that an
# agent behind NAT needs no open port.

using Cxx = import "/capnp/c++.capnp";
using Common = import "common.capnp";
$Cxx.namespace("fleetmark::schema");

struct HostFacts {
  hostname @0 :Text;
  os @1 :Text;
  arch @2 :Text;
  cpuModel @3 :Text;
  virtualisation @4 :Text;
  kernel @5 :Text;
  osImage @6 :Text;
  machineId @7 :Text;
  bootId @8 :Text;
  machineKey @9 :Text;
  effectiveCpus @10 :Float64;
  memoryBytes @11 :Int64;
  environmentJson @12 :Text;
}

struct AgentHello {
  name @0 :Text;
  version @1 :Text;
  labels @2 :List(Common.KeyValue);
  probes @3 :List(Text);        # "cpu/1": name and protocol version
  host @4 :HostFacts;
  instanceNonce @5 :Text;       # one per start of the agent process
  wallClockNs @6 :Int64;
}

struct LeaseRef {
  stepId @0 :Int64;
  epoch @1 :Int32;
  token @2 :Data;               # 16 bytes
}

struct Assignment {
  lease @0 :LeaseRef;
  attemptId @1 :Int64;
  campaignId @2 :Int64;
  campaignName @3 :Text;
  runner @4 :Text;
  stepName @5 :Text;
  probe @6 :Text;
  protocol @7 :Int64;
  paramsJson @8 :Text;
  placementJson @9 :Text;
  leaseTtlNs @10 :Int64;
  timeLimitNs @11 :Int64;
  noProgressLimitNs @12 :Int64;
  quiet :union {                # what to wait for before the probe is started
    notAsked @13 :Void;
    spec @14 :QuietSpec;
  }
  group @15 :Text;              # empty: none; else arrive() comes before the probe is started
}

struct QuietSpec {
  loadPerCpu @0 :Float64;
  waitNs @1 :Int64;
  otherwise @2 :QuietOtherwise;
}

enum QuietOtherwise {
  unknown @0;
  mark @1;
  fail @2;
}

enum ArriveAnswer {
  unknown @0;
  begin @1;                     # all members have arrived
  wait @2;                      # not yet: ask again
  released @3;                  # one did not come in time: end the attempt, it gets another
  lost @4;                      # the lease is no longer yours
}

enum RenewAnswer {
  unknown @0;
  renewed @1;
  lost @2;
  cancel @3;
}

enum IngestAnswer {
  unknown @0;
  ok @1;
  duplicate @2;
  fenced @3;
  noSuchAttempt @4;
  missing @5;
}

struct SampleChunk {
  number @0 :UInt32;
  samples @1 :List(Common.Sample);
}

struct Completion {
  outcome @0 :Common.Outcome;
  message @1 :Text;
  chunkCount @2 :UInt32;
  notices @3 :List(Common.Notice);
  environmentBeforeJson @4 :Text;
  environmentAfterJson @5 :Text;
  quietJson @6 :Text;           # what was seen while waiting for a quiet host; empty: not asked
}

interface AgentGateway {
  # One registration a connection; a second one replaces the first.
  register @0 (hello :AgentHello) -> (result :RegisterResult);

  struct RegisterResult {
    union {
      error @0 :Common.Error;
      session @1 :AgentSession;
    }
    agentId @2 :Text;
    heartbeatNs @3 :Int64;      # renew at least this often, leases or not
  }
}

interface AgentSession {
  # Answers when there is work for this agent, or empty after waitNs.
  takeWork @0 (waitNs :Int64) -> (result :TakeResult);
  # The heartbeat: renews every lease named (none is fine).
  renew @1 (leases :List(LeaseRef)) -> (result :RenewResult);
  appendSamples @2 (lease :LeaseRef, chunk :SampleChunk) -> (result :IngestResult);
  # lastChunk may be left out; with it the attempt's last samples and its end are one delivery.
  complete @3 (lease :LeaseRef, completion :Completion, lastChunk :SampleChunk)
      -> (result :IngestResult);
  # What the probe is doing now, for people who watch. May be dropped.
  progress @4 (lease :LeaseRef, text :Text) -> ();
  # Lines of the agent's or the probe's log for this attempt.
  log @5 (lease :LeaseRef, stream :Text, sequence :UInt32, text :Text) -> (result :IngestResult);
  # This agent stands ready to begin its member of a group; answers at the latest after waitNs.
  arrive @6 (lease :LeaseRef, waitNs :Int64) -> (result :ArriveResult);

  struct ArriveResult {
    union {
      error @0 :Common.Error;
      answer @1 :ArriveAnswer;
    }
  }

  struct TakeResult {
    union {
      error @0 :Common.Error;
      none @1 :Void;
      assignment @2 :Assignment;
    }
    reason @3 :Text;            # with none: why (draining, nothing ready)
  }
  struct RenewResult {
    union {
      error @0 :Common.Error;
      answers @1 :List(RenewAnswer);
    }
  }
  struct IngestResult {
    union {
      error @0 :Common.Error;
      answer @1 :IngestAnswer;
    }
    missing @2 :List(UInt32);   # with answer = missing: chunk numbers
  }
}
