// Numbers as text for people.

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// Four significant digits at most: "0.123", "12.35", "4,812".
function formatNumber(value) {
  const magnitude = Math.abs(value);
  const decimals = magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 10 ? 2 : 3;
  return value.toLocaleString("en", {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
}

function formatInteger(value) {
  return value.toLocaleString("en");
}

function formatTime(us) {
  if (us < 1e3) return `${formatNumber(us)} µs`;
  if (us < 1e6) return `${formatNumber(us / 1e3)} ms`;
  return `${formatNumber(us / 1e6)} s`;
}

function formatBandwidth(gbps) {
  return `${formatNumber(gbps)} GB/s`;
}

function formatBytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return `${Math.round(bytes * 10) / 10} ${units[unit]}`;
}

function exponentOf(count) {
  const exponent = Math.log2(count);
  return count >= 1024 && Number.isInteger(exponent) ? exponent : null;
}

// "2²⁰" for a power of two, else "1,000,003".
function formatCount(count) {
  const exponent = exponentOf(count);
  if (exponent === null) return formatInteger(count);
  return "2" + [...String(exponent)].map((digit) => superscripts[digit]).join("");
}

// As the command line takes it.
function typedCount(count) {
  const exponent = exponentOf(count);
  return exponent === null ? String(count) : `2^${exponent}`;
}

function formatGain(ratio) {
  return `${ratio.toFixed(2)}×`;
}

// "2026-01-31T12:00:00Z" without its seconds: "2026-01-31 12:00".
function formatMinute(time) {
  return time.slice(0, 16).replace("T", " ");
}

function plural(count, noun) {
  return `${formatInteger(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
