// Time of one operation over the number of elements, the product of the extents.

// The lines of the chart: a label, a style, and the time of a best, or null.
function sizeSeries(device, bests) {
  const series = [
    {label: "Tuned", style: ["series-tuned", {radius: 4}], timeOf: (best) => best.us},
    {label: "Untuned default", style: ["series-default", {point: "rect", dash: [4, 3]}], timeOf: (best) => best.default_us},
    {label: "Limit", style: ["series-limit", {radius: 0, dash: [2, 3]}], timeOf: (best) => limitUs(device, best.bytes)},
  ];
  return series.filter((one) => bests.some((best) => one.timeOf(best) !== null));
}

function pointsOf(one, bests) {
  return bests.filter((best) => one.timeOf(best) !== null).map((best) => ({x: best.n, y: one.timeOf(best), best}));
}

const sizeTooltip = {
  title: (items) => problemName(items[0].raw.best),
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

function fillSizesTable(series, bests) {
  const timeColumns = series.map((one) => ({
    title: `${one.label}, µs`,
    isNumber: true,
    cell: (best) => (one.timeOf(best) === null ? "–" : formatNumber(one.timeOf(best))),
  }));
  const bandwidth = {title: "Tuned, GB/s", isNumber: true, cell: (best) => formatNumber(best.gbps)};
  const title = bests.some(hasSeveralExtents) ? "Shape" : "n";
  fillTable(byId("sizes-table"), [{title, cell: sizeText}, ...timeColumns, bandwidth], bests);
}

function showSizes(device, bests) {
  const series = sizeSeries(device, bests);
  const points = series.flatMap((one) => pointsOf(one, bests));
  const datasets = series.map((one) => ({
    label: one.label,
    data: pointsOf(one, bests),
    ...lineStyle(...one.style),
  }));
  const scales = {
    x: countAxis("Elements n", points.map((point) => point.x), formatCount),
    y: valueAxis("Time per call, µs", points.map((point) => point.y)),
  };
  const chart = showChart(
    "time-chart", `Time of ${labelOf(bests[0])} over the number of elements; the table below has the figures.`,
    {type: "scatter", data: {datasets}, options: chartOptions(scales, sizeTooltip, {isOfLines: true})});
  fillLegend(byId("sizes-legend"), chart);
  fillSizesTable(series, bests);
  byId("sizes-title").textContent = `Time over size: ${labelOf(bests[0])}`;
  byId("sizes-text").textContent = sizesText(bests);
  byId("limit-text").textContent = limitText(device);
}
