// What is chosen, and who shows it.

const state = {
  device: null,
  best: null,        // the problem in detail
  highlight: "",
  landscape: {},     // the tunables that were chosen
};

// All sizes of the operation of the chosen problem, in ascending order.
function siblings() {
  return state.device.bests.filter((best) => best.operation === state.best.operation).sort((a, b) => a.n - b.n);
}

function distinctGroups() {
  const names = new Map();
  for (const best of state.device.bests) names.set(operationOf(best).group, groupName(operationOf(best)));
  return [...names].sort((a, b) => a[1].localeCompare(b[1]));
}

function fillChooser() {
  const {group} = operationOf(state.best);
  const variants = new Map();
  for (const best of state.device.bests) {
    if (operationOf(best).group === group) variants.set(best.operation, variantName(operationOf(best)));
  }
  fillSelect(byId("operator"), distinctGroups(), group);
  fillSelect(byId("operation"), [...variants], state.best.operation);
  fillSelect(byId("problem"),
             siblings().map((best) => [state.device.bests.indexOf(best), `${sizeText(best)} (${formatBytes(best.bytes)})`]),
             state.device.bests.indexOf(state.best));
}

// Of the bests that fit, the one of the size that is nearest to the present one.
function nearest(fits) {
  const distance = (best) => Math.abs(Math.log2(best.n / state.best.n));
  return state.device.bests.filter(fits).reduce((a, b) => (distance(b) < distance(a) ? b : a));
}

function showProblem() {
  fillChooser();
  showSizes(state.device, siblings());
  showLandscape(state.best, state.landscape);
}

function showRooflineOfState() {
  showRoofline(state.device, state.highlight, chooseAndShow);
}

function choose(best) {
  const isOther = best.operation !== state.best?.operation;
  state.best = best;
  if (isOther) state.landscape = {};
  showProblem();
}

// From elsewhere on the page: the reader is taken to the problem, the keyboard too.
function chooseAndShow(best) {
  choose(best);
  byId("explore").scrollIntoView();
  byId("operator").focus({preventScroll: true});
}

// What is most telling first: the operation with the most sizes, at its largest landscape.
function firstProblem(device) {
  const sizes = new Map();
  for (const best of device.bests) sizes.set(best.operation, (sizes.get(best.operation) ?? 0) + 1);
  const most = Math.max(...sizes.values());
  const candidates = device.bests.filter((best) => sizes.get(best.operation) === most);
  return candidates.reduce((a, b) => (b.landscape.configs.length >= a.landscape.configs.length ? b : a));
}

function showDevice() {
  const {device} = state;
  const hasBests = device.bests.length > 0;
  for (const id of ["roofline", "explore", "bests"]) byId(id).hidden = !hasBests;
  for (const link of byId("sections").querySelectorAll("a")) {
    link.parentElement.hidden = byId(link.hash.slice(1)).closest("[hidden]") !== null;
  }
  showHead(device);
  showOverview(device);
  showFailures(device);
  if (!hasBests) return;
  state.best = firstProblem(device);
  state.landscape = {};
  state.highlight = "";
  fillSelect(byId("roofline-highlight"), [["", "All operators"], ...distinctGroups()], "");
  showRooflineOfState();
  showProblem();
  showBests(device, chooseAndShow);
}

function showLeftOut() {
  const sentences = [...data.left_out,
    "Single samples, occupancy, registers and times with warm caches: the database has them."];
  byId("left-out").replaceChildren(...sentences.map((sentence) => element("p", {}, sentence)));
}

function onChange(id, act) {
  byId(id).addEventListener("change", (event) => act(event.target.value));
}

function listen() {
  onChange("device", (place) => {
    state.device = data.devices[place];
    showDevice();
  });
  onChange("roofline-highlight", (group) => {
    state.highlight = group;
    showRooflineOfState();
  });
  onChange("operator", (group) => choose(nearest((best) => operationOf(best).group === group)));
  onChange("operation", (operation) => choose(nearest((best) => best.operation === Number(operation))));
  onChange("problem", (place) => choose(state.device.bests[place]));
  for (const [id, key] of [["landscape-tunable", "tunable"], ["heat-columns", "columns"], ["heat-rows", "rows"]]) {
    onChange(id, (name) => {
      state.landscape[key] = name;
      showLandscape(state.best, state.landscape);
    });
  }
  onChange("landscape-span", () => showLandscape(state.best, state.landscape));
  byId("bests-filter").addEventListener("input", () => showBests(state.device, chooseAndShow));
  byId("bests-more").addEventListener("click", () => {
    bestsState.isWhole = true;
    showBests(state.device, chooseAndShow);
  });
  darkTheme.addEventListener("change", () => {
    if (state.device.bests.length === 0) return;
    showRooflineOfState();
    showProblem();
  });
}

function showEmpty() {
  byId("empty").hidden = false;
  byId("empty-text").textContent = `The database ${data.database} holds no measurements that this page could show.`;
  for (const id of ["overview", "roofline", "explore", "bests", "failures", "sections"]) byId(id).hidden = true;
}

function start() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  byId("subtitle").textContent = `Made ${formatMinute(data.made_at)} UTC by Foldtune ${data.foldtune_version}`;
  showLeftOut();
  byId("config-legend").textContent = `Configurations: ${configLegend().join("; ")}.`;
  if (data.devices.length === 0) {
    showEmpty();
    return;
  }
  state.device = data.devices[0];
  byId("device-field").hidden = data.devices.length === 1;
  fillSelect(byId("device"), data.devices.map((device, place) => [place, deviceText(device)]), 0);
  listen();
  showDevice();
}

start();
