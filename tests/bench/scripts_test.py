"""scripts_test.py, with the folder bench in PYTHONPATH

The bench's scripts in Python, without a GPU and without PyTorch.
"""

import contextlib
import io
import json
import os
import pathlib
import stat
import sys
import tempfile
import textwrap
import unittest

import held_out
import peer_report
import rotation
import run

# A foldtune_bench that has two cases and invents its figures.
FAKE_BENCH = """\
    import json, sys
    arguments = sys.argv[1:]
    def value(name):
        return arguments[arguments.index(name) + 1] if name in arguments else None
    if "--list" in arguments:
        print("sum f32 rows" if value("--family") == "axis" else "sum f32\\nmax f32")
    elif "--from" in arguments:
        begin = arguments.index("--from") + 1
        print("joined", *[path.rsplit("/", 1)[1] for path in arguments[begin:arguments.index("--json")]])
        sys.exit(1 if "--check" in arguments else 0)
    else:
        if value("--case") == "max f32" and "--broken" in arguments:
            sys.exit(6)
        report = {"schema_version": 4, "runs": [], "figures": [], "faults": [], "not_run": [],
                  "arguments": arguments}
        open(value("--json"), "w").write(json.dumps(report))
"""


def cell(n, manner="graph"):
    return {"case": "sum f32", "family": "reduce", "problem": {"op": "sum", "type": "f32", "accumulator": "f32"},
            "inputs": ["f32"], "layout": "vector", "shape": str(n), "n": n, "bytes": 4 * n, "manner": manner}


class Rotation(unittest.TestCase):
    def test_small_inputs_take_turns_and_a_flush_comes_before(self):
        self.assertEqual(rotation.plan_rotation(4096, 1000), rotation.Rotation(512, 512, True))

    def test_a_lap_of_middle_inputs_is_as_long_as_the_l2_needs(self):
        plan = rotation.plan_rotation(16 << 20, 64)
        self.assertEqual(plan.slices, 16)
        self.assertFalse(plan.needs_flush)
        self.assertEqual(plan.calls % plan.slices, 0)
        self.assertGreaterEqual(plan.calls, rotation.usual_calls(16 << 20))

    def test_large_inputs_are_called_a_few_times(self):
        self.assertEqual(rotation.plan_rotation(4 << 30, 1), rotation.Rotation(1, 4, False))

    def test_too_few_inputs_need_a_flush(self):
        self.assertEqual(rotation.plan_rotation(16 << 20, 3).slices, 3)
        self.assertTrue(rotation.plan_rotation(16 << 20, 3).needs_flush)

    def test_each_manner_has_its_calls(self):
        self.assertEqual(rotation.plan_calls("hot", 4096, 1000).slices, 1)
        self.assertEqual(rotation.plan_calls("stream", 4096, 1000).calls, 128)
        self.assertEqual(rotation.plan_calls("latency", 4096, 1000).calls, 32)
        self.assertFalse(rotation.plan_calls("latency", 4096, 1000).needs_flush)
        with self.assertRaises(ValueError):
            rotation.plan_calls("cold", 4096, 1000)

    def test_slices_begin_at_multiples_of_256_elements(self):
        self.assertEqual([rotation.stride(1, 0), rotation.stride(256, 0), rotation.stride(256, 1)], [256, 256, 512])


class HeldOut(unittest.TestCase):
    @staticmethod
    def rows(times):
        """Rows of one case, of [(n, {contender: microseconds})]."""
        figures = [{"case": "sum f32", "n": n, "layout": "vector", "contender": name, "median_us": us}
                   for n, row in times for name, us in row.items()]
        return held_out.rows_of({"figures": figures})

    def test_sizes_are_drawn_from_the_whole_range_and_again_with_the_same_seed(self):
        sizes = held_out.draw_sizes("2^10..2^28", 1000, 3)
        self.assertEqual(sizes, held_out.draw_sizes("2^10..2^28", 1000, 3))
        self.assertNotEqual(sizes, held_out.draw_sizes("2^10..2^28", 1000, 4))
        self.assertEqual(sizes, sorted(sizes))
        self.assertTrue(2**10 <= sizes[0] < 2**11 and 2**27 < sizes[-1] <= 2**28)
        self.assertAlmostEqual(sum(size < 2**19 for size in sizes) / 1000, 0.5, delta=0.06)
        halves = held_out.with_layouts(sizes)
        self.assertEqual(sorted(halves["vector"] + halves["element"]), sizes)

    def test_a_limit_is_missed_in_the_mean_or_in_one_cell(self):
        limit = ("tuned", "tuned", "yardstick", 0, 1e9, 1.01, 1.03)
        cells = [(2048, {"tuned": 1.02, "yardstick": 1}), (4096, {"tuned": 1, "yardstick": 1}),
                 (8192, {"tuned": 1})]
        line, met = held_out.describe_limit(limit, self.rows(cells))
        self.assertTrue(met and "1.010" in line and "2 cells" in line, line)
        for worse in ({"tuned": 1.04, "yardstick": 1}, {"tuned": 1.03, "yardstick": 1}):
            line, met = held_out.describe_limit(limit, self.rows([*cells[:2], (1024, worse)]))
            self.assertTrue(met is False and "MISSED" in line and "1024" in line, line)
        self.assertEqual(held_out.describe_limit(limit, self.rows(cells[2:]))[1], None)

    def test_the_fastest_library_of_each_cell_has_to_be_slower(self):
        limit = ("library", "library", "tuned", 0, 1e9, 1.5, 0.98)
        rows = self.rows([(1024, {"tuned": 1, "CUB": 2, "cuBLAS": 3}), (2048, {"tuned": 1, "CUB": 4, "cuBLAS": 1.5})])
        self.assertEqual([row["library"] for row in rows.values()], [2, 1.5])
        self.assertTrue(held_out.describe_limit(limit, rows)[1])
        rows[("sum f32", 2048, "vector")]["library"] = 0.97
        self.assertFalse(held_out.describe_limit(limit, rows)[1])


class Report(unittest.TestCase):
    def test_cells_are_each_once_in_their_order(self):
        figures = [peer_report.make_figure(one, contender, [2.0, 1.0, 4.0])
                   for one in (cell(4096), cell(1024, "stream")) for contender in ("tuned", "CUB")]
        self.assertEqual(peer_report.cells_of({"figures": figures}), [cell(4096), cell(1024, "stream")])

    def test_a_figure_has_what_follows_of_its_samples(self):
        figure = peer_report.make_figure(cell(1000), "PyTorch", [2.0, 1.0, 4.0])
        self.assertEqual((figure["median_us"], figure["mad_us"], figure["gbps"]), (2.0, 1.0, 2.0))

    def test_a_figure_has_what_it_took_to_compile_where_something_was(self):
        self.assertEqual(peer_report.make_figure(cell(1000), "torch.compile", [1.0], 4.5)["compile_s"], 4.5)
        self.assertNotIn("compile_s", peer_report.make_figure(cell(1000), "PyTorch", [1.0]))

    def test_an_array_along_axes_is_that_of_its_shape(self):
        for shape, array, results in (("1x1x64x1000", ((64, 1000), (1,)), 64), ("1x64x1000x1", ((64, 1000), (0,)), 1000),
                                      ("1x1x1x1000", ((1000,), (0,)), 1), ("7x10x3x1", ((7, 10, 3), (1,)), 21),
                                      ("1x256x64x3136", ((256, 64, 3136), (0, 2)), 64)):
            one = {**cell(1000), "family": "axis", "shape": shape}
            self.assertEqual((peer_report.array_of(one), peer_report.result_count(one)), (array, results))
        self.assertEqual(peer_report.result_count(cell(1000)), 1)

    def test_segments_have_a_result_each(self):
        self.assertEqual(peer_report.result_count({**cell(64000), "family": "segments", "shape": "1000x64000"}), 1000)

    def test_a_report_is_written_as_a_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/report.json"
            peer_report.write(path, peer_report.empty({"device": "NVIDIA Test"}))
            self.assertEqual(peer_report.read(path)["runs"], [{"device": "NVIDIA Test"}])
            self.assertEqual(os.listdir(folder), ["report.json"])

    def test_another_version_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "old.json")
            path.write_text('{"schema_version": 2}')
            with self.assertRaisesRegex(ValueError, "old.json is of version 2"):
                peer_report.read(path)


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name, "out")
        self.bench = pathlib.Path(self.folder.name, "foldtune_bench")
        self.bench.write_text(f"#!{sys.executable}\n{textwrap.dedent(FAKE_BENCH)}")
        self.bench.chmod(self.bench.stat().st_mode | stat.S_IXUSR)

    def run_script(self, *arguments):
        sys.argv = ["run.py", "--bench", str(self.bench), "--out", str(self.out), "--no-peers", *arguments]
        with contextlib.redirect_stdout(io.StringIO()) as output:
            return run.main(), output.getvalue()

    def test_every_case_has_a_report_with_the_arguments_of_the_bench(self):
        code, _ = self.run_script("--n", "2^10", "--rounds", "3")
        self.assertEqual(code, 0)
        for stem, name in (("00", "sum f32"), ("01", "max f32")):
            arguments = json.loads((self.out / f"{stem}.json").read_text())["arguments"]
            self.assertEqual(arguments[arguments.index("--case") + 1], name)
            self.assertEqual(arguments[arguments.index("--n") + 1], "2^10")
            self.assertEqual(arguments[arguments.index("--rounds") + 1], "3")

    def test_the_arguments_choose_the_cases(self):
        self.run_script("--family", "axis")
        arguments = json.loads((self.out / "00.json").read_text())["arguments"]
        self.assertEqual(arguments[arguments.index("--case") + 1], "sum f32 rows")
        self.assertFalse((self.out / "01.json").exists())

    def test_a_turn_has_as_many_cases_as_are_wanted(self):
        self.run_script("--cases-per-turn", "2")
        arguments = json.loads((self.out / "00.json").read_text())["arguments"]
        self.assertEqual(arguments[arguments.index("--case") + 1], "sum f32,max f32")
        self.assertFalse((self.out / "01.json").exists())

    def test_a_case_that_fails_does_not_stop_the_others(self):
        code, output = self.run_script("--broken")
        self.assertEqual(code, 1)
        self.assertIn("ended with 6 for max f32", output)
        self.assertTrue((self.out / "00.json").exists())

    def test_a_check_that_fails_is_the_end(self):
        self.assertEqual(self.run_script("--check")[0], 1)

    def test_what_is_left_when_the_time_is_over_is_left_to_the_bench_to_tell(self):
        self.run_script("--budget", "0")
        arguments = json.loads((self.out / "not-run.json").read_text())["arguments"]
        self.assertEqual(arguments[arguments.index("--case") + 1], "sum f32,max f32")
        self.assertEqual(arguments[arguments.index("--budget") + 1], "0.001s")

    def test_reports_of_another_run_are_not_overwritten(self):
        self.run_script()
        with self.assertRaisesRegex(SystemExit, "has reports already"):
            self.run_script()


if __name__ == "__main__":
    unittest.main()
