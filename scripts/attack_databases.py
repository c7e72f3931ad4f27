#!/usr/bin/env python3
"""attack_databases.py BUILD [--count N] [--seed N] [--only NUMBER]: damaged and hostile databases.

Each is a small database of the CPU device with some flipped bits, a part cut off, values that no tuner
wrote, or a schema that is not ours; every verb is run on it. No command may end by a signal or by an
unexpected error, take longer than a minute, or write control characters; and a verb that only reads leaves
the file as it was, one that writes loses no measurement. What failed stays in BUILD/attacks/databases,
under the number of its database, so that the command can be pasted there. Needs no GPU. Exit code: 0 if
nothing failed, else 1."""
import array
import contextlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys

from attack import Attack, Command, names, parse_options

options = parse_options(__doc__, 500, "databases")

ENDS = ("", "-wal", "-shm", "-journal")
TEXTS = ["", "x", " ", "\x1b[31mred\x1b[0m\x07", "two\nlines\r\x08", "\u202eevil\u200b", "'; DROP TABLE run; --",
         "<script>alert(1)</script></script>", "%s%n{}{0}", "../../../etc/passwd", "x" * 100_000, "null", "nan", "inf",
         "ok", "crashed", "cuda", "cpu", "2025-01-01T00:00:00Z", "9999-99-99T99:99:99Z", "+11533-01-01T00:00:00Z",
         "0000-00-00", "{}", "[]", "[" * 5000, "[1e999]", "[-1]", "[null]", '["1"]', "[1,", '{"block_size":-1}',
         '{"block_size":1e99}', '{"block_size":64,"block_size":32}', '{"unroll":"two"}', "op=sum",
         "op=sum type=f32 accumulator=f32 result=f32 nan=ignore", "op=sum op=min", "op=sum  type=f32", " op=sum", "op=",
         "op=x:0 type=f32,f32,f32,f32,f32 accumulator=f32 result=f32", "op=histogram type=u8 counter=u64 bins=-1",
         "a=1 " * 9999, "12x7", "20x", "020", "-1", "65", "1x1x1x1x1", "99999999999999999999", "a\0b"]
NUMBERS = [0, 1, -1, 2, 3, 7, 62, 63, 64, 127, 2**31 - 1, -2**31, 2**31, 2**32, 2**40, 2**40 + 1, 2**53 + 1,
           2**62, -2**62, 2**63 - 1, -2**63]
REALS = [0.0, -0.0, 1e-6, -1.5, 5e-324, 1e308, -1e308, float("inf"), -float("inf"), None]
BLOBS = [b"", b"\xff\xfe", b"\x00" * 16, b"\x7fELF" + b"\x01" * 100, b"x" * 100_000]
NAMES = names("Operator") + names("ElementType") + names("Determinism") + names("Alignment") + ["reduce", "histogram", "axis"]

# Selects of what is not there, and without end.
VIEWS = ["SELECT * FROM result WHERE 0", "SELECT * FROM best", "SELECT 1 AS measurement_id",
         "SELECT * FROM result, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n)",
         "SELECT * FROM nothing", "SELECT *, 1 / 0 AS zero FROM result", "SELECT randomblob(1000000000) AS params"]
SCHEMA_EDITS = [
    "PRAGMA user_version = -1", "PRAGMA user_version = {number}", "PRAGMA application_id = {number}",
    "PRAGMA schema_version = {number}",
    "DROP VIEW {view}", "DROP VIEW {view}; CREATE VIEW {view} AS {select}", "DROP VIEW {view}; CREATE TABLE {view} (x)",
    "CREATE VIEW extra AS {select}", "CREATE TABLE extra (x)", "CREATE TABLE \"\x1b[2J\" (\"\x07\")",
    "CREATE TRIGGER hostile {when} ON {table} BEGIN DELETE FROM measurement; END",
    "CREATE TRIGGER hostile {when} ON {table} BEGIN UPDATE config SET params = '{{}}'; END",
    "CREATE TRIGGER hostile {when} ON {table} BEGIN SELECT raise({reaction}); END",
    "CREATE TRIGGER hostile AFTER INSERT ON measurement BEGIN DELETE FROM measurement WHERE rowid = new.rowid; END",
    "DROP VIEW best; CREATE VIEW best AS {select}",
    "CREATE INDEX extra ON {table} ({column})", "CREATE UNIQUE INDEX extra ON {table} ({column})",
    "DROP INDEX measurement_by_problem", "DROP INDEX measurement_by_choice", "DROP TABLE {table}",
    "DROP TABLE {table}; CREATE VIEW {table} AS {select}", "ALTER TABLE {table} RENAME TO other",
    "ALTER TABLE {table} RENAME COLUMN {column} TO other", "ALTER TABLE {table} DROP COLUMN {column}",
    "ALTER TABLE {table} ADD COLUMN extra TEXT", "ALTER TABLE {table} ADD COLUMN extra AS ({column} || 'x')",
    "DELETE FROM {table}", "DELETE FROM {table} WHERE rowid % 2", "UPDATE {table} SET {key} = -{key}",
    "UPDATE {table} SET {key} = {key} + 9223372036854775000", "PRAGMA journal_mode = {mode}",
    "PRAGMA page_size = {page}; PRAGMA journal_mode = delete; VACUUM", "PRAGMA auto_vacuum = 1; VACUUM",
    "ANALYZE; UPDATE sqlite_stat1 SET stat = '{text}'", "CREATE VIRTUAL TABLE extra USING fts5(x)",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '{text}' WHERE name = '{any}'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = {number} WHERE name = '{any}'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '{column}', '{text}')",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'TEXT', 'BLOB')",
    "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '{any}'",
]


def connect(path):
    return contextlib.closing(sqlite3.connect(path, isolation_level=None))


def columns(connection, table):
    return [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({table})")]


TABLES = ("run", "problem", "config", "measurement")
KEYS = {table: f"{table}_id" for table in TABLES}


def bits(chance, path, first=0, last=None):
    content = bytearray(path.read_bytes())
    flips = chance.choice((1, 1, 1, 2, 8, 64))
    places = [chance.randrange(first, min(last or len(content), len(content))) for _ in range(flips)]
    for at in places:
        content[at] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return f"{flips} bits from byte {min(places)} on"


def cut(chance, path):
    content = path.read_bytes()
    length = chance.choice((0, 1, 16, 99, 100, 4096, len(content) - 1, chance.randrange(len(content))))
    fill = chance.choice((b"", bytes(4096), chance.randbytes(5000)))
    path.write_bytes(content[:length] + fill)
    return f"cut off at {length}, {len(fill)} bytes more"


def pages(chance, path):
    """Two pages change places, or one is another's copy, or empty."""
    content, size = bytearray(path.read_bytes()), 4096
    one, other = (size * chance.randrange(len(content) // size) for _ in range(2))
    first, second = content[one:one + size], content[other:other + size]
    content[one:one + size] = chance.choice((second, bytes(size), chance.randbytes(size)))
    if chance.random() < 0.5:
        content[other:other + size] = first
    path.write_bytes(content)
    return f"pages at {one} and {other}"


def hostile(chance, kind, old):
    """A value for a column of this type, which STRICT lets in, and one that it does not."""
    texts, reals = TEXTS + NAMES, REALS + NUMBERS
    if isinstance(old, str) and old and chance.random() < 0.4:
        at = chance.randrange(len(old))
        return chance.choice((old[:at], old[:at] + chance.choice("-9.eE\"{}[],:\x1b\x00\u00e9") + old[at + 1:], old + old,
                              old.upper(), old.replace("1", "-1"), old.replace(":", ":1e9"), old.replace(",", ",,"),
                              old.replace(" ", "  ")))
    right = {"TEXT": texts, "INTEGER": NUMBERS, "REAL": reals, "BLOB": BLOBS}.get(kind, texts)
    return chance.choice(chance.choice((right, right, texts, reals, BLOBS)))


def write_loosely(path, change):
    """Past STRICT and NOT NULL, whose words are taken away meanwhile."""
    with connect(path) as connection:
        kept = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = replace(replace(sql, ' STRICT', ''), ' NOT NULL', '') "
                           "WHERE type = 'table'")
    try:
        with connect(path) as connection:
            change(connection)
    finally:
        with connect(path) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            for name, sql in kept:
                connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, name))


def row_edit(chance, path):
    told = []

    def change(connection):
        connection.execute("PRAGMA ignore_check_constraints = ON")
        table = chance.choice(TABLES + ("measurement", "measurement", "problem"))
        column, kind = chance.choice(columns(connection, table))
        rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
        row, old = chance.choice(rows)
        value = hostile(chance, kind, old)
        where = chance.choice(("", f" WHERE rowid = {row}"))
        as_text = chance.random() < 0.1
        assigned = "CAST(x'ff1bc0' AS TEXT)" if as_text else "?"
        connection.execute(f"UPDATE OR IGNORE {table} SET {column} = {assigned}{where}", () if as_text else (value,))
        told.append(f"{table}.{column} = {'invalid UTF-8' if as_text else repr(value)[:60]}{where}")

    for _ in range(chance.choice((1, 1, 2))):
        for _ in range(20):  # STRICT refuses some
            try:
                if chance.random() < 0.3:
                    write_loosely(path, change)
                else:
                    with connect(path) as connection:
                        change(connection)
                break
            except (sqlite3.Error, OverflowError):
                continue
    return "; ".join(told)


def schema_edit(chance, path):
    for _ in range(20):
        with connect(path) as connection:
            table = chance.choice(TABLES)
            objects = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
            words = {"number": chance.choice(NUMBERS[:16]), "view": chance.choice(("best", "best", "result")),
                     "select": chance.choice(VIEWS), "table": table,
                     "column": chance.choice(columns(connection, table))[0],
                     "when": f"{chance.choice(('BEFORE', 'AFTER'))} {chance.choice(('INSERT', 'UPDATE', 'DELETE'))}",
                     "reaction": chance.choice(("IGNORE", "ABORT, 'no'", "ROLLBACK, '\x1b[31m'")), "key": KEYS[table],
                     "mode": chance.choice(("delete", "wal", "persist", "truncate")),
                     "page": chance.choice((512, 1024, 65536)), "text": chance.choice(TEXTS[:12]).replace("'", "''"),
                     "any": chance.choice(objects)}
            statement = chance.choice(SCHEMA_EDITS).format(**words)
            try:
                for each in statement.split("; ") if "TRIGGER" not in statement else [statement]:
                    connection.execute(each)
                return statement[:150]
            except (sqlite3.Error, ValueError):
                continue
    return "nothing"


def with_log(path):
    """As one that a writer was killed at: rows are in the log alone. The folder is left to be copied."""
    copy = path.with_name("open.db")
    shutil.copy(path, copy)
    with connect(copy) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE measurement SET hot_us = 1 + measurement_id")
        for end in ENDS[:3]:
            shutil.copy(f"{copy}{end}", f"{path}{end}")
    for end in ENDS:
        copy.with_name(copy.name + end).unlink(missing_ok=True)


def damage(chance, path):
    """(kind, what was done) to the database."""
    log = path.with_name(path.name + "-wal")
    kind = chance.choices(("bits", "header", "log", "cut", "pages", "foreign", "rows", "schema"),
                          (18, 8, 8, 6, 5, 2, 30, 23))[0]
    if kind == "bits":
        return kind, bits(chance, path)
    if kind == "header":
        return kind, bits(chance, path, 0, 100)
    if kind == "log":
        with_log(path)
        victim = chance.choice((log, log, path, path.with_name(path.name + "-shm")))
        return f"{kind} beside", f"{victim.suffix} {chance.choice((bits, cut))(chance, victim)}"
    if kind == "cut":
        return kind, cut(chance, path)
    if kind == "pages":
        return kind, pages(chance, path)
    if kind == "foreign":
        path.write_bytes(chance.choice((b"", b"notes", b"SQLite format 3\0" + chance.randbytes(4080),
                                        b"PK\3\4" + bytes(99), b"\x93NUMPY\1\0" + bytes(200), b"{", b"[" * 100_000)))
        return kind, f"{path.stat().st_size} bytes"
    return (kind, (row_edit if kind == "rows" else schema_edit)(chance, path))


READ, WRITE = False, True


def commands(chance):
    """(writes, arguments, environment): every verb on bad.db."""
    bad = ["--db", "bad.db"]
    problem = chance.choice((["--op", "sum", "--n", "1000"], ["--op", "max", "--n", "100K"],
                             ["--op", "histogram", "--type", "u8", "--n", "1000"],
                             ["--op", "sum", "--axis", "1", "--shape", "10x33"],
                             ["--op", "custom", "--map", "x * x", "--name", "squares", "--n", "1000"]))
    filters = chance.choice(([], ["--op", "sum,histogram,custom"], ["--type", "f32"], ["--device", "cpu"]))
    sort = chance.choice(("problem", "us", "gbps", "age"))
    brief = ["--device", "cpu", "--budget", "300ms"]
    return [
        (READ, ["show", *bad, *filters, "--sort", sort], {}), (READ, ["show", "--all", *bad], {}),
        (READ, ["show", "--all", "--json", *bad, *filters], {}), (READ, ["show", "--all", "--csv", *bad], {}),
        (READ, ["why", *problem, *bad], {}), (READ, ["why", *problem, "--json", *bad], {}),
        (READ, ["landscape", *problem, *bad], {}),
        (READ, ["landscape", *problem, *bad, "--kernel-tuner", "kernel_tuner.json"], {}),
        (READ, ["report", *bad, *filters, "-o", "page.html"], {}),
        (READ, ["export", *bad, *filters, "-o", "out.json"], {}),
        (READ, ["export", "--best", *bad], {}), (READ, ["import", "out.json", "--db", "other.db"], {}),
        (READ, ["diff", "bad.db", "base.db"], {}), (READ, ["diff", "base.db", "bad.db", "--json"], {}),
        (READ, ["doctor", *bad], {}),
        (READ, ["doctor", "--json"], {"FOLDTUNE_DB": "bad.db", "FOLDTUNE_BUNDLE": "bad.db"}),
        (READ, ["prune", "--older-than", "1", "--dry-run", *bad], {}), (READ, ["bundle", *bad, "-o", "bundle.db"], {}),
        (READ, ["import", "bad.db", "--dry-run", "--db", "base.db"], {}),
        (READ, ["import", "bad.db", "--db", "other.db"], {}),
        (READ, ["import", "base.json", "--dry-run", *bad], {}), (READ, ["revalidate", "--dry-run", *bad], {}),
        (READ, ["run", "--device", "cpu", "--type", "f32", *bad, "numbers.bin"], {}),
        (READ, ["run", "--device", "cpu", "--type", "f32", "numbers.bin"],
         {"FOLDTUNE_DB": "base.db", "FOLDTUNE_BUNDLE": "bad.db"}),
        (READ, ["devices", "--json"], {"FOLDTUNE_DB": "bad.db"}),
        (WRITE, ["pin", *bad], {}), (WRITE, ["unpin", "--op", "max", *bad], {}),
        (READ, ["tune", *problem, "--dry-run", *brief, *bad], {}),
        (WRITE, ["prune", *bad], {}), (WRITE, ["prune", "--other-kernels", *bad], {}),
        (WRITE, ["prune", "--older-than", "0", *bad], {}), (WRITE, ["import", "base.json", *bad], {}),
        (WRITE, ["import", "more.db", *bad], {}), (WRITE, ["revalidate", *brief, *bad], {}),
        (WRITE, ["tune", *problem, "--max-evals", "1", "--no-resume", *brief, *bad], {}),
        (WRITE, ["tune", "--n", "2000", "--op", "sum,max", "--max-evals", "1", *brief, *bad], {}),
    ]


def make_base(attack):
    """A sum, a maximum, a histogram, sums of rows and a custom operator of the CPU device, some of a compiler of before;
    and sums of a GPU, whose kernels take `bundle` too long to be compiled here."""
    attack.environment["FOLDTUNE_NVRTC"] = "/dev/null"
    place, base = attack.place, attack.place / "base.db"
    tune = ["tune", "--device", "cpu", "--max-evals", "2", "--seed", "7", "--db"]
    attack.done(place, *tune, base, "--op", "sum", "--n", "1000,100K")
    attack.done(place, *tune, base, "--op", "max", "--n", "100K")
    with connect(base) as connection:
        connection.execute("UPDATE run SET compiler = 'g++ 1.0.0'")
    attack.done(place, *tune, base, "--op", "sum", "--n", "1000")
    attack.done(place, *tune, base, "--op", "histogram", "--type", "u8", "--n", "1000")
    attack.done(place, *tune, base, "--op", "custom", "--map", "x * x", "--name", "squares", "--n", "1000")
    attack.done(place, *tune, base, "--op", "sum", "--axis", "1", "--shape", "10x33")
    attack.done(place, "pin", "--db", base, "--op", "max")
    attack.done(place, "export", "--db", base, "-o", "base.json")
    attack.done(place, *tune, "more.db", "--op", "min", "--n", "1000")
    subprocess.run([options.build / "tests/robustness/store_tool", "write", base, "1", "6"],
                   stdout=subprocess.DEVNULL, check=True)
    with connect(base) as connection:
        connection.execute("PRAGMA wal_checkpoint(truncate)")
    (place / "numbers.bin").write_bytes(array.array("f", range(1000)).tobytes())


def contents(path):
    return {end: path.with_name(path.name + end).read_bytes() for end in ENDS
            if path.with_name(path.name + end).exists()}


def put(path, content):
    for end in ENDS:
        if end in content:
            path.with_name(path.name + end).write_bytes(content[end])
        else:
            path.with_name(path.name + end).unlink(missing_ok=True)


def measurements(path, views, fingerprints):
    """How many there are, and how many of the best by these views are of these templates; None where nobody can tell."""
    copy = path.with_name("count.db")
    put(copy, contents(path))
    try:
        with connect(copy) as connection:
            tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            if ("measurement",) not in tables:
                return None
            for view in views:
                connection.execute(view.replace("CREATE VIEW", "CREATE TEMP VIEW"))
            return connection.execute("SELECT count(*) FROM measurement NOT INDEXED").fetchone()[0], \
                connection.execute("SELECT count(*) FROM temp.best WHERE template_fingerprint IN "
                                   "(SELECT value FROM json_each(?))", (json.dumps(fingerprints),)).fetchone()[0]
    except (sqlite3.Error, ValueError):  # some names are no UTF-8
        return None
    finally:
        put(copy, {})


def main():
    attack = Attack(options, "databases")
    make_base(attack)
    with connect(attack.place / "base.db") as connection:
        views = [row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'view'")]
        fingerprints = [row[0] for row in connection.execute(
            "SELECT DISTINCT template_fingerprint FROM result WHERE run_id = (SELECT min(run_id) FROM run)")]
    more, _ = measurements(attack.place / "more.db", views, fingerprints)

    def work(number):
        chance = random.Random(f"{options.seed} {number}")
        folder = attack.place / str(number)
        folder.mkdir()
        for name in ("base.db", "base.json", "more.db", "numbers.bin"):
            shutil.copy(attack.place / name, folder)
        bad = folder / "bad.db"
        shutil.copy(attack.place / "base.db", bad)
        kind, what = damage(chance, bad)
        before, count = contents(bad), measurements(bad, views, fingerprints)
        inputs = {name: (folder / name).read_bytes() for name in ("base.db", "base.json", "more.db", "numbers.bin")}
        made = commands(chance)
        for writes, arguments, environment in made:
            command = Command(arguments, environment)
            faults = attack.faults(command, outcome := attack.run(command, folder))
            after = contents(bad)
            # SQLite's own index of the log is no content, nor is an empty log.
            if not writes and any(after.get(end, b"") != before.get(end, b"") for end in ("", "-wal", "-journal")):
                faults.append("a verb that reads changed the database")
            if writes and count is not None:
                added = more if "more.db" in arguments and outcome.status == 0 else 0
                fewest = count[1] if {"--other-kernels", "--older-than"} & set(arguments) else count[0] + added
                kept = measurements(bad, views, fingerprints)
                if kept is None or kept[0] < fewest:
                    faults.append(f"measurements are lost, exit code {outcome.status}")
            if any((folder / name).read_bytes() != content for name, content in inputs.items()):
                faults.append("a file that was read is another one")
            for fault in faults:
                attack.add(f"{kind}: {fault}", number, arguments[0], f"{what!r}: {command.text()}")
            if faults:
                keep = attack.kept / str(number)
                shutil.copytree(folder, keep, dirs_exist_ok=True)
                put(keep / "bad.db", before)
            put(bad, before)
            for name, content in inputs.items():
                (folder / name).write_bytes(content)
        shutil.rmtree(folder)
        return len(made)

    attack.attack(work, options.count)
    return attack.close()


if __name__ == "__main__":
    sys.exit(main())
