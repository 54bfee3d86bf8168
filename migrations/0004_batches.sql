-- Steps are claimed many at a time: those that any host may do are offered to all who wait, the others
-- are looked at for each agent. See coordinator/store/queue_claim.cpp.
SET LOCAL search_path = fleetmark;

ALTER TABLE step ADD host_bound boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN step.host_bound IS 'What it needs must have been done on the same, another or a fresh host.';

UPDATE step SET host_bound = true
WHERE id IN (SELECT step_id FROM step_dependency WHERE host_relation <> 'any');

CREATE INDEX step_ready_bound ON step (runner_id, position, ordinal)
  WHERE state = 'ready' AND host_bound;
