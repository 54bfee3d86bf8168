@0xe51b7d90c3f84a26;
# What an operator (the fleetmark command) asks of the coordinator.

using Cxx = import "/capnp/c++.capnp";
using Common = import "common.capnp";
$Cxx.namespace("fleetmark::schema");

struct CampaignSummary {
  id @0 :Int64;
  name @1 :Text;
  state @2 :Text;
  submittedAtNs @3 :Int64;
  finishedAtNs @4 :Int64;       # 0: not finished
  stepsTotal @5 :UInt32;
  stepsMeasured @6 :UInt32;     # ended, the probe attempted all
  stepsFailed @7 :UInt32;       # a measurement failure
  stepsLost @8 :UInt32;         # infrastructure, attempts used up
  stepsCancelled @9 :UInt32;
  stepsRunning @10 :UInt32;
  estimateNs @11 :Int64;
  samplesInvalid @12 :UInt32;   # samples with a verdict other than ok
  paused @13 :Bool;             # nothing of it is handed out
}

struct StepStatus {
  stepId @0 :Int64;
  jobId @1 :Int64;
  runner @2 :Text;
  probe @3 :Text;
  fingerprint @4 :Text;
  trial @5 :UInt32;
  stepName @6 :Text;
  state @7 :Text;
  agent @8 :Text;               # empty: none yet
  attempts @9 :UInt32;
  samplesOk @10 :UInt32;
  samplesSeen @11 :UInt32;
  samplesRequested @12 :UInt32;
  progress @13 :Text;           # what the probe does now
  message @14 :Text;            # why it failed
  headline :group {             # the median of the first headline metric
    metric @15 :Text;           # empty: none
    value @16 :Float64;
    variation :union {          # population coefficient of variation
      absent @21 :Void;
      ratio @22 :Float64;
    }
  }
  startedAtNs @17 :Int64;       # 0: not started
  endedAtNs @18 :Int64;
  waiting @19 :Text;            # why it isn't running: "machine busy: local-a disk"
  estimateNs @20 :Int64;
}

struct CampaignEvent {
  cursor @0 :Text;              # pass the last one seen to go on after it
  atNs @1 :Int64;
  kind @2 :Text;                # step.claimed, step.samples, step.ended, campaign.ended, ...
  stepId @3 :Int64;             # 0: about the campaign
  dataJson @4 :Text;
}

struct AgentStatus {
  agentId @0 :Text;
  name @1 :Text;
  state @2 :Text;               # online | busy | draining | quarantined | offline
  labels @3 :List(Common.KeyValue);
  probes @4 :List(Text);
  lastSeenNs @5 :Int64;
  doing @6 :Text;               # "quick / local-a / disk", when busy
  version @7 :Text;
  cpuModel @8 :Text;
  clockOffsetNs @9 :Int64;      # agent's wall clock minus the coordinator's
  reason @10 :Text;             # why it is quarantined or draining
}

struct Table {
  columns @0 :List(Text);
  rows @1 :List(Row);
  truncated @2 :Bool;

  struct Cell {
    union {
      null @0 :Void;
      text @1 :Text;
    }
  }
  struct Row {
    cells @0 :List(Cell);
  }
}

interface OperatorGateway {
  submit @0 (request :SubmitRequest) -> (result :SubmitResult);
  status @1 (campaign :Text) -> (result :StatusResult);
  list @2 (limit :UInt32) -> (result :ListResult);
  # Events after the cursor ("" from the beginning); waits up to waitNs for the first.
  watch @3 (campaignId :Int64, cursor :Text, waitNs :Int64) -> (result :WatchResult);
  cancel @4 (campaign :Text) -> (result :CancelResult);
  agents @5 () -> (result :AgentsResult);
  report @6 (campaign :Text, format :ReportFormat) -> (result :ReportResult);
  sql @7 (statement :Text, maxRows :UInt32) -> (result :SqlResult);
  # Signs a certificate request; the private key never leaves the machine it was made on.
  enroll @8 (role :Role, name :Text, requestPem :Text) -> (result :EnrollResult);
  # Nothing of the campaign is handed out until it is resumed; what runs goes on.
  pause @9 (campaign :Text) -> (result :CancelResult);
  resume @10 (campaign :Text) -> (result :CancelResult);
  # `agent`: a name or an id.
  setAgent @11 (agent :Text, wish :AgentWish) -> (result :SetAgentResult);
  # What holds a job back. `job`: its id, or that of one of its steps with a leading "step ".
  why @12 (job :Text) -> (result :WhyResult);

  enum AgentWish {
    unknown @0;
    drain @1;                   # finish, take nothing
    undrain @2;
    release @3;                 # out of quarantine
  }
  struct SetAgentResult {
    union {
      error @0 :Common.Error;
      agent @1 :AgentStatus;    # afterwards
    }
  }
  struct WhyResult {
    union {
      error @0 :Common.Error;
      ok :group {
        jobId @1 :Int64;
        campaignId @2 :Int64;
        campaignName @3 :Text;
        runner @4 :Text;
        probe @5 :Text;
        trial @6 :UInt32;
        state @7 :Text;
        steps @8 :List(StepReasons);
      }
    }
  }
  struct StepReasons {
    stepId @0 :Int64;
    stepName @1 :Text;
    state @2 :Text;
    constraints @3 :List(Constraint);
    estimate :union {           # when it may start
      unknown @4 :Void;
      inNs @5 :Int64;
    }
  }
  struct Constraint {
    kind @0 :Text;              # labels, machine_busy, gap, quarantined, paused, ...
    holds @1 :Bool;             # true: this is met and does not hold it back
    text @2 :Text;
  }

  enum Role {
    unknown @0;
    agent @1;
    operator @2;
  }
  enum ReportFormat {
    unknown @0;
    markdown @1;
    json @2;
    csv @3;
    html @4;
  }
  struct SubmitRequest {
    yaml @0 :Text;
    fileName @1 :Text;          # for messages
    variables @2 :List(Common.KeyValue);
    wait @3 :Bool;              # accept work that no agent online can do
    requestKey @4 :Text;        # sent again with the same key, the same campaign is answered
  }
  struct SubmitResult {
    union {
      error @0 :Common.Error;
      campaignId @1 :Int64;
    }
  }
  struct StatusResult {
    union {
      error @0 :Common.Error;
      ok :group {
        summary @1 :CampaignSummary;
        steps @2 :List(StepStatus);
      }
    }
  }
  struct ListResult {
    union {
      error @0 :Common.Error;
      campaigns @1 :List(CampaignSummary);
    }
  }
  struct WatchResult {
    union {
      error @0 :Common.Error;
      events @1 :List(CampaignEvent);
    }
  }
  struct CancelResult {
    union {
      error @0 :Common.Error;
      state @1 :Text;           # the campaign's state afterwards
    }
  }
  struct AgentsResult {
    union {
      error @0 :Common.Error;
      agents @1 :List(AgentStatus);
    }
  }
  struct ReportResult {
    union {
      error @0 :Common.Error;
      file @1 :ReportFile;
    }
  }
  struct SqlResult {
    union {
      error @0 :Common.Error;
      table @1 :Table;
    }
  }
  struct EnrollResult {
    union {
      error @0 :Common.Error;
      ok :group {
        certificatePem @1 :Text;
        caPem @2 :Text;
        subject @3 :Text;
      }
    }
  }
}

# A finished report, read in pieces so that no message grows with the number of samples.
interface ReportFile {
  info @0 () -> (name :Text, sizeBytes :UInt64, sha256 :Text);
  read @1 (offset :UInt64, sizeBytes :UInt32) -> (bytes :Data);
}
