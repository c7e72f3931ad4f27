/// The columns of the database, each described once. The tables, what is read and written, the
/// checks, the exchange format, the worker's protocol, `show --json` and `--csv`, and the table of
/// docs/database.md follow from this.
///
/// A record's columns are visited as `visit(column, field)`, in the order of all of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "cache/config_store.h"

namespace foldtune {

struct ColumnInfo {
  const char* name;
  const char* unit;
  const char* meaning;
  /// Of a number. None may be negative.
  double most = std::numeric_limits<double>::infinity();
  /// Of a text that comes from outside: its bytes, and whether it may have several lines.
  std::size_t max_bytes = 1000;
  bool has_lines = false;
  /// 0 says that it was not measured: NULL in the database, null in JSON.
  bool is_optional = false;
  /// A text that is a JSON object.
  bool is_json = false;
  /// A text of the form "name=value name=value": in JSON an object of them.
  bool is_fields = false;
};

// More than there is, and what no sum of a few overflows.
inline constexpr double kMostInteger = 9.2e18;  ///< SQLite's integers are signed
inline constexpr double kMostUs = 1e12;         ///< eleven days
inline constexpr double kMostClock = 1e9;       ///< kHz: 1 THz
inline constexpr double kMostCount = 1e6;       ///< of parts of a device, of samples
inline constexpr double kMostMemory = 0x1p50;   ///< bytes

/// Of `MeasurementRecord::round`, far above what tuning a problem again and again comes to.
inline constexpr int kMostRound = 1'000'000;

/// A record, const or not.
template <class T, class Record>
concept RecordOf = std::same_as<std::remove_const_t<T>, Record>;

template <RecordOf<DeviceRecord> T, class Visit>
void visit_columns(T& device, Visit&& visit) {
  visit(ColumnInfo{"device_kind", "", "`cuda` or `cpu`"}, device.kind);
  visit(ColumnInfo{"device_name", "", "`NVIDIA H200`"}, device.name);
  visit(ColumnInfo{"device_architecture", "", "`sm_90`"}, device.architecture);
  visit(ColumnInfo{"device_multiprocessor_count", "", "", kMostCount}, device.multiprocessor_count);
  visit(ColumnInfo{"device_memory_bytes", "bytes", "0: unknown, or the host's", kMostMemory},
        device.memory_bytes);
  visit(ColumnInfo{"device_memory_clock_khz", "kHz", "0: unknown", kMostClock},
        device.memory_clock_khz);
  visit(ColumnInfo{"device_memory_bus_bits", "bits", "0: unknown", kMostCount},
        device.memory_bus_bits);
  visit(ColumnInfo{"device_l2_bytes", "bytes", "", kMostMemory}, device.l2_bytes);
  visit(ColumnInfo{"device_driver", "", "the driver's version"}, device.driver);
}

template <RecordOf<RunRecord> T, class Visit>
void visit_columns(T& run, Visit&& visit) {
  visit_columns(run.device, visit);
  visit(ColumnInfo{"compiler", "", "`nvrtc 13.0`"}, run.compiler);
  visit(ColumnInfo{"foldtune_version", "", "what ran"}, run.foldtune_version);
  visit(ColumnInfo{.name = "command",
                   .unit = "",
                   .meaning = "its command line",
                   .max_bytes = std::size_t{64} << 10},
        run.command);
  visit(ColumnInfo{"seed", "", "its seed, as a signed number of 64 bits"}, run.seed);
  visit(ColumnInfo{.name = "read_bandwidth_gbps",
                   .unit = "10^9 bytes/s",
                   .meaning = "read bandwidth that the run measured on its device",
                   .is_optional = true},
        run.read_bandwidth_gbps);
}

template <RecordOf<ProblemKey> T, class Visit>
void visit_columns(T& problem, Visit&& visit) {
  visit(ColumnInfo{"family", "", "the family of kernels"}, problem.family);
  visit(ColumnInfo{.name = "problem",
                   .unit = "",
                   .meaning = "what is computed: the family's fields, `op=sum type=f32 ...`; those "
                              "with their usual value are left out",
                   .is_fields = true},
        problem.problem);
  visit(ColumnInfo{"layout", "",
                   "the class of the addresses, as the family names it: `vector` (aligned), ..."},
        problem.layout);
  visit(ColumnInfo{"bucket", "",
                   "what results are kept under: 4 log2 of each extent, rounded up: `80`, `48x27`"},
        problem.bucket);
  visit(ColumnInfo{"conditions", "",
                   "of the calls: inputs from memory (`cold`) or in the L2 (`warm`), launched in a "
                   "`graph` or one after another in a `stream`: `cold_graph`, ..."},
        problem.conditions);
}

/// Those of the table `problem`.
template <RecordOf<MeasurementRecord> T, class Visit>
void visit_problem_columns(T& m, Visit&& visit) {
  visit_columns(m.problem, visit);
  visit(ColumnInfo{"template_fingerprint", "", "hash over the sources of the problem's kernels"},
        m.template_fingerprint);
}

inline constexpr ColumnInfo kParamsColumn{.name = "params",
                                          .unit = "",
                                          .meaning = "the tunables, a JSON object with sorted keys",
                                          .max_bytes = 10'000,
                                          .is_json = true};

/// Those of the table `measurement`: problems and params have tables of their own.
template <RecordOf<MeasurementRecord> T, class Visit>
void visit_own_columns(T& m, Visit&& visit) {
  const auto optional_time = [](const char* name, const char* meaning) {
    return ColumnInfo{.name = name,
                      .unit = "µs per call",
                      .meaning = meaning,
                      .most = kMostUs,
                      .is_optional = true};
  };
  visit(ColumnInfo{"shape", "elements", "the extents: `1048576`, `4096x100`"}, m.shape);
  visit(ColumnInfo{.name = "input_bytes",
                   .unit = "bytes",
                   .meaning = "input that was read",
                   .most = kMostInteger},
        m.bytes);
  visit(ColumnInfo{"is_default", "0 or 1", "1: the configuration that is used untuned"},
        m.is_default);
  visit(ColumnInfo{"round", "",
                   "0: screening; 1: comparison of the best; from 2 on: what was chosen by it, the "
                   "higher the later",
                   kMostRound},
        m.round);
  visit(ColumnInfo{"outcome", "",
                   "`ok`, `compile_error`, `load_error`, `launch_error`, `wrong_result`, "
                   "`timing_error`, `out_of_memory`, `crashed` or `timeout`"},
        m.outcome);
  visit(ColumnInfo{.name = "failure",
                   .unit = "",
                   .meaning = "the reason; empty for `ok`",
                   .max_bytes = std::size_t{1} << 20,
                   .has_lines = true},
        m.failure);
  visit(
      ColumnInfo{
          "median_us", "µs per call",
          "of calls under the problem's conditions; above 0 for `ok`, without meaning otherwise",
          kMostUs},
      m.median_us);
  visit(ColumnInfo{"mad_us", "µs per call",
                   "median absolute deviation of the samples from `median_us`", kMostUs},
        m.mad_us);
  visit(ColumnInfo{"discarded_samples", "",
                   "samples that were taken again, since the device was throttled meanwhile",
                   kMostCount},
        m.discarded_samples);
  visit(optional_time("hot_us", "in a graph, with the input in the L2, which it may not fit"),
        m.hot_us);
  visit(optional_time("stream_us", "back to back in a stream, without a graph"), m.stream_us);
  visit(optional_time("latency_us", "from before a launch to its result, as the host sees it"),
        m.latency_us);
  visit(ColumnInfo{"registers", "per thread", "", kMostCount}, m.registers);
  visit(ColumnInfo{"shared_bytes", "bytes per block", "static shared memory", kMostMemory},
        m.shared_bytes);
  visit(ColumnInfo{"local_bytes", "bytes per thread", "spills and stack", kMostMemory},
        m.local_bytes);
  visit(ColumnInfo{.name = "occupancy",
                   .unit = "0 to 1",
                   .meaning = "resident warps over the maximum",
                   .most = 1},
        m.occupancy);
  visit(ColumnInfo{"compile_ms", "ms", "", kMostUs}, m.compile_ms);
  visit(ColumnInfo{"sm_clock_mhz", "MHz", "read while the samples were taken; 0: unknown",
                   kMostClock},
        m.sm_clock_mhz);
  visit(ColumnInfo{"memory_clock_mhz", "MHz", "the same", kMostClock}, m.memory_clock_mhz);
  visit(
      ColumnInfo{"samples_us", "µs per call", "JSON array, in the order they were taken", kMostUs},
      m.samples_us);
}

template <RecordOf<MeasurementRecord> T, class Visit>
void visit_columns(T& m, Visit&& visit) {
  visit_problem_columns(m, visit);
  visit(kParamsColumn, m.params);
  visit_own_columns(m, visit);
}

/// A run with its device, as it is stored.
template <RecordOf<StoredResult> T, class Visit>
void visit_run(T& row, Visit&& visit) {
  visit(ColumnInfo{"started_at", "UTC, ISO 8601", "when the run began"}, row.started_at);
  visit(ColumnInfo{"device_fingerprint", "", "hash over what tells devices apart"},
        row.device_fingerprint);
  visit_columns(row.run, visit);
}

inline constexpr ColumnInfo kMeasuredAtColumn{"measured_at", "UTC, ISO 8601",
                                              "when the measurement was stored"};

/// No part of the exchange format: whoever reads a file has its rows from there.
inline constexpr ColumnInfo kImportedFromColumn{
    "imported_from", "", "the file that `import` took it from; empty: it was measured here"};

/// Of the view `result`; the table `pin` says it. No part of the exchange format either.
inline constexpr ColumnInfo kIsPinnedColumn{"is_pinned", "0 or 1",
                                            "1: a choice that `pin` keeps, whatever comes later"};

/// A measurement with its problem and params, as it is exchanged.
template <RecordOf<StoredResult> T, class Visit>
void visit_measurement(T& row, Visit&& visit) {
  visit(kMeasuredAtColumn, row.measured_at);
  visit_columns(row.measurement, visit);
}

}  // namespace foldtune
