/// What made a database of version 3 one of version 4, and so every one of version 4: a copy that
/// does not follow cache/migrations.cpp.
#pragma once

namespace foldtune::test {

inline constexpr const char* kSchemaVersion4 = R"sql(
-- Which measurement is the best of a problem, without a look at all the others: kept by triggers,
-- whoever writes. It is by runs, so that what a run is of need not be known here.
DROP VIEW best;
DROP INDEX measurement_by_rank;
DROP INDEX measurement_by_problem;

-- All measurements of a problem in a run, or those of a configuration.
CREATE INDEX measurement_by_problem ON measurement (problem_id, run_id, config_id);

CREATE TABLE best_of_run (
  problem_id            INTEGER NOT NULL,
  run_id                INTEGER NOT NULL,
  round                 INTEGER NOT NULL,
  median_us             REAL NOT NULL,
  measurement_id        INTEGER NOT NULL,
  PRIMARY KEY (problem_id, run_id)
) STRICT, WITHOUT ROWID;
INSERT INTO best_of_run
SELECT problem_id, run_id, round, median_us, id FROM (
  SELECT *, row_number() OVER (
    PARTITION BY problem_id, run_id ORDER BY round DESC, median_us, id DESC) AS place
  FROM measurement WHERE outcome = 'ok')
WHERE place = 1;

CREATE TRIGGER measurement_added AFTER INSERT ON measurement WHEN NEW.outcome = 'ok' BEGIN
  INSERT INTO best_of_run
  VALUES (NEW.problem_id, NEW.run_id, NEW.round, NEW.median_us, NEW.id)
  ON CONFLICT (problem_id, run_id) DO UPDATE
  SET round = excluded.round, median_us = excluded.median_us,
    measurement_id = excluded.measurement_id
  WHERE (-excluded.round, excluded.median_us, -excluded.measurement_id)
      < (-round, median_us, -measurement_id);
END;

CREATE TRIGGER measurement_removed AFTER DELETE ON measurement WHEN OLD.outcome = 'ok' BEGIN
  DELETE FROM best_of_run
  WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id AND measurement_id = OLD.id;
  INSERT INTO best_of_run
  SELECT problem_id, run_id, round, median_us, id FROM measurement
  WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id AND outcome = 'ok'
    AND NOT EXISTS (SELECT 1 FROM best_of_run
                    WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id)
  ORDER BY round DESC, median_us, id DESC LIMIT 1;
END;

CREATE TRIGGER measurement_changed
AFTER UPDATE OF id, run_id, problem_id, outcome, round, median_us ON measurement BEGIN
  DELETE FROM best_of_run
  WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id AND measurement_id = OLD.id;
  INSERT INTO best_of_run
  SELECT problem_id, run_id, round, median_us, id FROM measurement
  WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id AND outcome = 'ok'
    AND NOT EXISTS (SELECT 1 FROM best_of_run
                    WHERE problem_id = OLD.problem_id AND run_id = OLD.run_id)
  ORDER BY round DESC, median_us, id DESC LIMIT 1;
  INSERT INTO best_of_run
  SELECT NEW.problem_id, NEW.run_id, NEW.round, NEW.median_us, NEW.id WHERE NEW.outcome = 'ok'
  ON CONFLICT (problem_id, run_id) DO UPDATE
  SET round = excluded.round, median_us = excluded.median_us,
    measurement_id = excluded.measurement_id
  WHERE (-excluded.round, excluded.median_us, -excluded.measurement_id)
      < (-round, median_us, -measurement_id);
END;

CREATE VIEW best AS
SELECT * FROM result WHERE measurement_id IN (
  SELECT measurement_id FROM (
    SELECT b.measurement_id, row_number() OVER (
      PARTITION BY r.device_id, r.template_fingerprint, r.compiler, b.problem_id
      ORDER BY b.round DESC, b.median_us, b.measurement_id DESC) AS place
    FROM best_of_run b JOIN run r ON r.id = b.run_id)
  WHERE place = 1);
PRAGMA user_version = 4;
)sql";

}  // namespace foldtune::test
