#!/usr/bin/env python3
"""The whole comparison in one go: foldtune_bench and the peers of Python in turns, case by case.

    python3 bench/run.py --bench build/release/bench/foldtune_bench --out results [--budget SECONDS]
                         [--cases-per-turn N] [--peer-manners LIST] [--no-peers] [--check]
                         [ARGUMENTS of foldtune_bench, such as --db FILE --case NAMES --n LIST, or --family axis --op sum]

Writes two reports for each turn and `all.json`, which joins them, into the folder; a run that is ended
leaves what it measured. Prints the tables of all contenders, and with --check what is claimed and
missed. Ends as foldtune_bench does. Without PyTorch there are no peers of Python.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys
import time

import peer_report

FAILED = 1


def parse_arguments():
    parser = argparse.ArgumentParser(
        usage="run.py --bench PROGRAM --out FOLDER [--budget SECONDS] [--cases-per-turn N] "
              "[--peer-manners LIST] [--no-peers] [--check] [ARGUMENTS]",
        description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--bench", required=True, help="the program foldtune_bench")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="the folder to write to")
    parser.add_argument("--budget", type=float, help="seconds after which nothing more is begun")
    parser.add_argument("--cases-per-turn", type=int, default=1, metavar="N",
                        help="cases that one program measures before the other has its turn: more take less time")
    parser.add_argument("--peer-manners", default="graph,hot,stream,latency", metavar="LIST",
                        help="the manners in which PyTorch and CuPy are timed")
    parser.add_argument("--no-peers", action="store_true", help="without PyTorch and CuPy")
    parser.add_argument("--check", action="store_true", help="fail unless all thresholds are met")
    parser.add_argument("--case", default=None, help="as for foldtune_bench")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_known_args()


def make_peers(options):
    if options.no_peers:
        return None
    try:
        import peers
        return peers.Peers(shlex.join(sys.argv), options.rounds, options.seed)
    except (ImportError, RuntimeError) as error:
        print(f"run.py: without the peers of Python: {error}", file=sys.stderr)
        return None


def case_names(options, arguments):
    command = [options.bench, "--list"] + (["--case", options.case] if options.case else []) + arguments
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


class Comparison:
    def __init__(self, options, arguments):
        self.options = options
        self.arguments = arguments + ["--rounds", str(options.rounds), "--seed", str(options.seed)]
        self.deadline = None if options.budget is None else time.monotonic() + options.budget
        self.reports = []
        self.failed = False

    def seconds_left(self):
        return None if self.deadline is None else self.deadline - time.monotonic()

    def is_over(self):
        return self.deadline is not None and self.seconds_left() <= 0

    def run_bench(self, names, stem, seconds):
        """The report of the cases, or None."""
        path = self.options.out / f"{stem}.json"
        command = [self.options.bench, "--case", ",".join(names), "--json", str(path)] + self.arguments
        if seconds is not None:
            command += ["--budget", f"{max(seconds, 1e-3):.3f}s"]
        with open(self.options.out / f"{stem}.txt", "w", encoding="utf-8") as log:
            code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
        if code != 0:
            self.failed = True
            print(f"foldtune_bench ended with {code} for {', '.join(names)}: see {stem}.txt", flush=True)
        if not path.exists():
            return None
        self.reports.append(str(path))
        return peer_report.read(path)

    def run_peers(self, peers, bench_report, stem):
        manners = self.options.peer_manners.split(",")
        bench_report["figures"] = [one for one in bench_report["figures"] if one["manner"] in manners]
        path = self.options.out / f"{stem}-peers.json"
        try:
            peers.measure(bench_report, str(path), self.deadline)
        except Exception as error:  # the other cases go on
            self.failed = True
            print(f"the peers failed: {type(error).__name__}: {error}", flush=True)
        if path.exists():
            self.reports.append(str(path))

    def run_turn(self, names, stem, peers):
        begin = time.monotonic()
        report = self.run_bench(names, stem, self.seconds_left())
        middle = time.monotonic()
        if report is not None and peers is not None:
            self.run_peers(peers, report, stem)
        end = time.monotonic()
        print(f"{', '.join(names)}: {middle - begin:.1f} s, peers {end - middle:.1f} s", flush=True)

    def conclude(self):
        """Joins all, and prints it."""
        command = [self.options.bench, "--from", *self.reports, "--json", str(self.options.out / "all.json")]
        if self.options.check:
            command.append("--check")
        code = subprocess.run(command, check=False).returncode
        return code or (FAILED if self.failed else 0)


def main():
    options, arguments = parse_arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    if any(options.out.glob("*.json")):
        sys.exit(f"run.py: {options.out} has reports already; name another folder")
    names = case_names(options, arguments)
    comparison = Comparison(options, arguments)
    peers = make_peers(options)
    for index in range(0, len(names), options.cases_per_turn):
        if comparison.is_over():
            comparison.run_bench(names[index:], "not-run", 0)  # which says so
            break
        comparison.run_turn(names[index:index + options.cases_per_turn], f"{index:02}", peers)
    if not comparison.reports:
        sys.exit("run.py: nothing was measured")
    return comparison.conclude()


if __name__ == "__main__":
    sys.exit(main())
