#!/usr/bin/env python3
"""robustness.py BUILD [--kills N] [--flips N] [--seed N]: what a tuning database meets on a bad day.

Runs every case of docs/robustness.md against the program in the build folder BUILD, and prints a line for
each. What the database holds is read by Python's own sqlite3, not by Foldtune. Faults of the system come
from a preloaded library (tests/robustness/faults.cpp), since a container may mount no small disk and no
network. Needs no GPU. Exit code: 0 if every case came out as documented."""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NFS = 0x6969
NOBODY = 65534
LONGEST_LOOK_UP_MS = 3000  # The timeout is 500 ms; a machine that is busy may be late.

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--kills", type=int, default=100, help="of each of write, import and import-db")
parser.add_argument("--flips", type=int, default=1000)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

PROGRAM = options.build.resolve() / "tuner/foldtune"
TOOL = options.build.resolve() / "tests/robustness/store_tool"
FAULTS = next(options.build.resolve().glob("tests/robustness/*robustness_faults.so"))


class Failed(Exception):
    pass


def require(is_true, what):
    if not is_true:
        raise Failed(what)


def command(name, *arguments):
    return [str(TOOL if name in ("write", "read", "look-up") else PROGRAM), name, *map(str, arguments)]


def environment(faults):
    variables = {f"FAULTS_{name.upper()}": str(value) for name, value in faults.items()}
    return dict(os.environ, LD_PRELOAD=str(FAULTS), **variables) if faults else dict(os.environ)


def start(name, *arguments, **faults):
    return subprocess.Popen(command(name, *arguments), env=environment(faults), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(name, *arguments, **faults):
    return subprocess.run(command(name, *arguments), env=environment(faults), text=True, errors="replace",
                          capture_output=True, timeout=120)


def done(name, *arguments, **faults):
    result = run(name, *arguments, **faults)
    require(result.returncode == 0, f"{name}: exit code {result.returncode}: {result.stderr.strip()} {result.stdout[-300:]}")
    return result


def rows(database):
    """What tells the measurements apart, in their order; the file must be sound."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        integrity = connection.execute("PRAGMA integrity_check").fetchone()[0]
        require(integrity == "ok", f"{database.name}: {integrity}")
        is_made = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'measurement'")
        if not is_made.fetchone()[0]:
            return []
        return [row[0] for row in connection.execute("SELECT samples_us FROM measurement ORDER BY measurement_id")]


def bytes_of(database):
    """The file and its log."""
    log = database.with_name(database.name + "-wal")
    return database.read_bytes(), log.read_bytes() if log.exists() else b""


def clone(database, to):
    for end in ("", "-wal", "-journal"):
        to.with_name(to.name + end).unlink(missing_ok=True)
    shutil.copy(database, to)
    return to


def in_parallel(work, arguments):
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        return list(pool.map(work, arguments))


class Operation:
    """Something that writes to a copy of `before`; `steps` are the numbers of rows it may end with."""

    def __init__(self, name, before, arguments, steps, complete):
        self.name, self.before, self.arguments, self.steps = name, before, arguments, steps
        self.complete = complete  # the rows after it
        self.kept = rows(before)

    def start(self, database, **faults):
        return start(*self.arguments(database), **faults)

    def check(self, database, acknowledged):
        found = rows(database)
        require(found[:len(self.kept)] == self.kept, "rows of before are gone")
        require(set(found) <= set(self.complete) and len(found) == len(set(found)), "rows that nobody wrote")
        added = len(found) - len(self.kept)
        require(added >= acknowledged, f"{acknowledged} rows were reported as stored, {added} are there")
        require(self.steps is None or added in self.steps, f"{added} rows were added: not a whole step")
        done("doctor", "--db", database)
        return added

    def finish(self, database):
        """The same command again: it goes on from there."""
        done(*self.arguments(database))
        require(set(rows(database)) == set(self.complete), "the same command does not complete it")


def make_operations(place):
    base, more, few = place / "base.db", place / "more.db", place / "few.db"
    done("write", base, 1, 200)
    done("write", more, 2, 600)
    done("write", few, 4, 250)
    done("export", "--db", more, "-o", place / "more.json")
    imported, merged = clone(base, place / "imported.db"), clone(base, place / "merged.db")
    done("import", "--db", imported, place / "more.json")
    done("import", "--db", merged, few)
    written = place / "written.db"
    done("write", clone(base, written), 3, 300)
    return [
        Operation("write", base, lambda db: ("write", db, 3, 300), None, rows(written)),
        Operation("import", base, lambda db: ("import", "--db", db, place / "more.json"),
                  {0, 500, 600}, rows(imported)),
        Operation("import-db", base, lambda db: ("import", "--db", db, few), {0, 250}, rows(merged)),
    ]


def many_at_once(place):
    """8 writers and 16 readers, each a process."""
    database, end = place / "many.db", place / "end"
    writers = [start("write", database, seed, 1000) for seed in range(8)]
    while not database.exists() or not rows(database):
        time.sleep(0.01)
    readers = [start("read", database, end) for _ in range(16)]
    reported = [len(writer.communicate()[0].split()) for writer in writers]
    end.touch()
    seen = [reader.communicate()[0].strip() for reader in readers]
    require(reported == [1000] * 8, f"writers stored {reported}")
    require(seen == ["8000"] * 16, f"readers saw {seen}")
    require(len(set(rows(database))) == 8000, "rows are gone")
    done("doctor", "--db", database)
    return "8 writers x 1,000 measurements, 16 readers: 8,000 there, none lost"


def count_writes(place, operation):
    database, count = clone(operation.before, place / "count.db"), place / f"{operation.name}.count"
    begin = time.monotonic()
    process = operation.start(database, count_to=count)
    process.communicate()
    return sum(map(int, count.read_text().split())), time.monotonic() - begin


def kill(place, operation):
    """Every second one at a moment of the clock, the others in the middle of a write to a file."""
    writes, duration = count_writes(place, operation)
    chance = random.Random(options.seed)

    def strike(job):
        number, point = job
        database = clone(operation.before, place / f"kill-{operation.name}-{number}.db")
        if number % 2:
            process = operation.start(database)
            time.sleep(point * duration)
            process.send_signal(signal.SIGKILL)
        else:
            process = operation.start(database, kill_at=1 + int(point * writes))
        reported = process.communicate()[0]
        is_killed = process.returncode == -signal.SIGKILL
        require(is_killed or process.returncode == 0, f"exit code {process.returncode}")
        acknowledged = len(reported.split()) if operation.name == "write" else 0
        added = operation.check(database, acknowledged)
        if operation.name != "write" and number % 5 == 0:
            operation.finish(database)
        database.unlink()
        return is_killed, added

    outcomes = []
    while sum(is_killed for is_killed, _ in outcomes) < options.kills:  # some come after the end
        missing = options.kills - sum(is_killed for is_killed, _ in outcomes)
        jobs = [(len(outcomes) + i, chance.random()) for i in range(missing)]
        outcomes += in_parallel(strike, jobs)
    killed = [added for is_killed, added in outcomes if is_killed]
    between = sum(0 < added < len(operation.complete) - len(operation.kept) for added in killed)
    extra = f", {between} of them between the first new row and the last" if between else ""
    return f"{len(killed)} kills{extra}: opened, every committed row there"


def full_disk(place, operation):
    chance = random.Random(options.seed + 1)
    probe = clone(operation.before, place / "probe.db")
    operation.start(probe).communicate()
    most = 2 * probe.stat().st_size

    def fill(number):
        database = clone(operation.before, place / f"full-{operation.name}-{number}.db")
        process = operation.start(database, disk_bytes=int(chance.random() * most * (number + 1) / 12))
        reported, error = process.communicate()
        require(process.returncode in (0, 5), f"exit code {process.returncode}: {error}")
        is_full = process.returncode == 5
        require(not is_full or "free some space" in error or "check it and its quota" in error,
                f"the reason is not told: {error}")
        operation.check(database, len(reported.split()) if operation.name == "write" else 0)
        if operation.name != "write":
            operation.finish(database)
        return is_full

    full = sum(in_parallel(fill, range(12)))
    require(full >= 3, f"the disk was full only {full} times")
    return f"full {full} times: exit code 5 with the reason, every committed row there"


def read_only(place):
    """As a user whom permissions bind: root becomes nobody, and runs a copy of the program."""
    folder = place / "read-only"
    folder.mkdir()
    programs = tempfile.TemporaryDirectory()
    os.chmod(programs.name, 0o755)
    program = shutil.copy(PROGRAM, programs.name)
    database = clone(place / "base.db", folder / "tuning.db")
    as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    place.chmod(0o755)
    source = shutil.copy(place / "more.db", folder / "source.db")
    source.chmod(0o644)

    def attempt(*arguments):
        return subprocess.run([program, *map(str, arguments)], text=True, capture_output=True, **as_nobody)

    outcomes = []
    for what, file_mode, folder_mode in (("file", 0o444, 0o777), ("folder", 0o666, 0o555)):
        database.chmod(file_mode)
        folder.chmod(folder_mode)
        before = bytes_of(database)
        merged = attempt("import", "--db", database, source)
        shown = attempt("show", "--all", "--json", "--db", database)
        require(merged.returncode == 5 and str(database) in merged.stderr, f"{what}: import: {merged.stderr}")
        require(shown.returncode == 0 and shown.stdout.count('"samples_us"') == 200,
                f"{what}: show: {shown.stderr}")
        require(bytes_of(database)[0] == before[0], f"{what}: the file was changed")
        outcomes.append(what)
    folder.chmod(0o755)
    return f"read-only {' and '.join(outcomes)}: read, refused for writing with exit code 5, left as it was"


def journal_mode(database):
    return {1: "rollback", 2: "log"}[database.read_bytes()[18]]


def network(place):
    nfs = {"file_system": NFS}
    new = place / "network.db"
    first = done("write", new, 1, 10, **nfs)
    require(first.stderr.count("network file system (NFS)") == 1, f"the note: {first.stderr}")
    require(journal_mode(new) == "rollback", "a new one has a log")
    writers = [start("write", new, seed, 50, **nfs) for seed in range(2, 6)]
    readers = [start("read", new, place / "network-end", **nfs) for _ in range(4)]
    require([len(writer.communicate()[0].split()) for writer in writers] == [50] * 4, "writers failed")
    (place / "network-end").touch()
    require([reader.communicate()[0].strip() for reader in readers] == ["210"] * 4, "readers failed")
    # One that comes from a local disk, with a log that a writer left.
    moved, writer = clone(place / "base.db", place / "moved.db"), None
    writer = start("write", moved, 7, 1000)
    for _ in range(20):
        writer.stdout.readline()
    writer.kill()
    kept = 20 + writer.communicate()[0].count("\n")
    read = done("show", "--all", "--json", "--db", moved, **nfs)
    require(read.stdout.count('"samples_us"') >= 200 + kept, "a reader misses rows of the log")
    done("write", moved, 8, 1, **nfs)
    require(journal_mode(moved) == "rollback" and len(rows(moved)) >= 201 + kept, "not brought along")
    # A writer that is killed leaves a journal, which a reader undoes.
    operation = Operation("write", moved, lambda db: ("write", db, 9, 30), None, [])
    writes, _ = count_writes(place, operation)
    for i in range(20):
        database = clone(moved, place / "killed.db")
        before = len(rows(database))
        process = operation.start(database, kill_at=1 + i * writes // 20, **nfs)
        acknowledged = len(process.communicate()[0].split())
        shown = done("show", "--all", "--json", "--db", database, **nfs).stdout.count('"samples_us"')
        require(before + acknowledged <= shown == len(rows(database)), "rows are gone after a kill")
    done("write", new, 10, 1)
    require(journal_mode(new) == "log" and len(rows(new)) == 211, "not back on a local disk")
    return "rollback journal instead of the log, one note, no row lost in 20 kills, back on a local disk"


def damage(place, base, flawed, truth, extra):
    """What becomes of a damaged file: read by show, written to by import."""
    before = bytes_of(flawed)
    shown = run("show", "--all", "--json", "--db", flawed)
    require(shown.returncode in (0, 5), f"show: exit code {shown.returncode}: {shown.stderr[-300:]}")
    require(bytes_of(flawed) == before, "show changed the file")
    if shown.returncode == 0:
        found = len(json.loads(shown.stdout))
        require(found == truth or "note:" in shown.stderr, f"{truth - found} rows are gone without a word")
    merged = run("import", "--db", flawed, extra)
    require(merged.returncode in (0, 5), f"import: exit code {merged.returncode}: {merged.stderr[-300:]}")
    if merged.returncode == 0:
        with contextlib.closing(sqlite3.connect(flawed)) as connection:
            count = connection.execute("SELECT count(*) FROM measurement").fetchone()[0]
        require(count == truth + 1, f"{truth + 1 - count} rows are gone by writing")
        return "opened"
    require(bytes_of(flawed) == before, f"refused, but changed: {merged.stderr}")
    return "refused"


def make_small(place):
    base, extra = place / "small.db", place / "one.db"
    for seed in range(4):
        done("write", base, seed, 30)
    done("write", extra, 99, 1)
    return base, extra, len(rows(base))


def flipped_bits(place):
    base, extra, truth = make_small(place)
    content = base.read_bytes()
    used = [place for place, byte in enumerate(content) if byte]
    chance = random.Random(options.seed + 2)

    def flip(number):
        # Half of the flips hit what is used, and some of these the header.
        at = [chance.randrange(len(content)), chance.choice(used), chance.randrange(len(content)),
              chance.choice(used[:400])][number % 4]
        flawed = clone(base, place / f"flip-{number}.db")
        changed = bytearray(content)
        changed[at] ^= 1 << chance.randrange(8)
        flawed.write_bytes(changed)
        try:
            return damage(place, base, flawed, truth, extra)
        except Failed as failure:
            raise Failed(f"flip {number}, byte {at}, {content[at]:#x} to {changed[at]:#x}: {failure}") from None
        finally:
            for end in ("", "-wal", "-shm"):
                flawed.with_name(flawed.name + end).unlink(missing_ok=True)

    outcomes = in_parallel(flip, range(options.flips))
    return (f"{len(outcomes)} flips: {outcomes.count('opened')} opened with every row, "
            f"{outcomes.count('refused')} refused and left as they were")


def truncated(place):
    base, extra, truth = place / "small.db", place / "one.db", len(rows(place / "small.db"))
    content = base.read_bytes()
    chance = random.Random(options.seed + 3)
    lengths = [1, 15, 60, 99, 100, 4096, len(content) - 4096, len(content) - 1]
    lengths += [chance.randrange(1, len(content)) for _ in range(42)]

    def cut(length):
        flawed = place / f"cut-{length}.db"
        flawed.write_bytes(content[:length])
        return damage(place, base, flawed, truth, extra)

    outcomes = in_parallel(cut, sorted(set(lengths)))
    require(set(outcomes) == {"refused"}, "a truncated file was opened")
    return f"cut off at {len(outcomes)} places: refused and left as they were"


def other_version(place):
    more = place / "more.json"
    for version in (5, 999, -1):
        database = clone(place / "base.db", place / f"version-{version}.db")
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        before = bytes_of(database)
        for arguments in (("show", "--db", database), ("import", "--db", database, place / "one.db"),
                          ("import", "--db", database, more), ("prune", "--db", database),
                          ("prune", "--db", database, "--older-than", 1), ("export", "--db", database),
                          ("import", "--db", place / "copy.db", database),
                          ("tune", "--db", database, "--device", "cpu", "--n", "1K", "--max-evals", 1),
                          ("bundle", "--db", database, "-o", place / "bundle.db")):
            result = run(*arguments)
            require(result.returncode == 5 and f"version {version}" in result.stderr and "--db" in result.stderr,
                    f"{arguments[0]}: {result.stderr}")
            require(bytes_of(database) == before, f"{arguments[0]} changed the file")
    return "versions 5, 999 and -1: refused by every verb with exit code 5, left as they were"


def other_schema(place):
    """A view that gives nothing, one that never ends, and a trigger that deletes what is written."""
    endless = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS measurement_id, * FROM n"
    schemas = {"an empty view": "DROP VIEW best; CREATE VIEW best AS SELECT * FROM result LIMIT 0",
               "an endless view": f"DROP VIEW best; CREATE VIEW best {endless}",
               "both views": f"DROP VIEW result; CREATE VIEW result {endless}",
               "a trigger": "CREATE TRIGGER t AFTER INSERT ON measurement BEGIN DELETE FROM measurement; END",
               "an index": "CREATE INDEX i ON measurement (abs(median_us))"}
    best = len(json.loads(done("show", "--json", "--db", place / "small.db").stdout))
    truth = len(rows(place / "small.db"))
    for name, schema in schemas.items():
        database = clone(place / "small.db", place / "schema.db")
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.executescript(schema)
        before = bytes_of(database)
        shown = done("show", "--json", "--db", database)
        require(len(json.loads(shown.stdout)) == best and "note:" in shown.stderr, f"{name}: show")
        require(len(json.loads(done("show", "--all", "--json", "--db", database).stdout)) == truth, f"{name}: show --all")
        for arguments in (("prune", "--db", database, "--older-than", 0), ("import", "--db", database, place / "one.db")):
            result = run(*arguments)
            require(result.returncode == 5 and re.search("(not as the|none of the) schema", result.stderr),
                    f"{name}: {arguments[0]}: {result.stderr}")
        require(run("doctor", "--db", database).returncode == 5, f"{name}: called sound")
        require(bytes_of(database) == before, f"{name}: changed")
    return f"{', '.join(schemas)}: read as if it were ours, refused for writing"


def taken_away(place):
    """While a writer is at work."""
    def remove(database):
        database.unlink()

    def replace(database):
        shutil.copy(place / "more.json", database.with_name("other"))
        database.with_name("other").rename(database)

    def overwrite(database):
        database.write_bytes(b"x" * 5000)

    for name, strike in (("removed", remove), ("replaced", replace), ("overwritten", overwrite)):
        database = clone(place / "base.db", place / f"{name}.db")
        before = len(rows(database))
        writer = start("write", database, 5, 100000)
        for _ in range(50):
            writer.stdout.readline()
        strike(database)
        reported, error = writer.communicate()
        require(writer.returncode == 5 and "while it was in use" in error, f"{name}: {writer.returncode} {error}")
        if name == "overwritten":
            require(database.read_bytes() == b"x" * 5000, "what was put there was changed")
            continue
        saved = list(database.parent.glob(f"{database.name}.*.saved"))
        require(len(saved) == 1 and str(saved[0]) in error, f"{name}: not saved: {error}")
        require(len(rows(saved[0])) >= before + 50 + len(reported.split()), f"{name}: rows are gone")
    return "removed, replaced, overwritten: exit code 5, and every committed row saved where that can be"


def named_as_output(place):
    database, link, hard = clone(place / "small.db", place / "output.db"), place / "output-link", place / "output-hard"
    link.symlink_to(database)
    os.link(database, hard)
    before = bytes_of(database)
    for path in (database, link, hard, place / "." / "output.db"):
        for arguments in (("export", "--db", database, "-o", path), ("export", "--db", place / "base.db", "-o", path),
                          ("report", "--db", database, "-o", path), ("bundle", "--db", database, "-o", path)):
            result = run(*arguments)
            require(result.returncode in (2, 4) and bytes_of(database) == before, f"{arguments}: {result.stderr}")
    victim = place / "victim"
    victim.write_text("precious")
    victim.chmod(0o640)
    done("export", "--db", database, "-o", victim)
    require(stat.S_IMODE(victim.stat().st_mode) == 0o640, "the mode is lost")
    return "a database, its links and other spellings: refused, left as they were"


def jumping_clock(place):
    """Forward ten years and back, and back ten years and forward, at every measurement."""
    years = 10 * 365 * 24 * 3600
    for step in (years, -years):
        database = place / f"clock{step}.db"
        done("write", database, 1, 40, clock_step=step)
        stored = rows(database)
        numbers = [json.loads(samples)[1] for samples in stored]
        require(numbers == sorted(numbers), "the order of storing is lost")
        with contextlib.closing(sqlite3.connect(database)) as connection:
            times = [row[0][:4] for row in connection.execute("SELECT measured_at FROM measurement ORDER BY measurement_id")]
            best = [row[0] for row in connection.execute("SELECT measurement_id FROM best")]
        require(len(set(times)) == 2, "the clock did not jump")
        require(min(best) > 16, "of equal medians not the one that was stored last is the best")
        looked_up = done("look-up", database)
        require(looked_up.stdout.strip().endswith("tuned"), looked_up.stdout)
        by_age = json.loads(done("show", "--all", "--json", "--sort", "age", "--db", database).stdout)
        ages = [row["measured_at"][:4] for row in by_age]
        expected = sorted(times, reverse=True) if step < 0 else sorted(times)
        require(ages == expected, "a time in the future counts as the newest")
    return "10 years forth and back: the order of storing decides, a time in the future counts as the oldest"


def private_files(place):
    folder = place / "private"
    database = folder / "a/tuning.db"
    old = os.umask(0)
    try:
        writer = start("write", database, 1, 1000)
        for _ in range(10):
            writer.stdout.readline()
        modes = {path.name: stat.S_IMODE(path.stat().st_mode)
                 for path in (folder, database.parent, *sorted(database.parent.iterdir()))}
        writer.communicate()
    finally:
        os.umask(old)
    require(modes == {"private": 0o700, "a": 0o700, "tuning.db": 0o600, "tuning.db-shm": 0o600,
                      "tuning.db-wal": 0o600}, f"{modes}")
    link = place / "link.db"
    link.symlink_to(database)
    require("is a symbolic link" in done("show", "--db", link).stderr, "no note on the link")
    database.chmod(0o666)
    require("may write to the tuning database" in done("show", "--db", database).stderr, "no note on the file")
    database.chmod(0o600)
    folder.joinpath("a").chmod(0o777)
    require("may write to the folder" in done("show", "--db", database).stderr, "no note on the folder")
    folder.joinpath("a").chmod(0o700)
    require("note:" not in done("show", "--db", database).stderr, "a note without need")
    return "0600 and 0700 whatever the umask; notes on a link, an open file and an open folder"


def unusable(place):
    """A program computes without its database, says so once, and waits for no lock."""
    numbers = place / "numbers.bin"
    numbers.write_bytes(b"\x01\x00\x00\x00" * 10)
    small = (place / "small.db").read_bytes()
    text, cut, folder = place / "text.db", place / "cut.db", place / "folder.db"
    text.write_text("These are notes, and no database." * 10)
    cut.write_bytes(small[:20000])
    folder.mkdir()
    locked = clone(place / "small.db", place / "locked.db")
    with contextlib.closing(sqlite3.connect(locked, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        databases = {"text": text, "truncated": cut, "folder": folder, "version": place / "version-999.db",
                     "locked": locked}

        def compute(database):
            result = run("run", "--device", "cpu", "--op", "sum", "--type", "u32", "--db", database, numbers)
            require(result.returncode == 0 and re.search(r"\b10\b", result.stdout), f"{database.name}: {result.stderr}")
            require(result.stderr.count("running untuned") == 1, f"{database.name}: {result.stderr!r}")

        in_parallel(compute, databases.values())
        slowest = 0.0
        for database in databases.values():
            looked_up = done("look-up", database)
            slowest = max(slowest, float(looked_up.stdout.split()[0]))
        require(slowest < LONGEST_LOOK_UP_MS, f"a look-up took {slowest} ms")
    return f"{', '.join(databases)}: computed untuned, said so once; the slowest look-up took {slowest:.0f} ms"


def quick_folder():
    """One in memory if there is, where no flush waits for a disk; a kill does not tell the difference."""
    memory = "/dev/shm"
    enough = 256 << 20
    has_memory = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > enough
    return memory if has_memory else None


def main():
    failures = 0
    with tempfile.TemporaryDirectory(prefix="foldtune-robustness-", dir=quick_folder()) as folder:
        place = pathlib.Path(folder)
        operations = make_operations(place)
        cases = [("many at once", lambda: many_at_once(place))]
        cases += [(f"kill -9 in {operation.name}", lambda operation=operation: kill(place, operation))
                  for operation in operations]
        cases += [(f"full disk in {operation.name}", lambda operation=operation: full_disk(place, operation))
                  for operation in operations]
        cases += [("read-only", lambda: read_only(place)), ("network file system", lambda: network(place)),
                  ("flipped bits", lambda: flipped_bits(place)), ("truncated", lambda: truncated(place)),
                  ("another version", lambda: other_version(place)),
                  ("another schema", lambda: other_schema(place)),
                  ("taken away in use", lambda: taken_away(place)),
                  ("named as an output", lambda: named_as_output(place)),
                  ("jumping clock", lambda: jumping_clock(place)), ("private files", lambda: private_files(place)),
                  ("unusable for a program", lambda: unusable(place))]
        for name, case in cases:
            begin = time.monotonic()
            try:
                outcome, mark = case(), "ok"
            except (Failed, subprocess.TimeoutExpired, sqlite3.Error, OSError, ValueError, KeyError) as failure:
                outcome, mark = f"{type(failure).__name__}: {failure}", "FAILED"
                failures += 1
            print(f"{mark:6} {name:24} {time.monotonic() - begin:5.1f} s  {outcome}", flush=True)
    print(f"{len(cases) - failures} of {len(cases)} cases came out as documented.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
