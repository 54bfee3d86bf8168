-- Rates of networks have a unit of their own, so that people see decimal megabits.
SET LOCAL search_path = fleetmark;

ALTER TABLE metric DROP CONSTRAINT metric_unit_known;
ALTER TABLE metric ADD CONSTRAINT metric_unit_known
  CHECK (unit IN ('seconds', 'bytes', 'bytes_per_second', 'bits_per_second',
                  'iterations_per_second', 'operations_per_second', 'ratio', 'count'));
ALTER TABLE result DROP CONSTRAINT result_unit_known;
ALTER TABLE result ADD CONSTRAINT result_unit_known
  CHECK (unit IN ('seconds', 'bytes', 'bytes_per_second', 'bits_per_second',
                  'iterations_per_second', 'operations_per_second', 'ratio', 'count'));
