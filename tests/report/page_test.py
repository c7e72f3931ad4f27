"""page_test.py --program FOLDTUNE --make-databases PROGRAM

The page of `foldtune report` in a headless Chromium: what its charts and tables hold, and that it works
with mouse and keyboard, in dark and light, on a phone, and without any network. Ends with the status 77
where there is no Chromium or no Selenium."""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError as error:
    print(f"SKIPPED: {error}; Debian has it as python3-selenium")
    sys.exit(SKIPPED)

options = None  # of the command line
driver = None
folder = None  # with the databases and their pages


def run(*arguments):
    return subprocess.run([options.program, *arguments], check=True, capture_output=True, text=True).stdout


def start_browser(chromium, chromedriver):
    settings = webdriver.ChromeOptions()
    settings.binary_location = chromium
    # As root, and in a container, Chromium has no sandbox and little shared memory.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     f"--user-data-dir={folder}/profile"):
        settings.add_argument(argument)
    settings.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(chromedriver), options=settings)


def make_pages():
    subprocess.run([options.make_databases, folder], check=True)
    for name in ("tuned", "cpu", "failures", "empty"):
        run("report", "--db", f"{folder}/{name}.db", "-o", f"{folder}/{name}.html")


def luminance(color):
    """Of "rgb(27, 36, 48)" or "color(srgb 0.1 0.14 0.19)", as WCAG defines it."""
    most = 1 if color.startswith("color(srgb") else 255
    parts = [float(part) / most for part in re.findall(r"[\d.]+", color)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    darker, lighter = sorted((luminance(a), luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)


class Page(unittest.TestCase):
    def open(self, name, theme="light", width=1200):
        self.prefer(theme)
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
        driver.get_log("performance")  # drops what was before
        driver.get(f"file://{folder}/{name}.html")

    def prefer(self, theme):
        # What scrolls smoothly cannot be clicked meanwhile.
        features = {"prefers-color-scheme": theme, "prefers-reduced-motion": "reduce"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": name, "value": value} for name, value in features.items()]})

    def tearDown(self):
        self.assertEqual(driver.get_log("browser"), [], "messages in the console")
        messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
        sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        # The page with which the browser begins, and the frames in it, may still be loading what they need.
        own = ("chrome://", "chrome-untrusted://")
        requests = [one["request"]["url"] for one in sent if not one["documentURL"].startswith(own)]
        self.assertNotEqual(requests, [], "the log has not even the page itself")
        for url in requests:
            self.assertTrue(url.startswith(f"file://{folder}/") or url == "data:,", url)

    def find(self, id):
        return driver.find_element(By.ID, id)

    def text(self, id):
        return self.find(id).text

    def select(self, id, text):
        Select(self.find(id)).select_by_visible_text(text)

    def points(self, chart, label):
        """[[x, y]] of the dataset."""
        return driver.execute_script(
            "const set = Chart.getChart(arguments[0]).data.datasets.find((one) => one.label === arguments[1]);"
            "return set ? set.data.map((point) => [point.x, point.y]) : null", chart, label)

    def column(self, table, place):
        return driver.execute_script(
            "return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)]"
            ".map((row) => row.children[arguments[1]].textContent)", table, place)

    def heading(self, title):
        return next(button for button in driver.find_elements(By.CSS_SELECTOR, "#bests-table thead button")
                    if button.text.startswith(title))

    def order(self, title):
        return self.heading(title).find_element(By.XPATH, "..").get_attribute("aria-sort")

    def press(self, *keys):
        for key in keys:
            driver.switch_to.active_element.send_keys(key)


class Charts(Page):
    def setUp(self):
        self.open("tuned")
        self.bests = json.loads(run("show", "--db", f"{folder}/tuned.db", "--json"))
        self.sums = sorted((best for best in self.bests if best["problem"]["op"] == "sum"), key=lambda best: int(best["shape"]))

    def test_bandwidth_of_every_best_stands_over_its_bytes(self):
        points = self.points("roofline-chart", "Problems")
        self.assertEqual(len(points), len(self.bests))
        for point, best in zip(sorted(points), sorted([b["input_bytes"], b["bandwidth_gbps"]] for b in self.bests)):
            self.assertEqual(point[0], best[0])
            self.assertAlmostEqual(point[1], best[1])
        self.assertEqual({y for _, y in self.points("roofline-chart", "Read bandwidth")},
                         {self.bests[-1]["read_bandwidth_gbps"]})

    def test_highlighting_an_operator_takes_its_points_out(self):
        self.select("roofline-highlight", "dot")
        self.assertEqual(len(self.points("roofline-chart", "dot")), 3)
        self.assertEqual(len(self.points("roofline-chart", "Other operators")), len(self.bests) - 3)

    def test_time_stands_over_n(self):
        self.assertEqual(self.points("time-chart", "Tuned"),
                         [[int(best["shape"]), best["median_us"]] for best in self.sums])
        self.assertEqual(len(self.points("time-chart", "Untuned default")), len(self.sums))

    def test_the_limit_is_a_launch_and_the_bytes(self):
        floor = min(best["median_us"] for best in self.bests if best["input_bytes"] <= 16384)
        for (_, y), best in zip(self.points("time-chart", "Limit"), self.sums):
            self.assertAlmostEqual(y, floor + best["input_bytes"] / best["read_bandwidth_gbps"] / 1e3)

    def test_a_legend_hides_and_shows_a_line(self):
        button = next(button for button in driver.find_elements(By.CSS_SELECTOR, "#sizes-legend button")
                      if button.text == "Untuned default")
        shown = ("const chart = Chart.getChart(arguments[0]);"
                 "return chart.isDatasetVisible(chart.data.datasets.findIndex((one) => one.label === 'Untuned default'))")
        for is_shown in (False, True):
            button.click()
            self.assertEqual(button.get_attribute("aria-pressed"), str(is_shown).lower())
            self.assertEqual(driver.execute_script(shown, "time-chart"), is_shown)

    def landscape(self, count):
        """{params: time} of the screenings of the sum."""
        rows = json.loads(run("show", "--db", f"{folder}/tuned.db", "--json", "--all", "--op", "sum"))
        return {json.dumps(row["params"]): row["median_us"] for row in rows
                if row["shape"] == str(count) and row["round"] == 0 and row["outcome"] == "ok"}

    def test_the_landscape_has_every_configuration(self):
        self.select("problem", "2²⁰ (4 MiB)")
        times = sorted(self.landscape(1 << 20).values())
        self.select("landscape-span", "All")
        points = sorted(y for _, y in self.points("landscape-chart", "Configurations"))
        self.assertEqual(len(points), len(times))
        for y, time in zip(points, times):
            self.assertAlmostEqual(y / time, 1, delta=1e-4)
        self.select("landscape-span", "Up to 1.2 times the fastest")
        near = len(self.points("landscape-chart", "Configurations"))
        self.assertEqual(near, sum(y <= points[0] * 1.2 for y in points))
        self.assertIn(f"{len(times) - near} configuration", self.text("scatter-caption"))

    def test_the_scatter_chart_is_over_the_chosen_tunable(self):
        self.select("problem", "2²⁰ (4 MiB)")
        names = [option.get_attribute("value") for option in Select(self.find("landscape-tunable")).options]
        Select(self.find("landscape-tunable")).select_by_value(names[-1])
        values = {json.loads(params)[names[-1]] for params in self.landscape(1 << 20)}
        self.assertEqual(self.text("scatter-title"), f"Time over {names[-1]}")
        self.assertEqual(len(self.points("landscape-chart", "Best with each value")), len(values))

    def test_the_heat_map_has_the_best_time_of_each_pair(self):
        self.select("problem", "2²⁰ (4 MiB)")
        Select(self.find("heat-columns")).select_by_value("block_size")
        Select(self.find("heat-rows")).select_by_value("unroll")
        best = {}
        for params, time in self.landscape(1 << 20).items():
            pair = (str(json.loads(params)["unroll"]), str(json.loads(params)["block_size"]))
            best[pair] = min(time, best.get(pair, time))
        head, *rows = [[cell.text for cell in row.find_elements(By.XPATH, "./*")]
                       for row in self.find("heat").find_elements(By.TAG_NAME, "tr")]
        cells = {(row[0], column): cell for row in rows for column, cell in zip(head[1:], row[1:])}
        for pair, cell in cells.items():
            if pair in best:
                self.assertAlmostEqual(float(cell.split()[0]), best[pair], delta=0.001 * best[pair], msg=pair)
            else:
                self.assertEqual(cell, "–", pair)
        self.assertLessEqual(set(best), set(cells))

    def test_choosing_another_operator_shows_it(self):
        self.select("operator", "argmax")
        self.assertEqual(self.text("sizes-title"), "Time over size: argmax f32")
        self.assertEqual(len(self.points("time-chart", "Tuned")), 3)
        self.assertIn("argmax f32, n = ", self.text("landscape-title"))


class CpuDevice(Page):
    def setUp(self):
        self.open("cpu")

    def test_what_has_no_line_has_no_label(self):
        for label in ("Limit", "Read bandwidth"):
            self.assertIsNone(self.points("roofline-chart", label))
            self.assertIsNone(self.points("time-chart", label))
        self.assertIn("none for the limit", self.text("roofline-caption"))
        for id in ("roofline-caption", "roofline-legend", "sizes-legend", "limit-text"):
            self.assertNotIn("Limit: ", self.text(id))
        self.assertNotIn("Limit", self.text("roofline-legend"))

    def test_no_point_is_cut_off_at_the_border(self):
        cut = """
            const cut = [];
            for (const id of ["roofline-chart", "time-chart", "landscape-chart"]) {
              const chart = Chart.getChart(id);
              const area = chart.chartArea;
              chart.data.datasets.forEach((set, place) => {
                for (const point of chart.getDatasetMeta(place).data) {
                  const radius = point.options.radius;
                  if (radius > 0 && (point.x - radius < area.left || point.x + radius > area.right ||
                      point.y - radius < area.top || point.y + radius > area.bottom)) {
                    cut.push(`${id} ${set.label} ${point.x} ${point.y}`);
                  }
                }
              });
            }
            return cut;"""
        for name in ("cpu", "tuned"):
            for width in (1200, 400):
                self.open(name, width=width)
                self.assertEqual(driver.execute_script(cut), [], (name, width))


class Tables(Page):
    def setUp(self):
        self.open("tuned")

    def test_headings_sort_by_number(self):
        for order, is_descending in (("ascending", False), ("descending", True)):
            self.heading("Time").click()
            times = [float(text.replace(",", "")) for text in self.column("bests-table", 3)]
            self.assertEqual(times, sorted(times, reverse=is_descending))
            self.assertEqual(len(times), 15)
            self.assertEqual(self.order("Time"), order)
        self.assertEqual(self.order("Problem"), "none")

    def test_the_filter_finds_words(self):
        field = self.find("bests-filter")
        field.send_keys("SUM 2^20")
        self.assertEqual(self.column("bests-table", 0), ["sum f32"])
        self.assertEqual(self.column("bests-table", 1), ["2²⁰"])
        self.assertIn("1 of 15 results", self.text("bests-count"))
        field.clear()
        field.send_keys("max")  # begins no word
        self.assertEqual(self.column("bests-table", 0), [])
        self.assertIn("0 of 15 results", self.text("bests-count"))

    def test_a_problem_leads_to_its_charts(self):
        self.find("bests-filter").send_keys("dot 2^26")
        driver.find_element(By.CSS_SELECTOR, "#bests-table tbody button").click()
        self.assertEqual(self.text("landscape-title"), "Landscape of dot f32, n = 2²⁶")
        self.assertEqual(driver.switch_to.active_element.get_attribute("id"), "operator")

    def test_tables_are_tables(self):
        for table in driver.find_elements(By.TAG_NAME, "table"):
            rows = table.find_elements(By.CSS_SELECTOR, "tbody tr")
            if rows:
                self.assertEqual(len(table.find_elements(By.CSS_SELECTOR, "tbody th[scope=row]")), len(rows))
                self.assertNotEqual(table.find_elements(By.CSS_SELECTOR, "thead th[scope=col]"), [])


class Keyboard(Page):
    def setUp(self):
        self.open("tuned")

    def reachable(self):
        """What Tab reaches from the top, in its order: ids, else texts."""
        reached = []
        body = driver.find_element(By.TAG_NAME, "body")
        body.send_keys(Keys.TAB)
        while len(reached) < 400:
            active = driver.switch_to.active_element
            if active == body:
                break
            outline = driver.execute_script("const style = getComputedStyle(arguments[0]);"
                                            "return [style.outlineStyle, parseFloat(style.outlineWidth)]", active)
            self.assertNotEqual(outline[0], "none", f"no visible focus on {active.get_attribute('outerHTML')[:80]}")
            self.assertGreaterEqual(outline[1], 1)
            reached.append(active.get_attribute("id") or active.text)
            if active.tag_name == "details":
                break
            if active.text == "Licences":
                break
            active.send_keys(Keys.TAB)
        return reached

    def test_tab_reaches_every_control(self):
        reached = self.reachable()
        self.assertEqual(reached[0], "Skip to the content")
        controls = driver.execute_script(
            "return [...document.querySelectorAll('main select, main input, main summary, main button')]"
            ".filter((control) => control.checkVisibility()).map((control) => control.id || control.innerText)")
        self.assertGreater(len(controls), 30)
        for control in controls:
            self.assertIn(control, reached)

    def test_keys_choose_sort_and_filter(self):
        driver.execute_script("document.getElementById('operator').focus()")
        self.press(Keys.ARROW_UP)  # from sum to dot
        self.assertEqual(self.text("sizes-title"), "Time over size: dot f32")
        driver.execute_script("arguments[0].focus()", self.heading("GB/s"))
        self.press(Keys.ENTER, Keys.SPACE)
        self.assertEqual(self.order("GB/s"), "descending")
        self.assertTrue(driver.switch_to.active_element.text.startswith("GB/s"), "the focus stays on the heading")
        driver.execute_script("document.getElementById('bests-filter').focus()")
        self.press("argmax")
        self.assertEqual(set(self.column("bests-table", 0)), {"argmax f32"})
        driver.execute_script("document.querySelector('#sizes-legend button').focus()")
        self.press(Keys.SPACE)
        self.assertEqual(driver.switch_to.active_element.get_attribute("aria-pressed"), "false")

    def test_charts_say_what_they_are(self):
        for canvas in driver.find_elements(By.TAG_NAME, "canvas"):
            self.assertEqual(canvas.get_attribute("role"), "img")
            self.assertGreater(len(canvas.get_attribute("aria-label")), 20)


class Looks(Page):
    def colors(self):
        return driver.execute_script(
            "const style = (selector) => getComputedStyle(document.querySelector(selector));"
            "return [style('main > section').backgroundColor, style('#overview p').color, style('figcaption').color,"
            " style('summary').color, style('#bests-table .link').color]")

    def test_dark_and_light_can_be_read(self):
        surfaces = []
        for theme in ("light", "dark"):
            self.open("tuned", theme)
            surface, *texts = self.colors()
            surfaces.append(luminance(surface))
            for text in texts:
                self.assertGreaterEqual(contrast(surface, text), 4.5, (theme, surface, text))
            for cell in driver.find_elements(By.CSS_SELECTOR, "#heat td"):
                colors = [cell.value_of_css_property(name) for name in ("background-color", "color")]
                if not colors[0].startswith("rgba(0, 0, 0, 0"):  # where nothing was tried
                    self.assertGreaterEqual(contrast(*colors), 4.5, (theme, colors))
        self.assertGreater(surfaces[0], 0.9)
        self.assertLess(surfaces[1], 0.1)

    def test_charts_follow_the_theme_at_once(self):
        self.open("tuned", "light")
        ticks = "return Chart.getChart('time-chart').options.scales.x.ticks.color"
        light = driver.execute_script(ticks)
        self.prefer("dark")
        driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        self.assertNotEqual(driver.execute_script(ticks), light)

    def test_a_phone_shows_all_of_it(self):
        self.open("tuned", width=390)
        self.assertLessEqual(driver.execute_script("return document.documentElement.scrollWidth"), 390)
        for canvas in driver.find_elements(By.TAG_NAME, "canvas"):
            self.assertGreater(canvas.size["width"], 250)
            self.assertGreater(canvas.size["height"], 150)


class Others(Page):
    def test_texts_of_the_database_stay_texts(self):
        self.open("failures")
        self.assertEqual(self.text("device-name"), "NVIDIA <b>Newer</b>")
        self.assertIsNone(driver.execute_script("return window.broken ?? null"))
        self.assertEqual(driver.find_elements(By.TAG_NAME, "img"), [])
        hostile = "</script><script>window.broken = 1</script>"
        self.assertTrue(any(text.startswith(hostile) for text in self.column("failures-table", 4)))
        self.assertTrue(any(hostile in text for text in self.column("bests-table", 0)))
        self.assertTrue(self.column("runs", 0)[0].startswith(hostile))

    def test_failures_stand_by_reason(self):
        self.open("failures")
        self.assertEqual(self.column("failures-table", 0), ["wrong_result", "crashed"])
        self.assertEqual(self.column("failures-table", 1), ["2", "1"])
        self.assertEqual(self.column("failures-table", 3), ["2", "1"])
        self.assertIn("3 of 8 measurements failed", self.text("failures-text"))
        self.assertIn("failed", self.find("heat").text)

    def test_devices_are_chosen(self):
        self.open("failures")
        Select(self.find("device")).select_by_index(1)
        self.assertEqual(self.text("device-name"), "NVIDIA Older")
        self.assertEqual(self.column("bests-table", 1), ["2²⁴"])
        self.assertEqual(self.text("failures-text"),
                         "Every configuration that was tried compiled, ran, and gave the right result.")
        self.assertIn("no line for the limit", self.text("limit-text"))
        self.assertIsNone(self.points("time-chart", "Limit"))

    def test_an_empty_database_says_how_to_tune(self):
        self.open("empty")
        self.assertIn("foldtune tune", self.text("empty"))
        for section in ("overview", "roofline", "explore", "bests", "failures"):
            self.assertFalse(self.find(section).is_displayed())


def main():
    global options, driver, folder
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--make-databases", required=True)
    options, rest = parser.parse_known_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not chromium or not chromedriver:
        print("SKIPPED: there is no Chromium with its driver; Debian has them as chromium and chromium-driver")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        make_pages()
        driver = start_browser(chromium, chromedriver)
        try:
            return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1
        finally:
            driver.quit()


if __name__ == "__main__":
    sys.exit(main())
