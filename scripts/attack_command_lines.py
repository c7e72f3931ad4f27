#!/usr/bin/env python3
"""attack_command_lines.py BUILD [--count N] [--seed N] [--only NUMBER]: random command lines.

Verbs, options and their kinds of values are those of `foldtune VERB --help`; the values are right, odd or
hostile, and so are files, variables and streams. No command may end by a signal or by an unexpected error,
take longer than a minute, fail without a word, or write control characters; and no file of its folder
changes but what the verb is to write. What failed stays in BUILD/attacks/command_lines, a folder for each
number, in which the command can be pasted. Needs no GPU. Exit code: 0 if nothing failed, else 1."""
import array
import contextlib
import random
import re
import shutil
import sqlite3
import struct
import sys

from attack import Attack, Command, names, parse_options

options = parse_options(__doc__, 2000, "command lines")

OPERATORS, TYPES = [*names("Operator"), "histogram"], names("ElementType")
WRITERS = ("tune", "revalidate", "import", "pin", "unpin", "prune")
DATABASES = ("tuned.db", "other.db", "link.db", "empty")  # an empty file becomes one
HOSTILE = ["", " ", "-", "--", "-1", "0", "1e400", "nan", "inf", "-inf", "18446744073709551616", "9223372036854775808",
           "1.5", "0x10", "1_000", "１２", "\u00e9", "\x1b[31mred\x07", "two\nlines", "\udcff\udcfe", "%s%n{}",
           "x" * 100_000, ",", ",,", "a,b,", "..", "../..", "/", "$(id)", "'\"", "--help", "NULL", ":", "=", "@tuned.db"]
COUNTS = ["1000", "1", "2", "64K", "2^10", "1e3", "999", "100,1000"]
ODD_COUNTS = ["0", "2^40", "2^41", "2^64", "2^-1", "2^", "^2", "1e-3", "1e18", "4G", "1T", "1KK", "2^10..2^4",
              "1..2:1", "1..2:0", "1..8:0.5", "1..8:-2", "1..", "..8", "1..2^20:1e-9", "0..8", "1,0", "K", "1 000", "+1"]
TIMES = ["100ms", "300ms", "1s", "0.5", "0.001m"]
ODD_TIMES = ["0", "0s", "-1s", "1", "1x", "ms", "1e400h", "1:30", "0.0001ms", "1s1s", "nan", "nans"]
CODES = ["x", "x * x", "i", "a + b", "a > b ? a : b", "0", "1", "sqrt(a)", "a / n", "-x"]
ODD_CODES = [")", "(", "x +", "x; }", "}", "/*", "//", "\"", "'", "#error no", "x\n#error no", "\\", "x\\\n+ 1",
             "int", "y", "w", "a.value", "Accumulator{}", "Accumulator{0.0f, 0}", "x @ x", "static_assert(false)", "\u00e9",
             "throw 1", "???/", "R\"(", "x" * 5000]
# By the option's name, else by the word for its value: (right, odd).
VALUES = {
    "--op": (OPERATORS, ["every", "all,any", "sum,sum", "SUM", "sum,", "sum min", "summ"]),
    "--type": (TYPES, ["every", "F32", "f32,f64", "f8", "float", "u1"]),
    "--accumulator": (TYPES, ["value:f32,index:u32", "value:f32", ":f32", "a:f32,a:f32", "1a:f32", "class:i32", "f32,f32",
                              ",".join(f"m{i}:f64" for i in range(9))]),
    "--result": (TYPES, ["every", "void"]), "--counter": (["u32", "u64"], ["i8", "f32"]),
    "--inputs": (["f32", "f32,f32", "u8,f64", "i32"], ["f32,", "f32,f32,f32,f32,f32", "every"]),
    "--nan": (["propagate", "ignore"], ["Ignore", "yes"]), "--ddof": (["0", "1"], ["2", "1.0", "-1"]),
    "--determinism": (names("Determinism"), ["every", "run-to-run"]), "--layout": (names("Alignment"), ["16", "pitched", "strided"]),
    "--conditions": (["cold_graph", "warm_graph", "cold_stream", "warm_stream"], ["warm", "every", "cold-graph"]),
    "--axis": (["0", "1", "-1", "0,1"], ["2", "1,1", "1,", "one", "-3", "99999999999"]),
    "--output": (["results.npy"], ["ramp.npy", "tuned.db", ".", "missing/x.npy", "-"]),
    "--segments": (["offsets.npy"], ["edges.npy", "ramp.npy", "missing", "tuned.db", "."]),
    "--offsets": (["i32", "i64"], ["f32", "every"]),
    "--lengths": (["uniform", "equal", "power_law", "one_long", "mostly_empty"], ["zipf", "every"]),
    "--family": (["reduce", "histogram", "axis", "segments"], ["scan", "mine.json", "missing/own.json", "."]),
    "--effort": (["quick", "normal"], ["Quick", "most"]), "--search": (["default", "seeded", "random"], ["annealing"]),
    "--distribution": (["uniform", "zipf", "constant"], ["normal"]), "--binning": (["even", "custom", "key"], ["odd"]),
    "--section": (["B"], ["F", "B,B", "AB", "b"]), "--bins": (["4", "256", "1000"], ["1", "2^20", "2^21", "1e6", "2.5"]),
    "--range": (["0:1", "-1:1", "0.5:1e3"], ["1:0", "1:1", "0:inf", "nan:1", "0", "0:", ":1", "0:1:2", "-1e308:1e308",
                                             "0:1e-310"]),
    "--device": (["cpu"], ["all", "cuda:0", "cuda:99", "cuda:", "cuda:-1", "CPU", "cpu:0", "h200"]),
    "--tolerance": (["0.001", "0"], ["1e-300", "1e300", "-0.1"]), "--sort": (["problem", "us", "gbps", "age"], ["name"]),
    "--seed": (["0", "7", "18446744073709551615"], ["abc", "1e3"]), "--threads": (["1", "2"], ["0", "1e1"]),
    "--name": (["mine", "a_b1"], ["1abc", "a b", "a-b", "reduce"]), "--repeat": (["1", "3", "100"], ["0", "1e2", "2.5"]),
    "--timeout": (["0", "60"], ["1e2", "2.5", "-1"]),
    "--max-evals": (["1", "2"], ["0"]), "--older-than": (["0", "1", "30", "36500"], ["0.5", "1e9", "1e18"]),
    "--recorded": (["calls.txt"], ["broken.json", "ramp.npy", "tuned.db", "missing.txt", ".", "/dev/null"]),
    "--custom": (["mine.json"], ["broken.json", "tuned.json", "missing.json", "ramp.npy"]),
    "--edges": (["edges.npy"], ["ramp.npy", "missing", "tuned.db", "numbers.f32", "."]),
    "--kernel-tuner": (["new.json"], ["tuned.db", "mine.json", "link.db", ".", "missing/new", "./tuned.db"]),
    "COUNTS": (COUNTS, ODD_COUNTS), "COUNT": (COUNTS[:-1], ODD_COUNTS), "SHAPES": (COUNTS, [*ODD_COUNTS, "4x4", "x", "1x", "1x1x9x33"]),
    "SHAPE": (COUNTS[:-1], ["4x4", "x", "4096x", "2^10x2^10"]), "N": (COUNTS[:-1], ODD_COUNTS),
    "TIME": (TIMES, ODD_TIMES), "CODE": (CODES, ODD_CODES), "DAYS": (["1"], []),
    "TEXT": (["cpu"], ["nothing", "CPU", "cuda:0", "cuda:99", "cuda:", "cuda:x", "all"]),
}
INPUTS = ["numbers.f32", "ramp.npy", "matrix.npy", "bytes.u8", "wide.npy"]
ODD_INPUTS = ["missing", ".", "tuned.db", "empty", "broken.npy", "tuned.json", "/dev/null", "-", "archive.npz", "odd.bin",
              "/proc/self/mem", "link.db", "locked"]
# Places of a file, by verb: what it reads, where it is written.
SOURCES = {"run": (INPUTS, ODD_INPUTS), "import": (["tuned.json", "other.db"], ["tuned.db", *ODD_INPUTS, "broken.json"]),
           "diff": (["tuned.db", "other.db"], ODD_INPUTS)}
TARGETS = (["new.out", "-"], ["tuned.db", "./tuned.db", "other.db", "link.db", "tuned.db-wal", ".", "missing/new",
                              "/dev/full", "/dev/null", "old.out", "", "ramp.npy"])
NO_FOLDERS = ["missing", "missing/in", "empty", "numbers.f32", "tuned.db", "/proc", "/dev/null", "x" * 300, ""]
ENVIRONMENTS = [("FOLDTUNE_DB", ["other.db", "missing.db", "empty", "odd.bin", ".", "", "missing/a.db", "link.db"]),
                ("FOLDTUNE_CACHE_BYTES", ["0", "-1", "64M", "abc", "1e99", ""]), ("FOLDTUNE_LOG", ["debug", "loud", ""]),
                ("FOLDTUNE_BUNDLE", ["other.db", "missing.db:other.db", ":::", "odd.bin", ".", "x" * 5000]),
                ("TMPDIR", NO_FOLDERS), ("HOME", ["", "missing", "empty"]), ("COLUMNS", ["0", "-1", "abc"]),
                ("LANG", ["C", "de_DE.UTF-8", "abc"]), ("XDG_CACHE_HOME", ["relative", "/dev/null"]), ("PATH", [""])]
REDIRECTIONS = ["> /dev/full", "2> /dev/full", "> /dev/full 2>&1", ">&-", "2>&-", ">&- 2>&-", "<&-"]


class Grammar:
    """The verbs with their options, as the program tells them."""

    def __init__(self, attack):
        told = attack.done(attack.place, "--help").out.decode()
        verbs = re.search(r"^Verbs:\n((?:  .*\n)+)", told, re.M)[1]
        self.verbs = {verb: self.of(attack, verb) for verb in re.findall(r"^  (\w+)", verbs, re.M)}

    @staticmethod
    def of(attack, verb):
        """(name, word for the value or None, is required, heading, short name or None) of each option."""
        told = attack.done(attack.place, verb, "--help").out.decode()
        options_of, heading = [], ""
        for line in told.splitlines():
            heading = line if re.match(r"\w[\w ]*:", line) else heading
            found = re.match(r"  (?:(-\w),)?(--[\w-]+)(?: ((?!Excludes)[A-Z][A-Z:]*))?( REQUIRED)?", line)
            if found:
                options_of.append((found[2], found[3], bool(found[4]), heading, found[1]))
        assert len(options_of) == told.count("\n  -"), f"options of {verb} that this script cannot read"
        return options_of


class Chance(random.Random):
    """Some command lines are right in most values, so that more than the first wrong one is met."""

    def __init__(self, seed):
        super().__init__(seed)
        self.right = self.choice((0.6, 0.9, 0.97, 1.0))

    def pick(self, right, odd):
        if self.random() < self.right:
            return self.choice(right)
        return self.choice(odd if odd and self.random() < 0.7 else HOSTILE)


def value_of(chance, name, word):
    if name == "--db":
        return chance.pick(["tuned.db", "tuned.db", "new.db"], [*ODD_INPUTS, "missing/a.db", "old.out"])
    if name == "--output":
        return chance.pick(*TARGETS)
    if name == "--op" and chance.random() < 0.5:
        return "sum"
    if name in ("--op", "--type") and word == "LIST" and chance.random() < 0.2:
        return ",".join(chance.choices(VALUES[name][0], k=2))
    if name == "--device" and word == "TEXT":
        word, name = "TEXT", ""
    return chance.pick(*VALUES.get(name, VALUES.get(word) or (HOSTILE, [])))


def of_one_operator(chance, chosen):
    """Options of custom operators and of families stand under headings of their own: mostly those of one."""
    headings = {each[3] for each in chosen} & {"Custom operators:", "Family histogram:", "Family axis:", "Family segments:"}
    if not headings or chance.random() > chance.right:
        return chosen, []
    heading = chance.choice(sorted(headings))
    chosen = [each for each in chosen if each[3] in (heading, "Options:") and each[0] not in ("--op", "--family")]
    if heading == "Family histogram:":
        return chosen, ["--op", "histogram"]
    if heading == "Family segments:":
        return [each for each in chosen if each[0] != "--segments"], ["--family", "segments", "--segments", "offsets.npy"]
    if heading == "Family axis:":
        return [each for each in chosen if each[0] != "--axis"], ["--axis", "0"]
    return [each for each in chosen if each[0] != "--type"], ["--op", "custom"]


def make_command(chance, grammar):
    verb = chance.choices(list(grammar.verbs), [{"run": 8, "tune": 3, "import": 3, "ladder": 0.3, "devices": 0.5,
                                                 "doctor": 0.7}.get(each, 1.5) for each in grammar.verbs])[0]
    given = grammar.verbs[verb]
    chosen = [each for each in given if each[2] and chance.random() < 0.95]
    chosen += chance.sample(given, min(len(given), chance.choice((0, 1, 2, 2, 3, 4, 6))))
    if chance.random() < 0.9:
        chosen = list(dict.fromkeys(each for each in chosen if each[0] != "--help"))
    # What takes long for good reasons is none of this script's business.
    if verb in ("tune", "revalidate", "ladder", "run"):
        chosen += [each for each in given if each[0] in ("--budget", "--max-evals", "--n", "--device", "--section")]
        chosen = list(dict.fromkeys(chosen))
    chosen, words = of_one_operator(chance, chosen)
    for name, word, _, _, short in chosen:
        if word is None:
            words.append(name + chance.choice(("=", "=x", "=--json")) if chance.random() < 0.02 else name)
            continue
        value = value_of(chance, name, word)
        if verb == "ladder" and name == "--n":
            value = "100"
        if short and chance.random() < 0.3:
            words += chance.choice(([f"{short}={value}"], [short + value], [short, value]))
            continue
        words += [f"{name}={value}"] if chance.random() < 0.3 or value.startswith("-") else [name, value]
    if verb in SOURCES and chance.random() < 0.97:
        usual = 2 if verb == "diff" or "dot" in words or "f32,f32" in words else 1
        count = usual if chance.random() < 0.9 else chance.choice((0, 1, 2, 3, 50))
        words += [chance.pick(*SOURCES[verb]) for _ in range(count)]
        option = "--inputs" if "custom" in words or "--custom" in words else "--type"
        if verb == "run" and words[-1].endswith((".f32", ".u8")) and option not in words and chance.random() < 0.8:
            words += [option, words[-1].split(".")[1]]
    if chance.random() < 0.03:
        words.insert(chance.randrange(len(words) + 1), chance.choice(HOSTILE + ["--unknown", "-x", "--d", "---"]))
    if chance.random() < 0.03 and words:
        words.remove(chance.choice(words))
    if chance.random() < 0.02:
        verb = chance.choice(HOSTILE + ["Run", "runn", "sho", "worker", "check"])
    environment = {}
    if verb == "bundle" and chance.random() < 0.2:  # which makes temporary files, and is met seldom
        environment["TMPDIR"] = chance.choice(NO_FOLDERS)
    while chance.random() < 0.1:
        name, values = chance.choice(ENVIRONMENTS)
        environment[name] = chance.choice(values)
    return Command([verb, *(word.replace("\0", "") for word in words)], environment,
                   chance.choice(("numbers.f32", "tuned.json", "odd.bin")) if chance.random() < 0.1 else "/dev/null",
                   chance.choice(REDIRECTIONS) if chance.random() < 0.05 else "")


def npy(descr, shape, content, fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


def make_files(attack):
    """What every command finds in its folder."""
    place = attack.place / "files"
    place.mkdir()
    floats = array.array("f", [i / 7 - 50 for i in range(1000)]).tobytes()
    for name, content in (("numbers.f32", floats), ("ramp.npy", npy("<f4", "(1000,)", floats)),
                          ("bytes.u8", bytes(range(256))), ("empty", b""), ("odd.bin", b"x" * 4097),
                          ("matrix.npy", npy("<f4", "(10, 100)", floats, fortran=True)),
                          ("wide.npy", npy("<i8", "(500,)", floats)), ("broken.npy", npy("<f4", "(9999999999,)", floats)),
                          ("edges.npy", npy("<f4", "(3,)", array.array("f", [0, 1, 2]).tobytes())), ("old.out", b"old"),
                          ("offsets.npy", npy("<i4", "(4,)", array.array("i", [0, 10, 10, 64]).tobytes())),
                          ("archive.npz", b"PK\3\4" + bytes(500)),
                          ("mine.json", b'{"name": "mine", "inputs": ["f32"], "map": "x * x", "finish": "sqrt(a)"}'),
                          ("broken.json", b'{"name": "mine", "inputs": "f32", "map": 7, "more": [[['),
                          ("calls.txt", b"# calls\n--op max --type i32 --n 1000\n")):
        (place / name).write_bytes(content)
    tune = ["tune", "--device", "cpu", "--max-evals", "2", "--n", "1000", "--db"]
    attack.done(place, *tune, "tuned.db", "--op", "sum,max")
    attack.done(place, *tune, "other.db", "--op", "histogram", "--type", "u8")
    attack.done(place, *[each for each in tune if each not in ("--n", "1000")], "tuned.db", "--axis", "1", "--shape", "9x33")
    attack.done(place, "export", "--db", "tuned.db", "-o", "tuned.json")
    for path in place.glob("*.db"):  # without a log beside it
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(truncate)")
    (place / "link.db").symlink_to("tuned.db")
    (place / "locked").mkdir()
    return place


def changed(folder, content, command):
    """Names of files that are other ones, though the command is not to write them."""
    verb, words = command.arguments[0], command.arguments[1:]
    databases = {folder.resolve() / name for name in DATABASES}
    written = set()
    if verb in WRITERS:
        written = {path.resolve() for path in databases}
        if verb == "import":  # what is read, and not written
            target = [each.removeprefix("--db=") for i, each in enumerate(words)
                      if each.startswith("--db=") or words[i - 1:i] == ["--db"]]
            written = {(folder / (target[-1] if target else command.environment.get("FOLDTUNE_DB", "none"))).resolve()}
    elif verb in ("report", "export", "bundle", "landscape"):
        written = {folder / "old.out", folder / "ramp.npy"}
    elif verb == "run" and sum("ramp.npy" in each for each in words) == 1:  # as --output, and no input
        written = {folder / "ramp.npy"}
    return [name for name, before in content.items()
            if (folder / name).resolve() not in written
            and (not (folder / name).is_file() or (folder / name).read_bytes() != before)]


def main():
    attack = Attack(options, "command_lines")
    grammar, files = Grammar(attack), make_files(attack)
    content = {path.name: path.read_bytes() for path in files.iterdir() if path.is_file()}

    def work(number):
        chance = Chance(f"{options.seed} {number}")
        command = make_command(chance, grammar)
        folder = attack.place / str(number)
        shutil.copytree(files, folder, symlinks=True)
        command.environment.setdefault("FOLDTUNE_DB", "tuned.db")
        outcome = attack.run(command, folder)
        faults = attack.faults(command, outcome)
        faults += [f"{name} is another file" for name in changed(folder, content, command)]
        left = [path.name for path in folder.iterdir() if ".tmp" in path.name]
        if left:
            faults.append("a temporary file is left beside the target")
        for fault in faults:
            streams = ", a stream being closed or full" if command.redirection else ""
            attack.add(fault + streams, number, command.arguments[0][:20], command.text())
        if faults:
            shutil.copytree(files, attack.kept / str(number), symlinks=True)
        shutil.rmtree(folder)
        return 1

    attack.attack(work, options.count)
    return attack.close()


if __name__ == "__main__":
    sys.exit(main())
