#!/usr/bin/env python3
"""Includes go one way: each target finds the folders of what it links, and no others.

    layers_test.py COMPILER FOLDER ROOT

FOLDER has a file TARGET.includes for each target: the include paths that CMake compiles it with, a line each.
"""
import pathlib
import re
import subprocess
import sys
import unittest

# A target, a header that it may include, and one that it may not.
TRIALS = [
    ("foldtune_templates", "templates/space.h", "cache/config_store.h"),
    ("foldtune_cache", "cache/config_store.h", "templates/space.h"),
    ("foldtune_support", "cache/printable.h", "runtime/device/device.h"),
    ("foldtune_device", "runtime/support/log.h", "runtime/lookup/lookup.h"),
    ("foldtune", "runtime/device/device.h", "tuner/session/tuner.h"),
    ("foldtune_tuner", "runtime/launch/plan.h", "tuner/exchange/bundle.h"),
    ("foldtune_inspect", "tuner/session/tuner.h", "tuner/commands/options.h"),
    ("foldtune_report", "tuner/inspect/stored_rows.h", "tuner/commands/options.h"),
    ("foldtune_cli", "tuner/report/page.h", "bench/cases.h"),
    ("foldtune_program", "tuner/commands/cli.h", "bench/cases.h"),
]

# The folders of the product; each may include those before it. A family's folder and what lies beside
# it know each other, and so do its judge and its part of `run` and what they are for (joined by +).
FOLDERS = """templates/device templates/device/operators templates/fold templates/reduce templates/histogram templates/axis templates/segments
    templates/described
    templates cache
    runtime/support runtime/device runtime/device/cpu runtime/device/cuda runtime/compile runtime/launch
    runtime/lookup runtime/api
    tuner/text tuner/problem tuner/files
    tuner/verify+templates/fold/judge+templates/axis/judge+templates/segments/judge+templates/reduce/judge+templates/histogram/judge+templates/described/judge tuner/measure tuner/search tuner/worker tuner/session
    tuner/exchange tuner/inspect tuner/report
    tuner/commands+templates/fold/run+templates/axis/run+templates/segments/run+templates/reduce/run+templates/histogram/run""".split()

# What names a family: its headers, its typed problems and tunables, its functions, its name as text. Its
# folder may, and so may the registries and the public API. Comments may, for examples.
NAMES_A_FAMILY = re.compile(
    r"templates/(axis|reduce|histogram|segments)/|foldtune/(axis|reduc|histogram|segment)\w*\.h|"
    r"\b(Axis|Segment)?Reduction\b|HistogramWorkload|(Axis|Reduce|Histogram|Segment)Params|"
    r"(reduction|histogram)_of\b|(axis|reduce|histogram|segments?)_(family|params|judge|runnable)|"
    r'\.histogram\b|"(axis|reduce|histogram|segments)"')
MAY_NAME_ONE = re.compile(
    r"(templates/(axis|fold|reduce|histogram|segments)|templates/include|runtime/include|runtime/api)/|"
    r"(templates/registry|tuner/verify/judges|tuner/commands/runnable_families)\.cpp$")

FAMILIES = ("axis", "segments", "reduce", "histogram", "described")

# Besides judges, parts of `run` and tests: the lists of them, and what loads a family from a file, which
# brings its judge.
MAY_TAKE_A_JUDGE = re.compile(
    r"tuner/(verify/judges|commands/runnable_families|commands/cli|session/(worker_roles|textbook))\.cpp$")


def sources(*folders):
    """The files of code, each with its name and the headers that it includes."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".cuh"):
                yield str(path.relative_to(ROOT)), re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)


class Layers(unittest.TestCase):
    def compiles(self, target, header):
        includes = [f"-I{line}" for line in (FOLDER / f"{target}.includes").read_text().split()]
        run = subprocess.run([COMPILER, "-std=c++20", "-x", "c++", "-fsyntax-only", *includes, "-"],
                             cwd=FOLDER, input=f'#include "{header}"\n', capture_output=True, text=True, check=False)
        if run.returncode and not re.search(re.escape(header) + r".*(No such file|not found)", run.stderr):
            self.fail(f"{header} for {target} does not compile for another reason:\n{run.stderr}")
        return run.returncode == 0

    def test_a_target_finds_what_it_links_and_nothing_else(self):
        for target, right, wrong in TRIALS:
            with self.subTest(target=target):
                self.assertTrue(self.compiles(target, right), f"{target} does not find {right}")
                self.assertFalse(self.compiles(target, wrong), f"{target} finds {wrong}")

    def test_no_folder_includes_one_above_it(self):
        place = {folder: i for i, group in enumerate(FOLDERS) for folder in group.split("+")}
        for path in sorted(ROOT.glob("*/**/*")):
            folder = str(path.parent.relative_to(ROOT))
            if folder.split("/")[0] not in ("templates", "cache", "runtime", "tuner"):
                continue
            if path.suffix not in (".h", ".cpp", ".cuh") or "include/foldtune" in folder:
                continue
            self.assertIn(folder, place, f"where does {path} belong?")
            for header in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                other = header.rpartition("/")[0]
                if other == "foldtune" or folder.startswith("templates") and other.startswith("templates"):
                    continue
                self.assertIn(other, place, f"{path} includes {header}")
                self.assertLessEqual(place[other], place[folder], f"{path} includes {header}")

    def test_families_include_neither_one_another_nor_are_they_included_by_device_code(self):
        for name, headers in sources("templates"):
            owner = name.split("/")[1]
            if owner not in (*FAMILIES, "device"):
                continue
            for header in headers:
                other = (header.split("/") + [""])[1] if header.startswith("templates/") else ""
                if other in FAMILIES:
                    self.assertEqual(other, owner, f"{name} includes {header}")

    def test_judges_and_parts_of_run_are_included_by_their_like_and_by_the_lists_alone(self):
        for name, headers in sources("templates", "cache", "runtime", "tuner"):
            own = re.match(r"templates/\w+/(judge|run)/", name)
            for header in headers:
                taken = re.match(r"templates/\w+/(judge|run)/", header)
                if taken is None or MAY_TAKE_A_JUDGE.match(name):
                    continue
                self.assertIsNotNone(own, f"{name} includes {header}")
                self.assertFalse(own[1] == "judge" and taken[1] == "run", f"{name} includes {header}")

    def test_no_other_file_names_a_family(self):
        found = []
        for folder in ("templates", "cache", "runtime", "tuner"):
            for path in (ROOT / folder).rglob("*"):
                name = str(path.relative_to(ROOT))
                if path.suffix not in (".h", ".cpp", ".cuh") or MAY_NAME_ONE.match(name):
                    continue
                code = re.sub(r"//.*", "", path.read_text())
                found += [f"{name}: {match[0]}" for match in NAMES_A_FAMILY.finditer(code)]
        self.assertEqual(found, [])


if __name__ == "__main__":
    COMPILER, FOLDER, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    unittest.main(argv=sys.argv[:1])
