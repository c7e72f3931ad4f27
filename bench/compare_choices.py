#!/usr/bin/env python3
"""How good a tuning's choices are, and how well two tunings agree.

    foldtune tune ARGUMENTS --db first.db
    foldtune tune ARGUMENTS --db second.db --seed 2
    cp first.db all.db && foldtune tune ARGUMENTS --db all.db --effort exhaustive
    python3 bench/compare_choices.py first.db second.db all.db

The last tuning compares the best of all configurations, and what the first one chose, in interleaved
rounds of one process. Each choice is set against the best of that comparison by its figure there; one
that did not take part, by the screening of all (marked *). The last column is how far the figures of
the two tunings are apart.
"""

import sqlite3
import statistics
import sys


def choices(path):
    """(problem, count) -> (params, microseconds) of what was chosen."""
    query = """SELECT op, element_type, options, element_count, params, median_us FROM best
               ORDER BY op, element_type, options, element_count"""
    return {row[:4]: row[4:] for row in sqlite3.connect(path).execute(query)}


class Exhaustive:
    """The last run of a database, in which everything was tried."""

    def __init__(self, path):
        self.database = sqlite3.connect(path)
        self.run = self.database.execute("SELECT max(run_id) FROM result").fetchone()[0]

    def times(self, problem, where):
        query = f"""SELECT params, median_us FROM result
                    WHERE op = ? AND element_type = ? AND options = ? AND element_count = ?
                    AND outcome = 'ok' AND {where} ORDER BY measurement_id"""
        return dict(self.database.execute(query, problem))

    def loss(self, problem, params):
        """How much slower the configuration is than the best, and whether by the screening."""
        compared = self.times(problem, f"run_id = {self.run} AND round > 0")
        times = compared if params in compared else self.times(problem, "round = 0")
        return times[params] / min(times.values()) - 1, params not in compared


def summary(losses):
    return f"median {statistics.median(losses):.1%}, worst {max(losses):.1%}"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    first, second = choices(sys.argv[1]), choices(sys.argv[2])
    everything = Exhaustive(sys.argv[3])
    losses = ([], [])
    apart = []
    print(f"{'problem':24} {'first us':>9} {'loss':>7}  {'second us':>9} {'loss':>7}  {'apart':>7}")
    for problem in (key for key in first if key in second):
        op, element_type, options, count = problem
        cells = []
        for tuning, column in zip((first, second), losses):
            params, us = tuning[problem]
            loss, is_screened = everything.loss(problem, params)
            column.append(loss)
            cells.append(f"{us:9.3f} {loss:6.1%}{'*' if is_screened else ' '}")
        times = [tuning[problem][1] for tuning in (first, second)]
        apart.append(max(times) / min(times) - 1)
        name = " ".join(filter(None, (op, element_type, options, str(count))))
        print(f"{name:24} {'  '.join(cells)}  {apart[-1]:6.1%}")
    print(f"first: {summary(losses[0])}; second: {summary(losses[1])}; apart: {summary(apart)}")


if __name__ == "__main__":
    main()
