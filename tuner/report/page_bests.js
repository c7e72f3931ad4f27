// The table of results, which is sorted and filtered, and that of failures.

const rowsAtFirst = 50;

// Values to sort by are numbers or texts; null comes last in any order.
const bestColumns = [
  {title: "Problem", value: labelOf},
  {title: "n", value: (best) => best.n, text: sizeText, isNumber: true},
  {title: "Input", value: (best) => best.bytes, text: (best) => formatBytes(best.bytes), isNumber: true},
  {title: "Time, µs", value: (best) => best.us, text: (best) => formatNumber(best.us), isNumber: true},
  {title: "GB/s", value: (best) => best.gbps, text: (best) => formatNumber(best.gbps), isNumber: true},
  {title: "% of read bandwidth", value: (best) => best.percent_of_read_bandwidth,
   text: (best) => best.percent_of_read_bandwidth.toFixed(1), isNumber: true},
  {title: "Gain over default", value: gainOf, text: (best) => formatGain(gainOf(best)), isNumber: true},
  {title: "Configuration", value: (best) => configText(best.config), isCode: true},
  {title: "Measured (UTC)", value: (best) => best.measured_at, text: (best) => formatMinute(best.measured_at) + importText(best)},
];

const bestsState = {column: 0, isDescending: false, isWhole: false};

function compareValues(a, b) {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return typeof a === "number" ? a - b : a.localeCompare(b, "en", {numeric: true});
}

function sortedBests(bests) {
  const {value} = bestColumns[bestsState.column];
  const sign = bestsState.isDescending ? -1 : 1;
  return [...bests].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return compareValues(x, y);
    return sign * compareValues(x, y) || compareValues(labelOf(a), labelOf(b)) || a.n - b.n;
  });
}

// Words begin at any letter or digit that follows something else, so that "sum" does not find "logsumexp".
function matches(best, words) {
  const text = ` ${labelOf(best)} ${best.shape} ${typedCount(best.n)} ${configText(best.config)} ${best.measured_at}${importText(best)}`
    .toLowerCase().replace(/[(,)]/g, " ");
  return words.every((word) => text.includes(` ${word}`));
}

function filterWords() {
  return byId("bests-filter").value.toLowerCase().split(/[\s,]+/).filter((word) => word !== "");
}

function headingOf(column, place, show) {
  const isSorted = place === bestsState.column;
  const order = isSorted ? (bestsState.isDescending ? "descending" : "ascending") : "none";
  const arrow = element("span", {class: "arrow", "aria-hidden": "true"}, isSorted ? (bestsState.isDescending ? "▼" : "▲") : "↕");
  const button = element("button", {type: "button"}, column.title, arrow);
  button.addEventListener("click", () => {
    bestsState.isDescending = isSorted ? !bestsState.isDescending : false;
    bestsState.column = place;
    show();
    byId("bests-table").querySelectorAll("thead button")[place].focus();
  });
  return element("th", {scope: "col", "aria-sort": order, class: column.isNumber ? "number" : null}, button);
}

function importText(best) {
  return best.imported_from === null ? "" : `, imported from ${best.imported_from}`;
}

function bestCell(best, column, choose) {
  const value = column.value(best);
  if (column === bestColumns[0]) {
    const button = element("button", {type: "button", class: "link", title: "Show its sizes and its landscape"}, value);
    button.addEventListener("click", () => choose(best));
    return element("th", {scope: "row"}, button);
  }
  const text = value === null ? "–" : column.text ? column.text(best) : value;
  return element("td", {class: column.isNumber ? "number" : null}, column.isCode ? element("code", {}, text) : text);
}

function showBests(device, choose) {
  const show = () => showBests(device, choose);
  const words = filterWords();
  const found = sortedBests(device.bests.filter((best) => matches(best, words)));
  const shown = bestsState.isWhole ? found : found.slice(0, rowsAtFirst);
  byId("bests-table").replaceChildren(
    element("thead", {}, element("tr", {}, ...bestColumns.map((column, place) => headingOf(column, place, show)))),
    element("tbody", {}, ...shown.map((best) =>
      element("tr", {}, ...bestColumns.map((column) => bestCell(best, column, choose))))));
  const all = plural(device.bests.length, "result");
  byId("bests-count").textContent =
    (words.length > 0 ? `${formatInteger(found.length)} of ${all} contain these words` : all) +
    (shown.length < found.length ? `; the first ${formatInteger(shown.length)} are shown.` : ".");
  const more = byId("bests-more");
  more.hidden = shown.length === found.length;
  more.textContent = `Show all ${formatInteger(found.length)}`;
}

const failureColumns = [
  {title: "Outcome", cell: (failure) => element("code", {}, failure.outcome)},
  {title: "Times", cell: (failure) => formatInteger(failure.times), isNumber: true},
  {title: "Problems", cell: (failure) => formatInteger(failure.problems), isNumber: true},
  {title: "Configurations", cell: (failure) => formatInteger(failure.configs), isNumber: true},
  {title: "Reason", cell: (failure) => failure.reason},
  {title: "Problem and configuration", cell: (failure) => element("span", {}, `${problemName(failure)}: `,
                                                element("code", {}, configText(failure.config)))},
  {title: "Last (UTC)", cell: (failure) => formatMinute(failure.measured_at)},
];

function showFailures(device) {
  const hasFailures = device.failures.length > 0;
  byId("failures-region").hidden = !hasFailures;
  byId("failures-text").textContent = !hasFailures
    ? "Every configuration that was tried compiled, ran, and gave the right result."
    : `${formatInteger(device.failed)} of ${plural(device.measurements, "measurement")} failed. A configuration that fails is ` +
      "recorded with its reason and never used. Failures whose reasons differ in numbers alone stand in one row, with the newest of them." +
      (device.failures_left_out > 0 ? ` ${plural(device.failures_left_out, "rarer reason")} are left out.` : "");
  fillTable(byId("failures-table"), failureColumns, device.failures);
}
