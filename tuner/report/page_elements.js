// Elements of the document. Texts of the database only ever become text nodes.

function byId(id) {
  return document.getElementById(id);
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Options are [value, text]; the chosen one stays if it is still there.
function fillSelect(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => element("option", {value}, text)));
  if (options.some(([value]) => String(value) === String(chosen))) select.value = chosen;
}

// Columns are {title, cell(row), isNumber}; a cell is a text or a node. The first one heads its row.
function fillTable(table, columns, rows) {
  const head = columns.map((column) =>
    element("th", {scope: "col", class: column.isNumber ? "number" : null}, column.title));
  const body = rows.map((row) => element("tr", {}, ...columns.map((column, place) =>
    element(place === 0 ? "th" : "td",
            {scope: place === 0 ? "row" : null, class: column.isNumber ? "number" : null},
            column.cell(row)))));
  table.replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
}

// Pairs of a term and what is to be said of it.
function fillFacts(list, facts) {
  list.replaceChildren(...facts.map(([term, text]) =>
    element("div", {}, element("dt", {}, term), element("dd", {}, text))));
}

// A legend that is used with mouse and keyboard alike: a button for each dataset, which hides or
// shows it.
function fillLegend(list, chart) {
  const items = chart.data.datasets.map((dataset, place) => {
    const swatch = element("span", {class: "swatch", "aria-hidden": "true"});
    swatch.style.setProperty("--swatch", dataset.legendColor);
    swatch.dataset.mark = dataset.legendMark;
    const button = element("button", {type: "button", "aria-pressed": "true"}, swatch, dataset.label);
    button.addEventListener("click", () => {
      const isShown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(isShown));
      chart.setDatasetVisibility(place, isShown);
      chart.update();
    });
    return element("li", {}, button);
  });
  list.replaceChildren(...items);
}
