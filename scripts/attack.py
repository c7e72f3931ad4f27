"""What attack_databases.py and attack_command_lines.py share: the program, who judges it, and the table
of what failed. Whatever a command is given, it ends within a minute, by itself and with an exit code of
the manual, says why it failed, and writes nothing that a terminal would obey."""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXIT_CODES = {0, 2, 3, 4, 5, 6, 130}  # docs/command-line.md; 1 is a fault of Foldtune itself
LONGEST_MESSAGE = 64 << 10  # bytes; an argument is told in part
MOST_FILE_BYTES = 1 << 30
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")
CONTROL_IN_JSON = re.compile(rb"[\x00-\x09\x0b\x0c\x0e-\x1f]")

# The same program is compiled once, for all commands: compiling is most of what `run` and `tune` take.
COMPILER = """#!/bin/sh
for argument; do
  case $argument in *.cpp) source=$argument ;; esac
  output=$argument
done
kept=$0.kept.$(sha1sum < "$source" | cut -d ' ' -f 1)
case " $* " in *' -E '*) kept=$kept.text ;; esac
[ -f "$kept" ] && exec cp "$kept" "$output"
c++ "$@" || exit
cp "$output" "$kept.$$" && mv "$kept.$$" "$kept"
"""


def names(enumeration):
    """Those of an enumeration of the catalogue."""
    catalog = (ROOT / "templates/include/foldtune/catalog.h").read_text()
    body = re.search(rf"enum class {enumeration} \{{\n(.*?)^\}};", catalog, re.M | re.S)[1]
    return re.findall(r"^  (\w+),", body, re.M)


def parse_options(description, count, what):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=count, help=f"{what} [{count}]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the one of this number, to see it again")
    parser.add_argument("--hang", type=int, default=60, help="seconds that no command may take [60]")
    parser.add_argument("--memory", type=int, default=4, help="GiB that a command may take; 0: all, for asan [4]")
    return parser.parse_args()


@dataclasses.dataclass
class Outcome:
    status: int  # negative: the signal
    out: bytes
    err: bytes
    seconds: float
    hangs: bool


@dataclasses.dataclass
class Command:
    """One that can be pasted: in which folder, with what around it."""
    arguments: list
    environment: dict = dataclasses.field(default_factory=dict)
    stdin: str = "/dev/null"
    redirection: str = ""  # such as 2>&-

    def text(self, program="foldtune"):
        words = [f"{name}={shlex.quote(value)}" for name, value in self.environment.items()]
        words += [str(program), *(quote(argument) for argument in self.arguments)]
        if self.stdin != "/dev/null":
            words.append(f"< {self.stdin}")
        return " ".join(words + [self.redirection] * bool(self.redirection))


def quote(argument):
    """For bash; what is long is told in part, which does not matter to people."""
    if len(argument) > 200:
        return f"$(printf '{argument[:1]}%.0s' $(seq {len(argument)}))" if len(set(argument)) == 1 else \
            quote(argument[:200])
    if any(ord(c) < 32 or 0xd800 <= ord(c) for c in argument):
        encoded = argument.encode("utf-8", "surrogateescape")
        return "$'" + "".join(chr(b) if 32 <= b < 127 and chr(b) not in "'\\" else f"\\x{b:02x}" for b in encoded) + "'"
    return shlex.quote(argument)


class Attack:
    """The program under attack, in a folder of its own, and what was found."""

    def __init__(self, options, name):
        self.options = options
        self.program = options.build.resolve() / "tuner/foldtune"
        self.findings = {}  # kind to (number, verb, reproduction)
        self.kept = options.build.resolve() / "attacks" / name
        shutil.rmtree(self.kept, ignore_errors=True)
        self.kept.mkdir(parents=True)
        self.folder = tempfile.TemporaryDirectory(prefix="foldtune-attack-")
        self.place = pathlib.Path(self.folder.name)
        self.scratch = self.place / "tmp"
        self.scratch.mkdir()
        compiler = self.place / "c++"
        compiler.write_text(COMPILER)
        compiler.chmod(0o755)
        known = ("PATH", "LANG", "LD_LIBRARY_PATH", "CUDA_HOME")
        self.environment = {name: os.environ[name] for name in known if name in os.environ}
        self.environment |= {"CXX": str(compiler), "TMPDIR": str(self.scratch), "HOME": str(self.place),
                             "FOLDTUNE_DB": str(self.place / "nobody.db")}
        # For the commands, which inherit them: a file or an input without end fills no disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if options.memory:
            resource.setrlimit(resource.RLIMIT_DATA, (options.memory << 30, options.memory << 30))

    def run(self, command, folder):
        """In `folder`, and ends all that the command started if it takes too long."""
        words = [str(self.program), *command.arguments]
        if command.redirection:
            words = ["/bin/sh", "-c", f'exec "$@" {command.redirection}', "sh", *words]
        begin, hangs = time.monotonic(), False
        with open(folder / command.stdin, "rb") as stdin:
            process = subprocess.Popen([word.encode("utf-8", "surrogateescape") for word in words],
                                       cwd=folder, env=self.environment | command.environment, stdin=stdin,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=self.options.hang)
        except subprocess.TimeoutExpired:
            hangs = True
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        return Outcome(process.returncode, out, err, time.monotonic() - begin, hangs)

    def done(self, folder, *arguments):
        """For what the attack itself needs."""
        outcome = self.run(Command(list(map(str, arguments))), folder)
        if outcome.status != 0:
            raise RuntimeError(f"{arguments}: exit code {outcome.status}: {outcome.err.decode(errors='replace')}")
        return outcome

    def faults(self, command, outcome):
        """What no command may do, as kinds."""
        if outcome.hangs:
            return [f"takes longer than {self.options.hang} s"]
        if outcome.status < 0:
            return [f"ends by {signal.Signals(-outcome.status).name}"]
        found = []
        said = outcome.out + outcome.err
        unexpected = re.search(rb"unexpected: ([^\n]{0,60})", outcome.err)
        if unexpected:
            found.append(f"unexpected: {re.sub(r'[0-9]+', 'N', visible(unexpected[1]))}")
        elif outcome.status not in EXIT_CODES and not (outcome.status == 1 and b"memory is not enough" in outcome.err):
            found.append(f"exit code {outcome.status}")
        if outcome.status not in (0, 130) and not said and not command.redirection:
            found.append(f"exit code {outcome.status} without a word")
        control = CONTROL_IN_JSON if {"--json", "export"} & set(command.arguments) else CONTROL
        if "--csv" not in command.arguments and control.search(said):
            found.append("control characters for the terminal")
        if len(outcome.err) > LONGEST_MESSAGE:
            found.append("a message of more than 64 KiB")
        asks_help = any(each.startswith(("--help", "-h")) for each in command.arguments)
        asks_json = "--json" in command.arguments and not asks_help
        if outcome.status == 0 and asks_json and outcome.out and not is_json(outcome.out):
            found.append("JSON that is none")
        return found

    def add(self, kind, number, verb, reproduction):
        self.findings.setdefault(kind, []).append((number, verb, reproduction))
        print(f"FAILED {kind}\n       {number}: {reproduction}", flush=True)

    def attack(self, work, count):
        """`work` of every number, several at a time; a line of progress for each tenth."""
        begin, numbers = time.monotonic(), range(count)
        if self.options.only is not None:
            numbers = [self.options.only]
        commands = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() + 1) as pool:
            for i, made in enumerate(pool.map(work, numbers), start=1):
                commands += made
                if i % max(1, len(numbers) // 10) == 0:
                    failures = sum(map(len, self.findings.values()))
                    print(f"{i} of {len(numbers)}, {commands} commands, {failures} failures, "
                          f"{time.monotonic() - begin:.0f} s", flush=True)

    def close(self):
        """The table of what failed, and the exit code."""
        left = sorted(path.name for path in self.scratch.iterdir())
        if left and not any(kind.split(": ")[-1].startswith(("takes", "ends by")) for kind in self.findings):
            self.add("leaves temporary files", "-", "", f"{len(left)} of them, such as {left[0]}")
        self.folder.cleanup()
        if not self.findings:
            print(f"Nothing failed (seed {self.options.seed}).")
            return 0
        print(f"\n{'times':>5}  {'number':>6}  what, of which verbs, and the shortest command (seed {self.options.seed}; "
              f"in {self.kept})")
        for kind, found in sorted(self.findings.items(), key=lambda item: -len(item[1])):
            number, _, reproduction = min(found, key=lambda each: len(each[2]))
            verbs = ", ".join(sorted({verb for _, verb, _ in found}))
            print(f"{len(found):5}  {number:>6}  {kind} ({verbs})\n{'':15}{reproduction}")
        return 1


def is_json(text):
    def refuse(name):
        raise ValueError(name)
    try:
        json.loads(text.decode(), parse_constant=refuse)
    except ValueError:
        return False
    return True


def visible(text):
    return text.decode(errors="replace").encode("unicode_escape").decode()
