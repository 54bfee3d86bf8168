-- What people query; docs/sql.md shows it. Views alone are open to the role fleetmark_reader, which
-- can't write and can't see credentials or lease tokens.
SET LOCAL search_path = fleetmark;

-- ---- campaigns ----

CREATE VIEW campaigns AS
SELECT c.id AS campaign_id, c.name AS campaign, c.title, c.state, c.submitted_by, c.submitted_at,
       c.started_at, c.finished_at,
       count(s.id) AS steps,
       count(*) FILTER (WHERE s.state = 'measured') AS steps_measured,
       count(*) FILTER (WHERE s.state = 'failed') AS steps_failed,
       count(*) FILTER (WHERE s.state = 'lost') AS steps_lost,
       count(*) FILTER (WHERE s.state = 'cancelled') AS steps_cancelled,
       count(*) FILTER (WHERE s.state = 'leased') AS steps_running,
       c.dispatch_order, c.seed, c.coordinator_version, c.yaml
FROM campaign c LEFT JOIN step s ON s.campaign_id = c.id
GROUP BY c.id;
COMMENT ON VIEW campaigns IS 'One row per campaign.';
COMMENT ON COLUMN campaigns.campaign_id IS 'Number of the campaign.';
COMMENT ON COLUMN campaigns.campaign IS 'Its name; the same name again is a later run of the same campaign.';
COMMENT ON COLUMN campaigns.title IS 'Title for the report; may be empty.';
COMMENT ON COLUMN campaigns.state IS 'queued, running, cancelling, done or cancelled.';
COMMENT ON COLUMN campaigns.submitted_by IS 'Name of the operator''s certificate.';
COMMENT ON COLUMN campaigns.submitted_at IS 'When it was accepted.';
COMMENT ON COLUMN campaigns.started_at IS 'When the first step was handed out.';
COMMENT ON COLUMN campaigns.finished_at IS 'When the last step ended.';
COMMENT ON COLUMN campaigns.steps IS 'Steps in all.';
COMMENT ON COLUMN campaigns.steps_measured IS 'Steps of which all that was asked was attempted.';
COMMENT ON COLUMN campaigns.steps_failed IS 'Steps whose measurement failed, which is a result.';
COMMENT ON COLUMN campaigns.steps_lost IS 'Steps that infrastructure failed as often as allowed.';
COMMENT ON COLUMN campaigns.steps_cancelled IS 'Steps that were cancelled or could not begin.';
COMMENT ON COLUMN campaigns.steps_running IS 'Steps that an agent does now.';
COMMENT ON COLUMN campaigns.dispatch_order IS 'declared, interleave, abba or random.';
COMMENT ON COLUMN campaigns.seed IS 'Seed of the order.';
COMMENT ON COLUMN campaigns.coordinator_version IS 'Version that planned it.';
COMMENT ON COLUMN campaigns.yaml IS 'As submitted, after variables.';

-- ---- runners ----

CREATE VIEW runners AS
SELECT r.campaign_id, c.name AS campaign, r.name AS runner, r.provider, r.match, r.labels,
       (SELECT count(*) FROM job j WHERE j.runner_id = r.id) AS jobs,
       (SELECT array_agg(DISTINCT a.name ORDER BY a.name)
          FROM step s JOIN attempt x ON x.step_id = s.id JOIN agent a ON a.id = x.agent_id
         WHERE s.runner_id = r.id) AS agents
FROM runner r JOIN campaign c ON c.id = r.campaign_id;
COMMENT ON VIEW runners IS 'One row per class of machine in a campaign.';
COMMENT ON COLUMN runners.campaign_id IS 'Number of the campaign.';
COMMENT ON COLUMN runners.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN runners.runner IS 'Name of the runner in the campaign.';
COMMENT ON COLUMN runners.provider IS 'What makes or finds its machines.';
COMMENT ON COLUMN runners.match IS 'Labels that an agent must have to do its work.';
COMMENT ON COLUMN runners.labels IS 'Facts for the report, such as region and price.';
COMMENT ON COLUMN runners.jobs IS 'Jobs planned for it.';
COMMENT ON COLUMN runners.agents IS 'Agents that did work for it; NULL: none yet.';

-- ---- results ----

CREATE VIEW results AS
SELECT c.id AS campaign_id, c.name AS campaign, c.submitted_at AS campaign_at, r.name AS runner,
       p.probe, p.protocol, p.fingerprint, p.params, j.placement, j.trial, s.id AS step_id,
       s.name AS step, s.state AS step_state, x.id AS attempt_id, x.epoch AS attempt, x.outcome,
       q.metric, q.unit, q.better, q.headline, q.requested, q.attempted, q.n,
       q.median, q.min, q.max, q.mean, q.stddev, q.cv, q.p50, q.p90, q.p95, q.p99, q.method,
       h.hostname AS host, a.name AS agent, x.agent_version, e.os, e.arch, e.cpu_model,
       e.virtualisation, e.kernel, x.started_at, x.ended_at
FROM result q
  JOIN attempt x ON x.id = q.attempt_id
  JOIN step s ON s.id = x.step_id
  JOIN job j ON j.id = s.job_id
  JOIN campaign c ON c.id = s.campaign_id
  JOIN runner r ON r.id = j.runner_id
  JOIN profile p ON p.id = j.profile_id
  JOIN host h ON h.id = x.host_id
  JOIN agent a ON a.id = x.agent_id
  JOIN environment e ON e.id = x.environment_id;
COMMENT ON VIEW results IS
  'One row per metric of an attempt. n and the statistics are over samples with verdict ok alone; the others count in attempted and stand in view samples.';
COMMENT ON COLUMN results.campaign_id IS 'Number of the campaign.';
COMMENT ON COLUMN results.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN results.campaign_at IS 'When the campaign was submitted.';
COMMENT ON COLUMN results.runner IS 'Runner that was measured.';
COMMENT ON COLUMN results.probe IS 'Kind of measurement.';
COMMENT ON COLUMN results.protocol IS 'Version of the probe''s way of measuring.';
COMMENT ON COLUMN results.fingerprint IS 'Of the profile. Compare only equal fingerprints.';
COMMENT ON COLUMN results.params IS 'Resolved parameters of the profile.';
COMMENT ON COLUMN results.placement IS 'What is no part of the profile: paths, addresses.';
COMMENT ON COLUMN results.trial IS 'Repetition, from 1.';
COMMENT ON COLUMN results.step_id IS 'Number of the step.';
COMMENT ON COLUMN results.step IS 'Name of the step within its job.';
COMMENT ON COLUMN results.step_state IS 'State of the step now.';
COMMENT ON COLUMN results.attempt_id IS 'Number of the attempt.';
COMMENT ON COLUMN results.attempt IS 'Which attempt of the step, from 1.';
COMMENT ON COLUMN results.outcome IS 'measured, measurement, infrastructure or cancelled.';
COMMENT ON COLUMN results.metric IS 'What was measured.';
COMMENT ON COLUMN results.unit IS 'Unit of the values.';
COMMENT ON COLUMN results.better IS 'Which end is good: higher or lower.';
COMMENT ON COLUMN results.headline IS 'True: stands in the report''s first table.';
COMMENT ON COLUMN results.requested IS 'Samples that the campaign asked for.';
COMMENT ON COLUMN results.attempted IS 'Samples that were taken, whatever their verdict.';
COMMENT ON COLUMN results.n IS 'Samples with verdict ok, over which the statistics are.';
COMMENT ON COLUMN results.median IS 'Mean of the two middle values for even n.';
COMMENT ON COLUMN results.min IS 'Least value.';
COMMENT ON COLUMN results.max IS 'Greatest value.';
COMMENT ON COLUMN results.mean IS 'Arithmetic mean.';
COMMENT ON COLUMN results.stddev IS 'Population standard deviation.';
COMMENT ON COLUMN results.cv IS 'Population standard deviation over mean; NULL where the mean is 0.';
COMMENT ON COLUMN results.p50 IS '50th percentile by the method.';
COMMENT ON COLUMN results.p90 IS '90th percentile by the method.';
COMMENT ON COLUMN results.p95 IS '95th percentile by the method; NULL below n = 20.';
COMMENT ON COLUMN results.p99 IS '99th percentile by the method; NULL below n = 300.';
COMMENT ON COLUMN results.method IS 'Id of the method that computed the percentiles.';
COMMENT ON COLUMN results.host IS 'Name of the machine.';
COMMENT ON COLUMN results.agent IS 'Name of the agent.';
COMMENT ON COLUMN results.agent_version IS 'Version of the agent.';
COMMENT ON COLUMN results.os IS 'Operating system; empty: unknown.';
COMMENT ON COLUMN results.arch IS 'Processor architecture; empty: unknown.';
COMMENT ON COLUMN results.cpu_model IS 'Processor; empty: unknown.';
COMMENT ON COLUMN results.virtualisation IS 'none, kvm, docker, ...; empty: unknown.';
COMMENT ON COLUMN results.kernel IS 'Kernel release; empty: unknown.';
COMMENT ON COLUMN results.started_at IS 'When the attempt was handed out.';
COMMENT ON COLUMN results.ended_at IS 'When the attempt ended.';

-- ---- samples ----

CREATE VIEW samples AS
SELECT c.id AS campaign_id, c.name AS campaign, r.name AS runner, p.probe, p.fingerprint, j.trial,
       s.id AS step_id, s.name AS step, x.id AS attempt_id, x.epoch AS attempt, x.outcome,
       q.metric, coalesce(v.unit, m.unit) AS unit,
       coalesce(q.indexes[u.place], q.first_index + u.place::int - 1) AS index,
       q.t0 + interval_of_ns(u.offset_ns) AS started_at,
       u.value, verdict_word(q.verdicts[u.place]) AS verdict,
       q.reasons -> (u.place - 1)::text AS reasons,
       q.contexts -> (u.place - 1)::text AS context,
       h.hostname AS host, a.name AS agent
FROM sample_series q
  CROSS JOIN LATERAL unnest(q.sample_values, q.offsets_ns)
    WITH ORDINALITY AS u(value, offset_ns, place)
  JOIN attempt x ON x.id = q.attempt_id
  JOIN step s ON s.id = x.step_id
  JOIN job j ON j.id = s.job_id
  JOIN campaign c ON c.id = s.campaign_id
  JOIN runner r ON r.id = j.runner_id
  JOIN profile p ON p.id = j.profile_id
  JOIN host h ON h.id = x.host_id
  JOIN agent a ON a.id = x.agent_id
  LEFT JOIN result v ON v.attempt_id = x.id AND v.metric = q.metric
  LEFT JOIN metric m ON m.probe = p.probe AND m.protocol = p.protocol AND m.name = q.metric;
COMMENT ON VIEW samples IS
  'One row per sample of every attempt, whatever its verdict. Count only verdict = ''ok'' of attempts with outcome = ''measured''.';
COMMENT ON COLUMN samples.campaign_id IS 'Number of the campaign.';
COMMENT ON COLUMN samples.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN samples.runner IS 'Runner that was measured.';
COMMENT ON COLUMN samples.probe IS 'Kind of measurement.';
COMMENT ON COLUMN samples.fingerprint IS 'Of the profile. Compare only equal fingerprints.';
COMMENT ON COLUMN samples.trial IS 'Repetition, from 1.';
COMMENT ON COLUMN samples.step_id IS 'Number of the step.';
COMMENT ON COLUMN samples.step IS 'Name of the step within its job.';
COMMENT ON COLUMN samples.attempt_id IS 'Number of the attempt.';
COMMENT ON COLUMN samples.attempt IS 'Which attempt of the step, from 1.';
COMMENT ON COLUMN samples.outcome IS 'Of the attempt; NULL while it goes on.';
COMMENT ON COLUMN samples.metric IS 'What was measured.';
COMMENT ON COLUMN samples.unit IS 'Unit of the value; NULL while it is not known.';
COMMENT ON COLUMN samples.index IS 'Number of the sample within metric and attempt, from 0.';
COMMENT ON COLUMN samples.started_at IS 'When the sample began, by the agent''s clock (microseconds).';
COMMENT ON COLUMN samples.value IS 'NULL: there is no number.';
COMMENT ON COLUMN samples.verdict IS
  'ok, incomplete, contended, unverified, timed_out or unavailable. Only ok enters statistics.';
COMMENT ON COLUMN samples.reasons IS 'Why the verdict is not ok; NULL: none.';
COMMENT ON COLUMN samples.context IS 'Evidence of the probe; NULL: none.';
COMMENT ON COLUMN samples.host IS 'Name of the machine.';
COMMENT ON COLUMN samples.agent IS 'Name of the agent.';

-- ---- comparison ----

CREATE VIEW runner_comparison AS
WITH by_runner AS (
  SELECT campaign_id, campaign, probe, fingerprint, step, metric, unit, better, runner,
         count(*) AS trials, sum(n) AS n,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY median) AS median_of_medians,
         min(median) AS least_median, max(median) AS greatest_median, max(cv) AS worst_cv
  FROM results
  WHERE outcome = 'measured' AND n > 0
  GROUP BY campaign_id, campaign, probe, fingerprint, step, metric, unit, better, runner)
SELECT b.*,
       median_of_medians / nullif(CASE better WHEN 'lower' THEN min(median_of_medians) OVER w
                                              ELSE max(median_of_medians) OVER w END, 0)
         AS ratio_to_best,
       rank() OVER (PARTITION BY campaign_id, probe, fingerprint, step, metric
                    ORDER BY CASE better WHEN 'lower' THEN median_of_medians
                                         ELSE -median_of_medians END) AS rank
FROM by_runner b
WINDOW w AS (PARTITION BY campaign_id, probe, fingerprint, step, metric);
COMMENT ON VIEW runner_comparison IS
  'Runners of one campaign side by side, for each profile, step and metric.';
COMMENT ON COLUMN runner_comparison.campaign_id IS 'Number of the campaign.';
COMMENT ON COLUMN runner_comparison.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN runner_comparison.probe IS 'Kind of measurement.';
COMMENT ON COLUMN runner_comparison.fingerprint IS 'Of the profile; runners are compared within one.';
COMMENT ON COLUMN runner_comparison.step IS 'Name of the step within its job.';
COMMENT ON COLUMN runner_comparison.metric IS 'What was measured.';
COMMENT ON COLUMN runner_comparison.unit IS 'Unit of the values.';
COMMENT ON COLUMN runner_comparison.better IS 'Which end is good: higher or lower.';
COMMENT ON COLUMN runner_comparison.runner IS 'Runner that was measured.';
COMMENT ON COLUMN runner_comparison.trials IS 'Attempts that count.';
COMMENT ON COLUMN runner_comparison.n IS 'Samples with verdict ok over all of them.';
COMMENT ON COLUMN runner_comparison.median_of_medians IS
  'Median over the trials of each trial''s median (not of the pooled samples).';
COMMENT ON COLUMN runner_comparison.least_median IS 'Least median of a trial.';
COMMENT ON COLUMN runner_comparison.greatest_median IS 'Greatest median of a trial.';
COMMENT ON COLUMN runner_comparison.worst_cv IS 'Greatest variation within a trial.';
COMMENT ON COLUMN runner_comparison.ratio_to_best IS 'Over the best runner''s; 1 for the best itself.';
COMMENT ON COLUMN runner_comparison.rank IS '1 is the best.';

-- ---- history and regressions ----

CREATE VIEW history AS
SELECT campaign, campaign_id, campaign_at, runner, probe, fingerprint, step, metric, unit, better,
       count(*) AS trials, sum(n) AS n,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY median) AS median_of_medians,
       max(cv) AS worst_cv
FROM results
WHERE outcome = 'measured' AND n > 0
GROUP BY campaign, campaign_id, campaign_at, runner, probe, fingerprint, step, metric, unit, better;
COMMENT ON VIEW history IS
  'Runs of campaigns of one name over time, for each runner, profile, step and metric.';
COMMENT ON COLUMN history.campaign IS 'Name that the runs share.';
COMMENT ON COLUMN history.campaign_id IS 'Number of this run.';
COMMENT ON COLUMN history.campaign_at IS 'When this run was submitted.';
COMMENT ON COLUMN history.runner IS 'Runner that was measured.';
COMMENT ON COLUMN history.probe IS 'Kind of measurement.';
COMMENT ON COLUMN history.fingerprint IS 'Of the profile; a changed parameter begins another history.';
COMMENT ON COLUMN history.step IS 'Name of the step within its job.';
COMMENT ON COLUMN history.metric IS 'What was measured.';
COMMENT ON COLUMN history.unit IS 'Unit of the values.';
COMMENT ON COLUMN history.better IS 'Which end is good: higher or lower.';
COMMENT ON COLUMN history.trials IS 'Attempts that count.';
COMMENT ON COLUMN history.n IS 'Samples with verdict ok over all of them.';
COMMENT ON COLUMN history.median_of_medians IS
  'Median over the trials of each trial''s median (not of the pooled samples).';
COMMENT ON COLUMN history.worst_cv IS 'Greatest variation within a trial.';

CREATE VIEW regressions AS
WITH compared AS (
  SELECT h.*, avg(median_of_medians) OVER w AS baseline,
         stddev_samp(median_of_medians) OVER w AS baseline_stddev,
         count(*) OVER w AS baseline_runs
  FROM history h
  WINDOW w AS (PARTITION BY campaign, runner, probe, fingerprint, step, metric
               ORDER BY campaign_at, campaign_id ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING))
SELECT campaign, campaign_id, campaign_at, runner, probe, fingerprint, step, metric, unit, better,
       median_of_medians, baseline, baseline_runs, baseline_stddev,
       median_of_medians / nullif(baseline, 0) - 1 AS change
FROM compared
WHERE baseline_runs >= 3
  AND abs(median_of_medians - baseline) > 0.05 * abs(baseline)
  AND abs(median_of_medians - baseline) > 3 * baseline_stddev
  AND CASE better WHEN 'lower' THEN median_of_medians > baseline
                  ELSE median_of_medians < baseline END;
COMMENT ON VIEW regressions IS
  'Runs that were worse than the up to 10 runs before them: by more than 5 % and more than 3 standard deviations, with at least 3 runs to compare with.';
COMMENT ON COLUMN regressions.campaign IS 'Name that the runs share.';
COMMENT ON COLUMN regressions.campaign_id IS 'Number of the run that was worse.';
COMMENT ON COLUMN regressions.campaign_at IS 'When it was submitted.';
COMMENT ON COLUMN regressions.runner IS 'Runner that was measured.';
COMMENT ON COLUMN regressions.probe IS 'Kind of measurement.';
COMMENT ON COLUMN regressions.fingerprint IS 'Of the profile.';
COMMENT ON COLUMN regressions.step IS 'Name of the step within its job.';
COMMENT ON COLUMN regressions.metric IS 'What was measured.';
COMMENT ON COLUMN regressions.unit IS 'Unit of the values.';
COMMENT ON COLUMN regressions.better IS 'Which end is good: higher or lower.';
COMMENT ON COLUMN regressions.median_of_medians IS 'Of this run, as in view history.';
COMMENT ON COLUMN regressions.baseline IS 'Mean of the runs before.';
COMMENT ON COLUMN regressions.baseline_runs IS 'How many runs that is, 3 to 10.';
COMMENT ON COLUMN regressions.baseline_stddev IS 'Sample standard deviation of the runs before.';
COMMENT ON COLUMN regressions.change IS 'Relative change, 0.1 is 10 % more than the baseline.';

-- ---- notices ----

CREATE VIEW notices AS
SELECT c.id AS campaign_id, c.name AS campaign, r.name AS runner, p.probe, p.fingerprint, j.trial,
       s.id AS step_id, s.name AS step, x.epoch AS attempt, h.hostname AS host, a.name AS agent,
       n.stage, n.message, x.ended_at AS at
FROM notice n
  JOIN attempt x ON x.id = n.attempt_id
  JOIN step s ON s.id = x.step_id
  JOIN job j ON j.id = s.job_id
  JOIN campaign c ON c.id = s.campaign_id
  JOIN runner r ON r.id = j.runner_id
  JOIN profile p ON p.id = j.profile_id
  JOIN host h ON h.id = x.host_id
  JOIN agent a ON a.id = x.agent_id;
COMMENT ON VIEW notices IS 'What a reader must know that is no sample.';
COMMENT ON COLUMN notices.campaign_id IS 'Number of the campaign.';
COMMENT ON COLUMN notices.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN notices.runner IS 'Runner that was measured.';
COMMENT ON COLUMN notices.probe IS 'Kind of measurement.';
COMMENT ON COLUMN notices.fingerprint IS 'Of the profile.';
COMMENT ON COLUMN notices.trial IS 'Repetition, from 1.';
COMMENT ON COLUMN notices.step_id IS 'Number of the step.';
COMMENT ON COLUMN notices.step IS 'Name of the step within its job.';
COMMENT ON COLUMN notices.attempt IS 'Which attempt of the step, from 1.';
COMMENT ON COLUMN notices.host IS 'Name of the machine.';
COMMENT ON COLUMN notices.agent IS 'Name of the agent.';
COMMENT ON COLUMN notices.stage IS 'Where: probe and stage.';
COMMENT ON COLUMN notices.message IS 'A sentence.';
COMMENT ON COLUMN notices.at IS 'When the attempt ended.';

-- ---- the role that reads ----

CREATE FUNCTION grant_reader() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  GRANT USAGE ON SCHEMA fleetmark TO fleetmark_reader;
  GRANT SELECT ON fleetmark.campaigns, fleetmark.runners, fleetmark.results, fleetmark.samples,
    fleetmark.runner_comparison, fleetmark.history, fleetmark.regressions, fleetmark.notices
    TO fleetmark_reader;
  GRANT EXECUTE ON FUNCTION fleetmark.interval_of_ns(bigint), fleetmark.verdict_word(smallint)
    TO fleetmark_reader;
END $$;
REVOKE ALL ON FUNCTION grant_reader() FROM PUBLIC;
COMMENT ON FUNCTION grant_reader() IS
  'Opens the views to fleetmark_reader. Call it after making that role by hand.';

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'fleetmark_reader') THEN
    BEGIN
      CREATE ROLE fleetmark_reader LOGIN;
      ALTER ROLE fleetmark_reader SET default_transaction_read_only = on;
      ALTER ROLE fleetmark_reader SET statement_timeout = '30s';
      ALTER ROLE fleetmark_reader SET idle_in_transaction_session_timeout = '10s';
      ALTER ROLE fleetmark_reader SET search_path = fleetmark;
      COMMENT ON ROLE fleetmark_reader IS 'Reads the views of fleetmark, and nothing else.';
    EXCEPTION
      WHEN insufficient_privilege THEN
        RAISE NOTICE 'role fleetmark_reader was not created: this user may not create roles';
      WHEN duplicate_object OR unique_violation THEN
        NULL;
    END;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fleetmark_reader') THEN
    PERFORM fleetmark.grant_reader();
  END IF;
END $$;
