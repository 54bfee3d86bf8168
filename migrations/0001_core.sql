-- Tables of fleetmark, in the words of docs/architecture.md. Durations are nanoseconds (*_ns), sizes
-- bytes (*_bytes), times timestamptz. A closed list of words is text with a CHECK, named
-- <table>_<column>_known.
SET LOCAL search_path = fleetmark;

CREATE FUNCTION unix_ns(at timestamptz) RETURNS bigint
  LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN (extract(epoch FROM at) * 1000000000)::bigint;
COMMENT ON FUNCTION unix_ns(timestamptz) IS 'Nanoseconds since the Unix epoch.';

CREATE FUNCTION interval_of_ns(ns bigint) RETURNS interval
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (ns / 1000) * interval '1 microsecond';
COMMENT ON FUNCTION interval_of_ns(bigint) IS 'Nanoseconds as an interval, cut to microseconds.';

CREATE FUNCTION verdict_word(verdict smallint) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE coalesce(verdict, 0)
    WHEN 0 THEN 'ok' WHEN 1 THEN 'incomplete' WHEN 2 THEN 'contended'
    WHEN 3 THEN 'unverified' WHEN 4 THEN 'timed_out' WHEN 5 THEN 'unavailable' END;
COMMENT ON FUNCTION verdict_word(smallint) IS 'The word of a verdict as sample_series stores it.';

-- ---- machines and agents ----

CREATE TABLE host (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine_id text NOT NULL UNIQUE,
  hostname text NOT NULL,
  first_seen timestamptz NOT NULL DEFAULT now(),
  last_seen timestamptz NOT NULL DEFAULT now());
COMMENT ON TABLE host IS 'One machine, by an id that is stable over reboots.';

CREATE TABLE environment (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256 bytea NOT NULL UNIQUE,
  os text NOT NULL,
  arch text NOT NULL,
  cpu_model text NOT NULL,
  virtualisation text NOT NULL,
  kernel text NOT NULL,
  os_image text NOT NULL,
  effective_cpus float8 CHECK (effective_cpus > 0),
  memory_bytes bigint CHECK (memory_bytes > 0),
  document jsonb NOT NULL,
  first_seen timestamptz NOT NULL DEFAULT now());
COMMENT ON TABLE environment IS
  'What a machine was made of when it measured. Unknown words are empty, unknown numbers NULL.';

CREATE TABLE agent (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  version text NOT NULL,
  labels jsonb NOT NULL CHECK (jsonb_typeof(labels) = 'object'),
  capabilities text[] NOT NULL,
  host_id bigint NOT NULL REFERENCES host,
  environment_id bigint NOT NULL REFERENCES environment,
  machine_key text NOT NULL CHECK (machine_key <> ''),
  boot_id text,
  instance_nonce text NOT NULL,
  session bigint NOT NULL CHECK (session > 0),
  clock_offset_ns bigint NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT now());
COMMENT ON TABLE agent IS
  'An agent as it registered last. Each registration raises session; work asked for under an older one is refused.';

CREATE TABLE agent_heartbeat (
  agent_id uuid PRIMARY KEY REFERENCES agent ON DELETE CASCADE,
  session bigint NOT NULL,
  seen_at timestamptz NOT NULL,
  disconnected_at timestamptz) WITH (fillfactor = 50);
COMMENT ON TABLE agent_heartbeat IS 'Apart from agent, because it is written every few seconds.';

CREATE TABLE credential (
  serial text PRIMARY KEY,
  role text NOT NULL CONSTRAINT credential_role_known
    CHECK (role IN ('agent', 'operator', 'coordinator')),
  subject text NOT NULL,
  name text NOT NULL,
  issued_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked boolean NOT NULL DEFAULT false);
COMMENT ON TABLE credential IS 'Certificates that were issued, by serial number. No keys.';

-- ---- campaigns and their work ----

CREATE TABLE campaign (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  title text NOT NULL,
  description text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CONSTRAINT campaign_state_known
    CHECK (state IN ('queued', 'running', 'cancelling', 'done', 'cancelled')),
  yaml text NOT NULL,
  request_key text UNIQUE,
  submitted_by text NOT NULL,
  coordinator_version text NOT NULL,
  dispatch_order text NOT NULL CONSTRAINT campaign_dispatch_order_known
    CHECK (dispatch_order IN ('declared', 'interleave', 'abba', 'random')),
  seed numeric(20) NOT NULL CHECK (seed BETWEEN 0 AND 18446744073709551615),
  estimate_ns bigint NOT NULL,
  estimate_one_machine_ns bigint NOT NULL,
  submitted_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz);
CREATE INDEX campaign_name ON campaign (name, id DESC);
CREATE INDEX campaign_open ON campaign (id) WHERE state NOT IN ('done', 'cancelled');
COMMENT ON TABLE campaign IS
  'One submitted YAML file with its plan. Only state and times change. request_key makes submitting again harmless.';

CREATE TABLE runner (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL REFERENCES campaign ON DELETE CASCADE,
  position int NOT NULL,
  name text NOT NULL,
  provider text NOT NULL,
  match jsonb NOT NULL CHECK (jsonb_typeof(match) = 'object'),
  labels jsonb NOT NULL CHECK (jsonb_typeof(labels) = 'object'),
  UNIQUE (campaign_id, position),
  UNIQUE (campaign_id, name));
COMMENT ON TABLE runner IS
  'A class of machine under test as one campaign names it. An agent fits when its labels contain match.';

CREATE TABLE profile (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  probe text NOT NULL,
  protocol bigint NOT NULL,
  capability text NOT NULL GENERATED ALWAYS AS (probe || '/' || protocol::text) STORED,
  canonical text NOT NULL,
  sha256 bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
  fingerprint text NOT NULL GENERATED ALWAYS AS (left(encode(sha256, 'hex'), 12)) STORED,
  params json NOT NULL);
CREATE INDEX profile_fingerprint ON profile (fingerprint);
COMMENT ON TABLE profile IS
  'What two measurements must have in common to be compared: probe, protocol and resolved parameters.';

CREATE TABLE metric (
  probe text NOT NULL,
  protocol bigint NOT NULL,
  name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9_]*$'),
  unit text NOT NULL CONSTRAINT metric_unit_known
    CHECK (unit IN ('seconds', 'bytes', 'bytes_per_second', 'iterations_per_second',
                    'operations_per_second', 'ratio', 'count')),
  better text NOT NULL CONSTRAINT metric_better_known CHECK (better IN ('higher', 'lower')),
  headline boolean NOT NULL,
  PRIMARY KEY (probe, protocol, name));
COMMENT ON TABLE metric IS 'Unit and direction of each metric of a probe, as this version measures it.';

CREATE TABLE job (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL REFERENCES campaign ON DELETE CASCADE,
  runner_id bigint NOT NULL REFERENCES runner ON DELETE CASCADE,
  profile_id bigint NOT NULL REFERENCES profile,
  probe_position int NOT NULL,
  trial int NOT NULL CHECK (trial >= 1),
  position int NOT NULL,
  placement json NOT NULL,
  requested_samples int NOT NULL CHECK (requested_samples >= 0),
  state text NOT NULL DEFAULT 'pending' CONSTRAINT job_state_known
    CHECK (state IN ('pending', 'running', 'done', 'failed', 'cancelled')),
  started_at timestamptz,
  ended_at timestamptz,
  UNIQUE (campaign_id, position)) WITH (fillfactor = 80);
CREATE INDEX job_open ON job (campaign_id) WHERE state IN ('pending', 'running');
CREATE INDEX job_runner ON job (runner_id);
COMMENT ON TABLE job IS 'Probe x runner x trial. Its state follows from its steps.';

CREATE TABLE step (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL,
  job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
  runner_id bigint NOT NULL,
  capability text NOT NULL,
  position int NOT NULL,
  ordinal int NOT NULL,
  name text NOT NULL,
  state text NOT NULL CONSTRAINT step_state_known
    CHECK (state IN ('blocked', 'ready', 'leased', 'measured', 'failed', 'lost', 'cancelled')),
  needs_open int NOT NULL CHECK (needs_open >= 0),
  run_after timestamptz NOT NULL DEFAULT '-infinity',
  epoch int NOT NULL DEFAULT 0,
  attempts int NOT NULL DEFAULT 0,
  max_attempts int NOT NULL CHECK (max_attempts >= 1),
  estimate_ns bigint NOT NULL,
  time_limit_ns bigint NOT NULL,
  no_progress_limit_ns bigint NOT NULL,
  message text NOT NULL DEFAULT '',
  ended_at timestamptz,
  UNIQUE (job_id, ordinal))
  WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX step_ready ON step (runner_id, position, ordinal) WHERE state = 'ready';
CREATE INDEX step_campaign ON step (campaign_id, position, ordinal);
COMMENT ON TABLE step IS
  'The part of a job that one agent does under one lease. Campaign, runner, capability and position repeat the job''s, so that a claim reads one table.';
COMMENT ON COLUMN step.epoch IS 'Raised by each claim; writes that name an older one are fenced.';

CREATE TABLE step_dependency (
  step_id bigint NOT NULL REFERENCES step ON DELETE CASCADE,
  needs bigint NOT NULL REFERENCES step ON DELETE CASCADE,
  delay_ns bigint NOT NULL DEFAULT 0 CHECK (delay_ns >= 0),
  host_relation text NOT NULL CONSTRAINT step_dependency_host_relation_known
    CHECK (host_relation IN ('any', 'same', 'different', 'fresh')),
  PRIMARY KEY (step_id, needs),
  CHECK (step_id <> needs));
CREATE INDEX step_dependency_needs ON step_dependency (needs);
COMMENT ON TABLE step_dependency IS
  'A step may begin once the step it needs was measured, delay_ns later, on a host in this relation to the one that did it.';

CREATE TABLE attempt (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  step_id bigint NOT NULL REFERENCES step ON DELETE CASCADE,
  epoch int NOT NULL CHECK (epoch >= 1),
  agent_id uuid NOT NULL REFERENCES agent,
  agent_version text NOT NULL,
  host_id bigint NOT NULL REFERENCES host,
  environment_id bigint NOT NULL REFERENCES environment,
  machine_key text NOT NULL,
  boot_id text,
  clock_offset_ns bigint NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  outcome text CONSTRAINT attempt_outcome_known
    CHECK (outcome IN ('measured', 'measurement', 'infrastructure', 'cancelled')),
  message text NOT NULL DEFAULT '',
  body_sha256 bytea CHECK (length(body_sha256) = 32),
  environment_before jsonb,
  environment_after jsonb,
  UNIQUE (step_id, epoch),
  CHECK ((ended_at IS NULL) = (outcome IS NULL)));
COMMENT ON TABLE attempt IS 'One lease of one step by one agent. outcome is NULL while it goes on.';
COMMENT ON COLUMN attempt.body_sha256 IS
  'Of the completion that was accepted: the same one again is a duplicate. NULL: none came.';

CREATE TABLE lease (
  step_id bigint PRIMARY KEY REFERENCES step ON DELETE CASCADE,
  epoch int NOT NULL,
  attempt_id bigint NOT NULL REFERENCES attempt ON DELETE CASCADE,
  agent_id uuid NOT NULL REFERENCES agent,
  machine_key text NOT NULL UNIQUE,
  token bytea NOT NULL,
  state text NOT NULL DEFAULT 'active' CONSTRAINT lease_state_known
    CHECK (state IN ('active', 'cancelling')),
  expires_at timestamptz NOT NULL) WITH (fillfactor = 50);
CREATE INDEX lease_agent ON lease (agent_id);
COMMENT ON TABLE lease IS
  'Leases that hold now; a lease that ended has no row. The unique machine_key is the lock that lets one probe at a time run on a machine.';

-- ---- what was measured ----

CREATE TABLE sample_chunk (
  attempt_id bigint NOT NULL REFERENCES attempt ON DELETE CASCADE,
  number int NOT NULL CHECK (number >= 0),
  sha256 bytea NOT NULL,
  samples int NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (attempt_id, number));
COMMENT ON TABLE sample_chunk IS 'Which numbered pieces of an attempt''s samples arrived, and their content.';

CREATE TABLE sample_series (
  attempt_id bigint NOT NULL REFERENCES attempt ON DELETE CASCADE,
  metric text NOT NULL,
  chunk int NOT NULL,
  first_index int NOT NULL,
  indexes int[],
  t0 timestamptz NOT NULL,
  offsets_ns bigint[] NOT NULL,
  sample_values float8[] NOT NULL,
  verdicts smallint[],
  reasons jsonb,
  contexts jsonb,
  n int NOT NULL GENERATED ALWAYS AS (cardinality(sample_values)) STORED,
  ok_count int NOT NULL,
  PRIMARY KEY (attempt_id, metric, chunk),
  CHECK (cardinality(offsets_ns) = cardinality(sample_values)),
  CHECK (indexes IS NULL OR cardinality(indexes) = cardinality(sample_values)),
  CHECK (verdicts IS NULL OR cardinality(verdicts) = cardinality(sample_values)));
ALTER TABLE sample_series ALTER offsets_ns SET COMPRESSION lz4;
ALTER TABLE sample_series ALTER sample_values SET COMPRESSION lz4;
ALTER TABLE sample_series ALTER verdicts SET COMPRESSION lz4;
ALTER TABLE sample_series ALTER reasons SET COMPRESSION lz4;
ALTER TABLE sample_series ALTER contexts SET COMPRESSION lz4;
COMMENT ON TABLE sample_series IS
  'Samples of one metric in one chunk, as arrays of equal length; view samples has one row per sample.';
COMMENT ON COLUMN sample_series.sample_values IS 'NULL: the sample has no number.';
COMMENT ON COLUMN sample_series.offsets_ns IS 'Start of each sample after t0, on the agent''s wall clock.';
COMMENT ON COLUMN sample_series.indexes IS 'NULL: consecutive from first_index.';
COMMENT ON COLUMN sample_series.verdicts IS 'As verdict_word reads them. NULL: all ok.';
COMMENT ON COLUMN sample_series.reasons IS
  'Arrays of sentences by place in the arrays ("0" is the first), only where a sample has any.';
COMMENT ON COLUMN sample_series.contexts IS 'Documents by place in the arrays, only where a sample has one.';

CREATE TABLE result (
  attempt_id bigint NOT NULL REFERENCES attempt ON DELETE CASCADE,
  metric text NOT NULL,
  ordinal int NOT NULL,
  unit text NOT NULL CONSTRAINT result_unit_known
    CHECK (unit IN ('seconds', 'bytes', 'bytes_per_second', 'iterations_per_second',
                    'operations_per_second', 'ratio', 'count')),
  better text NOT NULL CONSTRAINT result_better_known CHECK (better IN ('higher', 'lower')),
  headline boolean NOT NULL,
  method text NOT NULL,
  requested int NOT NULL,
  attempted int NOT NULL,
  n int NOT NULL,
  min float8,
  max float8,
  mean float8,
  stddev float8,
  cv float8,
  median float8,
  p50 float8,
  p90 float8,
  p95 float8,
  p99 float8,
  PRIMARY KEY (attempt_id, metric),
  CHECK (n BETWEEN 0 AND attempted),
  CHECK ((n = 0) = (median IS NULL)));
COMMENT ON TABLE result IS
  'One metric of one attempt: n and the statistics are over the samples with verdict ok alone. method names how percentiles were computed.';

CREATE TABLE notice (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  attempt_id bigint NOT NULL REFERENCES attempt ON DELETE CASCADE,
  stage text NOT NULL,
  message text NOT NULL);
CREATE INDEX notice_attempt ON notice (attempt_id);
COMMENT ON TABLE notice IS 'Something a reader must know that is no sample.';

CREATE TABLE log_chunk (
  attempt_id bigint NOT NULL REFERENCES attempt ON DELETE CASCADE,
  stream text NOT NULL,
  sequence bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  body text NOT NULL,
  PRIMARY KEY (attempt_id, stream, sequence));
COMMENT ON TABLE log_chunk IS 'Lines of the agent or the probe about one attempt.';

CREATE TABLE event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  at timestamptz NOT NULL DEFAULT now(),
  campaign_id bigint NOT NULL REFERENCES campaign ON DELETE CASCADE,
  step_id bigint,
  kind text NOT NULL,
  data jsonb NOT NULL);
CREATE INDEX event_order ON event (campaign_id, xid, id);
COMMENT ON TABLE event IS
  'What happened, in the transaction in which it happened. Readers go by (xid, id) and stop before the oldest transaction that still runs.';
