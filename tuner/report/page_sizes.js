// Time of one operation over the number of elements.

// The lines of the chart: a label, a style, and the time for a best, or null.
function sizeSeries(device, bests) {
  const series = [
    {label: "Tuned", style: ["series-tuned", {radius: 4}], points: bests.map((best) => ({n: best.n, us: best.us}))},
    {label: "Untuned default", style: ["series-default", {point: "rect", dash: [4, 3]}],
     points: bests.filter((best) => best.default_us !== null).map((best) => ({n: best.n, us: best.default_us}))},
    {label: "Limit", style: ["series-limit", {radius: 0, dash: [2, 3]}],
     points: bests.map((best) => ({n: best.n, us: limitUs(device, best.bytes)})).filter((point) => point.us !== null)},
  ];
  return series.filter((one) => one.points.length > 0);
}

// Input bytes of an element; the same for all sizes of an operation.
function bytesPerElement(bests) {
  return bests[0].bytes / bests[0].n;
}

const sizeTooltip = {
  title: (items) => `n = ${formatCount(items[0].raw.x)}`,
  label: (item) => `${item.dataset.label}: ${formatTime(item.raw.y)}`,
};

function sizesText(bests) {
  const gains = bests.map(gainOf).filter((gain) => gain !== null);
  const gain = gains.length === 0 ? "" :
    ` In the geometric mean of ${plural(gains.length, "size")} the tuned configuration is ${formatGain(geometricMean(gains))} as fast as the untuned default.`;
  return `${labelOf(bests[0])}, with the best configuration of each size.${gain}`;
}

function limitText(device) {
  if (device.read_bandwidth_gbps === null) return "There is no line for the limit: the read bandwidth was not measured.";
  if (device.launch_floor === null) {
    return `There is no line for the limit: no problem of at most ${formatBytes(device.launch_floor_bytes)} shows what a launch takes.`;
  }
  return `Limit: the time of a launch, ${formatTime(device.launch_floor.us)} (the least time of all problems of at most ` +
    `${formatBytes(device.launch_floor_bytes)}: ${problemName(device.bests[device.launch_floor.best])}), and of reading the input with ` +
    `${formatBandwidth(device.read_bandwidth_gbps)}. It is a yardstick, not a proof: what the GPU's caches hold is read faster.`;
}

function fillSizesTable(series, bytes) {
  const counts = [...new Set(series.flatMap((one) => one.points.map((point) => point.n)))].sort((a, b) => a - b);
  const timeOf = (one, n) => one.points.find((point) => point.n === n)?.us;
  const timeColumns = series.map((one) => ({
    title: `${one.label}, µs`,
    isNumber: true,
    cell: (n) => (timeOf(one, n) === undefined ? "–" : formatNumber(timeOf(one, n))),
  }));
  const bandwidth = {
    title: "Tuned, GB/s",
    isNumber: true,
    cell: (n) => (timeOf(series[0], n) === undefined ? "–" : formatNumber(gbpsOf(n * bytes, timeOf(series[0], n)))),
  };
  fillTable(byId("sizes-table"), [{title: "n", cell: formatCount}, ...timeColumns, bandwidth], counts);
}

function showSizes(device, bests) {
  const series = sizeSeries(device, bests);
  const points = series.flatMap((one) => one.points);
  const datasets = series.map((one) => ({
    label: one.label,
    data: one.points.map(({n, us}) => ({x: n, y: us})),
    ...lineStyle(...one.style),
  }));
  const scales = {
    x: countAxis("Elements n", points.map((point) => point.n), formatCount),
    y: valueAxis("Time per call, µs", points.map((point) => point.us)),
  };
  const chart = showChart(
    "time-chart", `Time of ${labelOf(bests[0])} over the number of elements; the table below has the figures.`,
    {type: "scatter", data: {datasets}, options: chartOptions(scales, sizeTooltip, {isOfLines: true})});
  fillLegend(byId("sizes-legend"), chart);
  fillSizesTable(series, bytesPerElement(bests));
  byId("sizes-title").textContent = `Time over size: ${labelOf(bests[0])}`;
  byId("sizes-text").textContent = sizesText(bests);
  byId("limit-text").textContent = limitText(device);
}
