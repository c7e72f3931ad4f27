// What all charts have in common: colours of the theme, axes, and how they are made.

const charts = new Map();  // by the id of their canvas

const darkTheme = window.matchMedia("(prefers-color-scheme: dark)");

// A colour of the style sheet.
function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// The same, seen through.
function faded(name, alpha) {
  const digits = color(name).slice(1);
  const parts = [0, 2, 4].map((place) => parseInt(digits.slice(place, place + 2), 16));
  return `rgba(${parts.join(", ")}, ${alpha})`;
}

// Makes the chart anew, with a description for those who do not see it.
function showChart(id, description, config) {
  charts.get(id)?.destroy();
  const canvas = byId(id);
  canvas.setAttribute("aria-label", description);
  const chart = new Chart(canvas, config);
  charts.set(id, chart);
  return chart;
}

function axisTitle(text) {
  return {display: true, text, color: color("text-muted")};
}

function gridOptions() {
  return {color: color("grid"), borderColor: color("border"), tickColor: color("grid")};
}

// The ends of a logarithmic axis around the values: by a factor, and by so much of the axis that the points
// at its ends are whole, however many powers it has.
function spanOf(values, factor) {
  const share = 0.04;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max(factor, (most / least) ** share);
  return {min: least / margin, max: most * margin};
}

// A logarithmic axis with ticks at the values that there are, no more of them than there is room for.
function countAxis(title, values, format) {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  return {
    type: "logarithmic",
    ...spanOf(distinct, Math.SQRT2),
    title: axisTitle(title),
    grid: gridOptions(),
    afterBuildTicks(axis) {
      const tickWidth = 52;  // pixels
      const room = Math.max(2, Math.floor(axis.chart.width / tickWidth) - 1);
      const step = Math.ceil(distinct.length / room);
      axis.ticks = distinct.filter((value, place) => place % step === 0).map((value) => ({value}));
    },
    ticks: {color: color("text-muted"), autoSkip: false, maxRotation: 0, callback: format},
  };
}

// The step of 1, 2 or 5 times a power of ten that is next above.
function roundStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].map((digit) => digit * power).find((round) => round >= step * 0.999);
}

function logarithmicTicks(min, max) {
  const fewDecades = 0.7;
  const decades = Math.log10(max / min);
  const ticks = [];
  if (decades < fewDecades) {
    const step = roundStep((max - min) / 6);
    for (let tick = Math.ceil(min / step); tick * step <= max; ++tick) ticks.push(tick * step);
    return ticks;
  }
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); ++power) {
    for (const digit of decades > 3 ? [1] : [1, 2, 5]) ticks.push(digit * 10 ** power);
  }
  return ticks.filter((tick) => tick >= min && tick <= max);
}

// An axis of times or bandwidths.
function valueAxis(title, values) {
  const {min, max} = spanOf(values, 1.12);
  return {
    type: "logarithmic",
    min,
    max,
    title: axisTitle(title),
    grid: gridOptions(),
    afterBuildTicks(axis) {
      axis.ticks = logarithmicTicks(min, max).map((value) => ({value}));
    },
    ticks: {
      color: color("text-muted"),
      autoSkip: false,
      callback: (value) => value.toLocaleString("en", {maximumSignificantDigits: 4}),
    },
  };
}

// From -0.5 to 0.5, and the same for the same number: how far to move a point aside.
function jitter(number) {
  const golden = 0.6180339887;  // spreads consecutive numbers evenly
  return (number * golden) % 1 - 0.5;
}

// A line with its mark in the legend. The dash and the point tell lines apart without colours.
function lineStyle(name, {point = "circle", dash = [], radius = 3} = {}) {
  return {
    borderColor: color(name),
    backgroundColor: color(name),
    pointBackgroundColor: color(name),
    pointStyle: point,
    pointRadius: radius,
    pointHoverRadius: radius + 3,
    borderDash: dash,
    borderWidth: 2,
    showLine: true,
    legendColor: color(name),
    legendMark: dash.length > 0 ? "dashed" : "line",
  };
}

function pointStyle(name, {alpha = 1, radius = 3, point = "circle"} = {}) {
  return {
    backgroundColor: alpha < 1 ? faded(name, alpha) : color(name),
    borderColor: alpha < 1 ? faded(name, alpha) : color("surface"),
    borderWidth: alpha < 1 ? 0 : 1,
    pointStyle: point,
    radius,
    hoverRadius: radius + 3,
    showLine: false,
    legendColor: color(name),
    legendMark: point === "circle" ? "dot" : "diamond",
  };
}

// The tooltip is of the point under the pointer, or of all lines at its x.
function chartOptions(scales, tooltip, {isOfLines = false, onClick} = {}) {
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    interaction: isOfLines ? {mode: "nearest", axis: "x", intersect: false} : {mode: "nearest", intersect: true},
    onClick,
    scales,
    plugins: {
      legend: {display: false},
      tooltip: {
        displayColors: false,
        backgroundColor: color("tooltip"),
        titleColor: color("tooltip-text"),
        bodyColor: color("tooltip-text"),
        padding: 10,
        callbacks: tooltip,
      },
    },
  };
}
