// The data of the page, as tuner/report/report_data.h describes it.

const data = JSON.parse(byId("data").textContent);

function operationOf(best) {
  return data.operations[best.operation];
}

function labelOf(best) {
  return operationOf(best).label;
}

function hasSeveralExtents(best) {
  return best.shape.includes("x");
}

// "2²⁰", "4096 × 100".
function sizeText(best) {
  return hasSeveralExtents(best) ? best.shape.replaceAll("x", " × ") : formatCount(best.n);
}

// "sum f32, n = 2²⁰".
function problemName(best) {
  return `${labelOf(best)}, ${hasSeveralExtents(best) ? "" : "n = "}${sizeText(best)}`;
}

// The name of a group, such as an operator; operators of users are stored as "name:hash".
function groupName(operation) {
  return operation.group.split(":")[0];
}

// What a label says beyond the group.
function variantName(operation) {
  const name = groupName(operation);
  return operation.label.startsWith(`${name} `) ? operation.label.slice(name.length + 1) : operation.label;
}

// The tunables of a configuration: [{name, values}].
function tunablesOf(config) {
  return data.shapes[data.configs[config][0]].tunables;
}

// Its value of a tunable of that name; undefined if it has none.
function valueOf(config, name) {
  const place = tunablesOf(config).findIndex((tunable) => tunable.name === name);
  return place < 0 ? undefined : tunablesOf(config)[place].values[data.configs[config][place + 1]];
}

// "block_size=256 unroll=8": the first tunable, and others that are not at their fallback.
function configText(config) {
  return tunablesOf(config)
    .map((tunable, place) => ({tunable, place, value: tunable.values[data.configs[config][place + 1]]}))
    .filter(({tunable, place, value}) => place === 0 || value !== tunable.fallback)
    .map(({tunable, value}) => `${tunable.name}=${value}`).join(" ");
}

// What is left out, for each shape of configurations.
function configLegend() {
  return data.shapes.map((shape) => {
    const usual = shape.tunables.filter((tunable, place) => place > 0 && tunable.fallback !== null)
      .map((tunable) => `${tunable.name}=${tunable.fallback}`);
    return `${shape.family}: what is not said is ${usual.join(" ")}`;
  });
}

// The times of all configurations of a problem: [{config, us}], the fastest first.
function landscapeOf(best) {
  return best.landscape.configs.map((config, place) => ({config, us: best.landscape.us[place]}));
}

// How many times as fast as the untuned default; null if that was not measured.
function gainOf(best) {
  return best.default_us === null ? null : best.default_us / best.us;
}

// The least time in which the device could be expected to read so many bytes; null if it is unknown.
function limitUs(device, bytes) {
  if (device.launch_floor === null || device.read_bandwidth_gbps === null) return null;
  return device.launch_floor.us + bytes / device.read_bandwidth_gbps / 1e3;
}

function gbpsOf(bytes, us) {
  return bytes / us / 1e3;
}
