// The data of the page, as tuner/report/report_data.h describes it.

const data = JSON.parse(byId("data").textContent);

function operationOf(best) {
  return data.operations[best.operation];
}

function labelOf(best) {
  return operationOf(best).label;
}

// "sum f32, n = 2²⁰".
function problemName(best) {
  return `${labelOf(best)}, n = ${formatCount(best.n)}`;
}

// The name of an operator; those of users are stored as "name:hash".
function operatorName(operation) {
  return operation.op.split(":")[0];
}

// What a label says beyond the operator.
function variantName(operation) {
  const name = operatorName(operation);
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

// Short names, as `foldtune show` has them: "vector_width" -> "vw".
function initials(name) {
  return name.split("_").map((word) => word[0]).join("");
}

// "bs256 vw4 u8 contiguous shuffle last_block w2".
function configText(config) {
  return tunablesOf(config).map((tunable, place) => {
    const value = tunable.values[data.configs[config][place + 1]];
    return typeof value === "number" ? initials(tunable.name) + value : String(value);
  }).join(" ");
}

// What the abbreviations stand for, for each shape.
function configLegend() {
  return data.shapes.map((shape) => {
    const terms = shape.tunables.map((tunable) =>
      typeof tunable.values[0] === "number" ? `${initials(tunable.name)} ${tunable.name}` : tunable.name);
    return `${shape.family}: ${terms.join(", ")}`;
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
