-- What a schedule needs beyond the queue: pauses, deadlines, quiet hosts, steps that two or more
-- agents do at the same time, and agents that take no work. See docs/scheduling.md.
SET LOCAL search_path = fleetmark;

ALTER TABLE campaign
  ADD paused boolean NOT NULL DEFAULT false,
  ADD time_limit_ns bigint NOT NULL DEFAULT 0 CHECK (time_limit_ns >= 0),
  ADD quiet jsonb CHECK (jsonb_typeof(quiet) = 'object');
COMMENT ON COLUMN campaign.paused IS 'Its steps are not handed out; what runs goes on.';
COMMENT ON COLUMN campaign.time_limit_ns IS
  'From its first claim; over it the campaign is cancelled. 0: none.';
COMMENT ON COLUMN campaign.quiet IS
  'What an agent waits for before a step: load_per_cpu, wait_ns, otherwise (mark, fail). NULL: nothing.';

ALTER TABLE job ADD time_limit_ns bigint NOT NULL DEFAULT 0 CHECK (time_limit_ns >= 0);
COMMENT ON COLUMN job.time_limit_ns IS
  'From its first claim, waiting between its steps included; over it the job''s steps end. 0: none.';

ALTER TABLE agent
  ADD draining boolean NOT NULL DEFAULT false,
  ADD fast_failures int NOT NULL DEFAULT 0 CHECK (fast_failures >= 0),
  ADD quarantined_at timestamptz,
  ADD quarantine_reason text NOT NULL DEFAULT '';
COMMENT ON COLUMN agent.draining IS 'An operator''s wish, kept over restarts: it finishes and takes nothing.';
COMMENT ON COLUMN agent.fast_failures IS 'Infrastructure failures in a row, each soon after its claim.';
COMMENT ON COLUMN agent.quarantined_at IS 'It takes no work until an operator releases it.';

CREATE TABLE step_group (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
  name text NOT NULL,
  size int NOT NULL CHECK (size >= 2),
  limit_ns bigint NOT NULL CHECK (limit_ns > 0),
  state text NOT NULL DEFAULT 'open' CONSTRAINT step_group_state_known
    CHECK (state IN ('open', 'gathering', 'running', 'releasing', 'over')),
  round int NOT NULL DEFAULT 0,
  gathering_since timestamptz,
  running_since timestamptz,
  UNIQUE (job_id, name)) WITH (fillfactor = 70);
CREATE INDEX step_group_gathering ON step_group (gathering_since) WHERE state = 'gathering';
COMMENT ON TABLE step_group IS
  'Steps of a job that as many agents do at the same time. They begin together once all have arrived, or none does.';
COMMENT ON COLUMN step_group.round IS 'Raised each time the members gather anew.';
COMMENT ON COLUMN step_group.gathering_since IS 'When the first member of this round was claimed.';

ALTER TABLE step
  ADD group_id bigint REFERENCES step_group ON DELETE CASCADE,
  ADD arrived_epoch int NOT NULL DEFAULT 0;
CREATE INDEX step_group_members ON step (group_id) WHERE group_id IS NOT NULL;
COMMENT ON COLUMN step.arrived_epoch IS 'The epoch whose agent stands at the group''s barrier.';

ALTER TABLE lease DROP CONSTRAINT lease_state_known;
ALTER TABLE lease ADD CONSTRAINT lease_state_known
  CHECK (state IN ('active', 'cancelling', 'releasing'));

ALTER TABLE attempt ADD quiet jsonb;
COMMENT ON COLUMN attempt.quiet IS
  'What the agent saw while it waited for a quiet host, and whether it found one. NULL: not asked, or not reached.';
