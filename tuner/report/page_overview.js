// The head of the page, where its figures are from, and the chart over all problems.

function deviceText(device) {
  const kernels = device.has_these_kernels ? "" : ", other kernels";
  return `${device.name}, driver ${device.driver}, ${device.compiler}${kernels}`;
}

function showHead(device) {
  document.title = `Foldtune report: ${device.name}`;
  byId("device-name").textContent = device.name;
  byId("subtitle").textContent =
    `Driver ${device.driver} · ${device.compiler} · measured until ` +
    `${formatMinute(device.runs.map((run) => run.last_at).sort().at(-1))} UTC`;
}

function noticesOf(device) {
  const notices = [];
  if (device.kind === "cpu") {
    notices.push("This is the CPU device, which runs the kernels thread by thread: its results are right, its times say nothing about a GPU.");
  }
  if (!device.has_these_kernels) {
    notices.push(`These results are of other kernels than those of Foldtune ${data.foldtune_version} that made this page, which does not use them. Tuning again brings them up to date.`);
  }
  return notices;
}

function bandwidthTile(device) {
  if (device.read_bandwidth_gbps === null) return ["not measured", "read bandwidth of the memory"];
  return [formatBandwidth(device.read_bandwidth_gbps), "read bandwidth of the memory, measured"];
}

function tilesOf(device) {
  const tiles = [[formatInteger(device.bests.length), device.bests.length === 1 ? "problem tuned" : "problems tuned"]];
  tiles.push([formatInteger(device.measurements),
              `measurements, of which ${device.failed === 0 ? "none" : formatInteger(device.failed)} failed`]);
  tiles.push(bandwidthTile(device));
  if (device.bests.length > 0) {
    const top = device.bests.reduce((a, b) => (b.gbps > a.gbps ? b : a));
    tiles.push([formatBandwidth(top.gbps), `the most that was reached, by ${problemName(top)}`]);
  }
  const gains = device.bests.map(gainOf).filter((gain) => gain !== null);
  if (gains.length > 0) {
    tiles.push([formatGain(geometricMean(gains)),
                `as fast as the untuned default in the geometric mean; ${formatGain(Math.max(...gains))} at most`]);
  }
  return tiles;
}

function factsOf(device) {
  const facts = [
    ["Device", `${device.name} (${device.kind}, ${device.architecture})`],
    ["Driver", device.driver],
    ["Compiler of the kernels", device.compiler],
    ["Multiprocessors", formatInteger(device.multiprocessor_count)],
  ];
  if (device.l2_bytes > 0) facts.push(["L2 cache", formatBytes(device.l2_bytes)]);
  if (device.memory_bus_bits > 0) facts.push(["Memory bus", `${formatInteger(device.memory_bus_bits)} bits`]);
  if (device.memory_clock_khz > 0) facts.push(["Memory clock", `${formatInteger(device.memory_clock_khz / 1000)} MHz`]);
  if (device.memory_bytes > 0) facts.push(["Memory", formatBytes(device.memory_bytes)]);
  facts.push(["Database", data.database]);
  facts.push(["Page made", `${formatMinute(data.made_at)} UTC by Foldtune ${data.foldtune_version}`]);
  return facts;
}

const runColumns = [
  {title: "Command", cell: (run) => element("code", {}, run.command)},
  {title: "First measurement (UTC)", cell: (run) => formatMinute(run.first_at)},
  {title: "Last (UTC)", cell: (run) => formatMinute(run.last_at)},
  {title: "Measurements", cell: (run) => formatInteger(run.measurements), isNumber: true},
  {title: "Read bandwidth, GB/s",
   cell: (run) => (run.read_bandwidth_gbps === null ? "–" : formatNumber(run.read_bandwidth_gbps)), isNumber: true},
  {title: "Foldtune", cell: (run) => run.foldtune_version},
];

function showOverview(device) {
  byId("notices").replaceChildren(...noticesOf(device).map((text) => element("p", {class: "notice"}, text)));
  byId("tiles").replaceChildren(...tilesOf(device).map(([figure, text]) =>
    element("li", {}, element("strong", {}, figure), " ", element("span", {}, text))));
  fillFacts(byId("facts"), factsOf(device));
  fillTable(byId("runs"), runColumns, device.runs);
}

// The limit as a curve: what a launch and the memory's bandwidth allow.
function limitCurve(device, bytes) {
  const curve = [];
  const least = Math.log2(Math.min(...bytes)) - 0.5;
  const most = Math.log2(Math.max(...bytes)) + 0.5;
  for (let power = least; power <= most + 0.01; power += 0.25) {
    const us = limitUs(device, 2 ** power);
    if (us !== null) curve.push({x: 2 ** power, y: gbpsOf(2 ** power, us)});
  }
  return curve;
}

function bandwidthLine(device, bytes) {
  if (device.read_bandwidth_gbps === null) return [];
  return [Math.min(...bytes) / 2, Math.max(...bytes) * 2].map((x) => ({x, y: device.read_bandwidth_gbps}));
}

function rooflineTooltip() {
  return {
    title: (items) => (items[0].raw.best ? problemName(items[0].raw.best) : items[0].dataset.label),
    label(item) {
      const best = item.raw.best;
      if (!best) return formatBandwidth(item.raw.y);
      const share = best.percent_of_read_bandwidth;
      return [
        `${formatBandwidth(best.gbps)}${share === null ? "" : `, ${share.toFixed(1)}% of the read bandwidth`}`,
        `${formatTime(best.us)} for ${formatBytes(best.bytes)}`,
        configText(best.config),
      ];
    },
  };
}

function rooflineCaption(device) {
  const limit = device.read_bandwidth_gbps === null
    ? "So there is no line for it, and none for the limit."
    : device.launch_floor === null
      ? "There is no line for the limit, since no problem is small enough to show what a launch takes."
      : `Limit: what a launch of ${formatTime(device.launch_floor.us)} and the read bandwidth allow.`;
  const bandwidth = device.read_bandwidth_gbps === null
    ? "The read bandwidth was not measured."
    : `Read bandwidth: ${formatBandwidth(device.read_bandwidth_gbps)}, as measured.`;
  const spread = isCrowded(device) ? " Points of the same size are spread a little sideways." : "";
  return `${bandwidth} ${limit}${spread} Press a point to see its problem below; for the keyboard, the problems in the ` +
    "table of results do the same.";
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

// What the chart shows, in a sentence.
function rooflineText(device, bests) {
  const shares = bests.map((best) => limitUs(device, best.bytes) / best.us).filter((share) => share > 0);
  if (shares.length === 0) return "";
  const largeBytes = 2 ** 28;
  const large = bests.filter((best) => best.bytes >= largeBytes).map((best) => limitUs(device, best.bytes) / best.us);
  const percent = (share) => `${Math.round(share * 100)}%`;
  return `Half of the ${plural(shares.length, "problem")} reach ${percent(median(shares))} of the limit or more` +
    (large.length === 0 ? "." : `; of those with inputs of at least ${formatBytes(largeBytes)}, half reach ${percent(median(large))}.`);
}

// Of so many problems those of one size would hide each other.
function isCrowded(device) {
  return device.bests.length > 100;
}

function rooflineDatasets(device, highlight) {
  const bytes = device.bests.map((best) => best.bytes);
  const isHighlit = (best) => highlight === "" || operationOf(best).group === highlight;
  const others = device.bests.filter((best) => !isHighlit(best));
  const spread = isCrowded(device) ? 0.8 : 0;  // in powers of two
  const toPoint = (best) => ({x: best.bytes * 2 ** (jitter(best.operation) * spread), y: best.gbps, best});
  const style = {alpha: isCrowded(device) ? 0.45 : 0.8, radius: 3.5};
  const datasets = [
    {label: highlight === "" ? "Problems" : highlight.split(":")[0], data: device.bests.filter(isHighlit).map(toPoint),
     ...pointStyle("series-tuned", style)},
    {label: "Other operators", data: others.map(toPoint), ...pointStyle("series-default", {alpha: 0.3, radius: 2.5})},
    {label: "Read bandwidth", data: bandwidthLine(device, bytes), ...lineStyle("series-accent", {dash: [6, 5], radius: 0})},
    {label: "Limit", data: limitCurve(device, bytes), ...lineStyle("series-limit", {radius: 0})},
  ];
  return datasets.filter((dataset) => dataset.data.length > 0);
}

function showRoofline(device, highlight, choose) {
  const datasets = rooflineDatasets(device, highlight);
  const bytes = device.bests.map((best) => best.bytes);
  const heights = [...device.bests.map((best) => best.gbps), device.read_bandwidth_gbps ?? 0].filter((gbps) => gbps > 0);
  const scales = {
    x: countAxis("Input", bytes, formatBytes),
    y: valueAxis("Input read, GB/s", heights),
  };
  const onClick = (event, items, chart) => {
    const points = items.map((item) => chart.data.datasets[item.datasetIndex].data[item.index]);
    const hit = points.find((point) => point.best);
    if (hit) choose(hit.best);
  };
  const chart = showChart(
    "roofline-chart",
    `Bandwidth over input bytes of ${plural(device.bests.length, "problem")}; the table of results has the figures.`,
    {type: "scatter", data: {datasets}, options: chartOptions(scales, rooflineTooltip(), {onClick})});
  fillLegend(byId("roofline-legend"), chart);
  byId("roofline-caption").textContent = rooflineCaption(device);
  byId("roofline-text").textContent =
    rooflineText(device, device.bests.filter((best) => highlight === "" || operationOf(best).group === highlight));
}
