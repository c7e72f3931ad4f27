"""plot_test.py, with the folder bench in PYTHONPATH

The plots of an invented report. Without Matplotlib it ends with the status 77.
"""

import pathlib
import sys
import tempfile
import unittest

import peer_report
import plot

try:
    import matplotlib
except ImportError:
    print("Matplotlib is not installed (Debian: python3-matplotlib)")
    sys.exit(77)


def figure(case, contender, n, us, manner="graph", layout="vector"):
    cell = {"case": case, "family": "reduce", "shape": str(n), "problem": {"op": "sum", "type": "f32", "accumulator": "f32"}, "inputs": ["f32"],
            "layout": layout, "n": n, "bytes": 4 * n, "manner": manner}
    return peer_report.make_figure(cell, contender, [us])


def report():
    run = {"device": "NVIDIA Test", "date": "2026-01-31T12:00:00Z", "launch_us": {"graph": 0.5},
           "read_bandwidth_gbps": 4600}
    peers = {**run, "launch_us": {}, "read_bandwidth_gbps": 0}
    figures = [figure("sum f32", "tuned", 4096, 1.5), figure("sum f32", "tuned", 1024, 1.25),
               figure("sum f32", "PyTorch", 4096, 2.5), figure("max f32", "CUB", 4096, 2.0),
               figure("sum f32", "tuned", 4096, 3.5, manner="stream"),
               figure("sum f32", "tuned", 2048, 9.0, layout="element")]
    return {**peer_report.empty(run), "runs": [run, peers], "figures": figures}


class Plot(unittest.TestCase):
    def test_a_line_has_the_points_of_its_manner_by_n(self):
        cases = plot.series(report(), "graph")
        self.assertEqual(list(cases), ["sum f32", "max f32"])
        self.assertEqual(cases["sum f32"]["tuned"], [(1024, 1.25, 4096), (4096, 1.5, 16384)])
        self.assertEqual(plot.series(report(), "hot"), {})

    def test_chosen_cases_come_in_their_order(self):
        self.assertEqual(list(plot.series(report(), "graph", ["max f32", "sum f32"])), ["max f32", "sum f32"])
        self.assertEqual(list(plot.series(report(), "stream", ["max f32", "sum f32"])), ["sum f32"])

    def test_the_limit_is_of_the_runs_that_measured_it(self):
        self.assertEqual(plot.limits(report(), "graph"), (0.5, 4.6e6))
        self.assertIsNone(plot.limits(report(), "latency"))

    def test_each_case_has_a_panel_and_each_contender_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "graph.svg")
            plot.draw(report(), "graph", path)
            text = path.read_text()
            for label in ("sum f32", "max f32", "Foldtune, tuned", "PyTorch", "CUB", "limit"):
                self.assertIn(label, text)
            self.assertNotIn("cuBLAS", text)
            plot.draw(report(), "graph", path, ["max f32"])
            self.assertNotIn("sum f32", path.read_text())


if __name__ == "__main__":
    unittest.main()
