// Time and bandwidth of one operation over the number of elements.

// A line of both charts: a label, a style, and the time for a best, or null.
function sizeSeries(device, bests) {
  const series = [
    {label: "Tuned", style: ["series-tuned", {radius: 4}], points: bests.map((best) => ({n: best.n, us: best.us}))},
    {label: "Untuned default", style: ["series-default", {point: "rect", dash: [4, 3]}],
     points: bests.filter((best) => best.default_us !== null).map((best) => ({n: best.n, us: best.default_us}))},
    ...peerSeries(device, bests),
    {label: "Limit", style: ["series-limit", {radius: 0, dash: [2, 3]}],
     points: bests.map((best) => ({n: best.n, us: limitUs(device, best.bytes)})).filter((point) => point.us !== null)},
  ];
  return series.filter((one) => one.points.length > 0);
}

function peerSeries(device, bests) {
  const marks = ["triangle", "rectRot", "crossRot", "star"];
  const colors = ["series-peer-1", "series-peer-2", "series-peer-3", "series-peer-4"];
  return device.peers.filter((peer) => peer.operation === bests[0].operation).map((peer, place) => ({
    label: peer.name,
    style: [colors[place % colors.length], {point: marks[place % marks.length]}],
    points: peer.n.map((n, index) => ({n, us: peer.us[index]})),
  }));
}

// Input bytes of an element; the same for all sizes of an operation.
function bytesPerElement(bests) {
  return bests[0].bytes / bests[0].n;
}

function sizeTooltip(unit) {
  return {
    title: (items) => `n = ${formatCount(items[0].raw.x)}`,
    label: (item) => `${item.dataset.label}: ${unit(item.raw.y)}`,
  };
}

function sizesText(device, bests) {
  const gains = bests.map(gainOf).filter((gain) => gain !== null);
  const gain = gains.length === 0 ? "" :
    ` In the geometric mean of ${plural(gains.length, "size")} the tuned configuration is ${formatGain(geometricMean(gains))} as fast as the untuned default.`;
  const peers = device.peers.filter((peer) => peer.operation === bests[0].operation);
  const bench = peers.length === 0 ? "" :
    ` The other libraries were measured by the bench in one run on ${peers[0].measured_at.slice(0, 10)} (${peers[0].file}); compare them with the line of Foldtune from that run.`;
  return `${labelOf(bests[0])}, with the best configuration of each size.${gain}${bench}`;
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
  const bytes = bytesPerElement(bests);
  const counts = series.flatMap((one) => one.points.map((point) => point.n));
  const datasets = (value) => series.map((one) => ({
    label: one.label,
    data: one.points.map((point) => ({x: point.n, y: value(point)})),
    ...lineStyle(...one.style),
  }));
  const show = (id, what, unit, axis, value) => {
    const values = series.flatMap((one) => one.points.map(value));
    const scales = {x: countAxis("Elements n", counts, formatCount), y: valueAxis(axis, values)};
    return showChart(
      id, `${what} of ${labelOf(bests[0])} over the number of elements; the table below has the figures.`,
      {type: "scatter", data: {datasets: datasets(value)},
       options: chartOptions(scales, sizeTooltip(unit), {isOfLines: true})});
  };
  const time = show("time-chart", "Time", formatTime, "Time per call, µs", (point) => point.us);
  const bandwidth = show("bandwidth-chart", "Bandwidth", formatBandwidth, "Input read, GB/s",
                         (point) => gbpsOf(point.n * bytes, point.us));
  fillLegend(byId("sizes-legend"), [time, bandwidth]);
  fillSizesTable(series, bytes);
  byId("sizes-title").textContent = `Time over size: ${labelOf(bests[0])}`;
  byId("sizes-text").textContent = sizesText(device, bests);
  byId("limit-text").textContent = limitText(device);
}
