// How the time of one problem depends on its tunables.

// The palest cells are as slow as the slowest, but within these ratios to the fastest.
const palestRatios = {least: 1.1, most: 2};

function byValue(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

// The tunables that differ among the configurations, with their values in order and how much they matter:
// the best time with the worst value over that with the best one. The most important first.
function tunablesThatMatter(points, failed) {
  if (points.length === 0) return [];
  const matter = [];
  for (const {name} of tunablesOf(points[0].config)) {
    const best = new Map();
    for (const {config, us} of points) {
      const value = valueOf(config, name);
      if (value !== undefined && !(best.get(value) <= us)) best.set(value, us);
    }
    const tried = new Set([...best.keys(), ...failed.map((config) => valueOf(config, name))]);
    tried.delete(undefined);
    if (tried.size < 2) continue;
    const times = [...best.values()];
    matter.push({name, values: [...tried].sort(byValue), best, worth: Math.max(...times) / Math.min(...times)});
  }
  return matter.sort((a, b) => b.worth - a.worth);
}

function landscapeText(best, points, matter) {
  const landscape = best.landscape;
  const fastest = points.length > 0 ? points[0].us : best.us;
  const near = points.filter((point) => point.us <= fastest * 1.05).length;
  const sentences = [
    `${problemName(best)}: ${plural(points.length + landscape.left_out, "configuration")} measured` +
      (landscape.failed.length > 0 ? `, and ${formatInteger(landscape.failed.length)} more failed` : "") +
      (landscape.left_out > 0 ? ` (the slowest ${formatInteger(landscape.left_out)} are not shown)` : "") + ".",
    `Chosen: ${configText(best.config)}, ${formatTime(best.us)}.`,
    `${near === 1 ? "1 is" : `${formatInteger(near)} are`} within 5% of the fastest.`,
  ];
  if (matter.length > 0) {
    sentences.push(`What matters most is ${matter[0].name}: with its worst value, the best time is ${formatGain(matter[0].worth)} as long.`);
  }
  return sentences.join(" ");
}

function columnAxis(tunable) {
  return {
    type: "linear",
    min: -0.5,
    max: tunable.values.length - 0.5,
    title: axisTitle(tunable.name),
    grid: {display: false, borderColor: color("border")},
    afterBuildTicks(axis) {
      axis.ticks = tunable.values.map((value, place) => ({value: place}));
    },
    ticks: {color: color("text-muted"), autoSkip: false, callback: (place) => String(tunable.values[place])},
  };
}

// Of the points, those that the chart has room for: up to so many times the fastest, or all ("").
function withinSpan(points, span) {
  return span === "" ? points : points.filter((point) => point.us <= points[0].us * Number(span));
}

function landscapeDatasets(best, points, tunable) {
  const slowest = Math.max(best.us, ...points.map((point) => point.us));
  const columnOf = (config) => tunable.values.indexOf(valueOf(config, tunable.name));
  const chosen = {config: best.config, us: best.us};
  return [
    {label: "Chosen", data: [{x: columnOf(best.config), y: chosen.us, point: chosen}],
     ...pointStyle("series-accent", {radius: 7, point: "rectRot"})},
    {label: "Best with each value",
     data: tunable.values.map((value, place) => ({x: place, y: tunable.best.get(value)}))
       .filter((point) => point.y <= slowest),  // others are as little shown as their configurations
     ...lineStyle("series-limit", {radius: 3})},
    {label: "Configurations",
     data: points.filter((point) => columnOf(point.config) >= 0).map((point) => ({x: columnOf(point.config) + 0.6 * jitter(point.config), y: point.us, point})),
     ...pointStyle("series-tuned", {alpha: points.length > 500 ? 0.35 : 0.6, radius: 3})},
  ];
}

function landscapeTooltip(tunable) {
  return {
    title: (items) => (items[0].raw.point ? configText(items[0].raw.point.config)
                                          : `${tunable.name} ${tunable.values[items[0].raw.x]}`),
    label: (item) => `${item.dataset.label === "Configurations" ? "" : `${item.dataset.label}: `}${formatTime(item.raw.y)}`,
  };
}

function showScatter(best, points, tunable, span) {
  const shown = withinSpan(points, span);
  const axis = valueAxis("Time per call, µs", [best.us, ...shown.map((point) => point.us)]);
  const chart = showChart(
    "landscape-chart",
    `Times of ${plural(shown.length, "configuration")} of ${problemName(best)} over ${tunable.name}; the heat map has the best ones as figures.`,
    {type: "scatter", data: {datasets: landscapeDatasets(best, shown, tunable)},
     options: chartOptions({x: columnAxis(tunable), y: axis}, landscapeTooltip(tunable))});
  fillLegend(byId("landscape-legend"), chart);
  byId("scatter-title").textContent = `Time over ${tunable.name}`;
  const hidden = points.length - shown.length;
  byId("scatter-caption").textContent = hidden === 0 ? "All configurations are shown." :
    `${plural(hidden, "configuration")} of ${formatInteger(points.length)} took longer than ${formatTime(points[0].us * Number(span))} and ${hidden === 1 ? "is" : "are"} not shown.`;
}

// The best time of each pair of values; null where all failed, undefined where nothing was tried.
function heatCells(best, points, columns, rows) {
  const cells = new Map();
  const keyOf = (config) => `${valueOf(config, rows.name)}|${valueOf(config, columns.name)}`;
  for (const config of best.landscape.failed) cells.set(keyOf(config), null);
  for (const {config, us} of points) {
    const known = cells.get(keyOf(config));
    if (known === undefined || known === null || us < known) cells.set(keyOf(config), us);
  }
  return (row, column) => cells.get(`${row}|${column}`);
}

function heatCell(us, fastest, palest) {
  if (us === undefined) return element("td", {class: "blank"}, "–");
  if (us === null) return element("td", {class: "failed"}, "failed");
  const ratio = us / fastest;
  const heat = Math.max(0, 1 - Math.log(ratio) / Math.log(palest));
  const cell = element("td", {}, element("strong", {}, formatNumber(us)), " ", element("span", {}, formatGain(ratio)));
  cell.style.setProperty("--heat", heat.toFixed(2));
  return cell;
}

function showHeat(best, points, columns, rows) {
  byId("heat-title").textContent = `Best time for each ${rows.name} and ${columns.name}`;
  const fastest = points[0].us;
  const cellOf = heatCells(best, points, columns, rows);
  const times = rows.values.flatMap((row) => columns.values.map((column) => cellOf(row, column) ?? fastest));
  const palest = Math.min(palestRatios.most, Math.max(palestRatios.least, Math.max(...times) / fastest));
  const head = element("tr", {}, element("th", {scope: "col"}, `${rows.name} ↓  ${columns.name} →`),
                       ...columns.values.map((value) => element("th", {scope: "col"}, String(value))));
  const body = rows.values.map((row) => element("tr", {}, element("th", {scope: "row"}, String(row)),
    ...columns.values.map((column) => heatCell(cellOf(row, column), fastest, palest))));
  byId("heat").replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
  byId("heat-caption").textContent =
    `Each cell: the least time in µs, whatever the other tunables, and how many times as long as the fastest. The fastest have the fullest colour, those that take ${formatGain(palest)} as long or longer none; –: not tried.`;
}

function showLandscape(best, choice) {
  const points = landscapeOf(best);
  const matter = tunablesThatMatter(points, best.landscape.failed);
  byId("landscape-title").textContent = `Landscape of ${problemName(best)}`;
  byId("landscape-text").textContent = landscapeText(best, points, matter);
  const named = (name, place) => matter.find((one) => one.name === name) ?? matter[Math.min(place, matter.length - 1)];
  const scatter = named(choice.tunable, 0);
  const columns = named(choice.columns, 0);
  let rows = named(choice.rows, 1);
  if (rows === columns) rows = matter.find((one) => one !== columns) ?? columns;
  const options = matter.map((one) => [one.name, `${one.name} (${formatGain(one.worth)})`]);
  fillSelect(byId("landscape-tunable"), options, scatter?.name);
  fillSelect(byId("heat-columns"), options, columns?.name);
  fillSelect(byId("heat-rows"), options, rows?.name);
  const hasCharts = matter.length >= 2;
  for (const part of byId("landscape").querySelectorAll(".controls, .pair")) part.hidden = !hasCharts;
  if (!hasCharts) return;
  showScatter(best, points, scatter, byId("landscape-span").value);
  showHeat(best, points, columns, rows);
}
