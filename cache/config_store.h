/// What is remembered between runs of the tuner and the programs that use its results.
///
/// `ConfigStore` is the seam to what keeps it, an SQLite database. Nothing here knows a GPU, a
/// kernel or a tunable: a problem is a row of names, a configuration is a JSON object.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cache/kernel_store.h"
#include "cache/notice.h"

namespace foldtune {

/// A device. Two share tuning results if they are of one model: if the first five fields are equal,
/// of the memory's size whole GiB. The rest may differ between two cards of a model, as the
/// memory's bus does, which makes no results differ.
struct DeviceRecord {
  std::string kind;          ///< "cuda", "cpu" or "fake".
  std::string name;          ///< As the driver reports it: "NVIDIA H200".
  std::string architecture;  ///< "sm_90"; for the CPU device the instruction set.
  int multiprocessor_count = 0;
  std::int64_t memory_bytes = 0;      ///< 0 where it is unknown, or the host's.
  std::int64_t memory_clock_khz = 0;  ///< 0 where it is unknown.
  int memory_bus_bits = 0;            ///< 0 where it is unknown.
  std::int64_t l2_bytes = 0;
  std::string driver;  ///< Driver version, or the host compiler's for the CPU.

  /// Hexadecimal hash over what two devices that share results have in common.
  std::string fingerprint() const;
  bool operator==(const DeviceRecord&) const = default;
};

/// A workload by its family's names.
struct ProblemKey {
  std::string family;   ///< "reduce"
  std::string problem;  ///< its fields: "op=sum type=f32 accumulator=f32 result=f32"
  std::string layout;   ///< "vector"
  std::string bucket;   ///< the size class of each extent: "20", "12x7"
  std::string conditions = "cold_graph";  ///< of the calls
  bool operator==(const ProblemKey&) const = default;
};

/// Everything that a tuning result depends on.
struct TuningKey {
  std::string device_fingerprint;  ///< `find` takes an empty one for any device.
  std::string driver;
  std::string template_fingerprint;  ///< Hash of the sources of the problem's kernels.
  /// "nvrtc 13.0", "g++ 12.2.0". `find` takes an empty one for any: results of all compilers are
  /// alike then, and none is stale for its compiler.
  std::string compiler;
  ProblemKey problem;
  bool operator==(const TuningKey&) const = default;
};

/// One invocation of the tuner: where its measurements come from.
struct RunRecord {
  DeviceRecord device;
  std::string compiler;
  std::string foldtune_version;
  std::string command;  ///< The command line, for people.
  std::uint64_t seed = 0;
  double read_bandwidth_gbps =
      0;  ///< Measured in this run, 10^9 bytes per second; 0: not measured.
  bool operator==(const RunRecord&) const = default;
};

enum class Outcome {
  ok,
  compile_error,
  load_error,
  launch_error,
  wrong_result,
  timing_error,
  out_of_memory,  ///< the device or the host has not enough memory for it
  crashed,        ///< it ended the process that tried it, or made the device unusable
  timeout,        ///< it did not end in time, and was stopped
};

/// The outcome's name as it is stored: "ok", "compile_error", ...
const char* to_string(Outcome outcome);

/// The inverse of `to_string`. Throws `StoreError` for any other name.
Outcome parse_outcome(std::string_view name);

/// One configuration tried once on one problem. Failures are kept too, with their reason.
struct MeasurementRecord {
  ProblemKey problem;
  std::string template_fingerprint{};  ///< Hash of the sources of the problem's kernels.
  std::string shape;                   ///< The extents: "1048576", "4096x100".
  std::uint64_t bytes = 0;             ///< Input bytes that were read.
  std::string params;                  ///< JSON object of the tunables.
  bool is_default = false;             ///< The configuration that is used untuned.
  int round = 0;                       ///< 0: screening; 1: comparison; above: it was chosen.
  Outcome outcome = Outcome::ok;
  std::string failure{};             ///< Empty if `outcome` is ok.
  std::vector<double> samples_us{};  ///< Microseconds per call, in the order they were taken.
  double median_us = 0;              ///< Of the samples: calls under the problem's conditions.
  double mad_us = 0;                 ///< Their median absolute deviation from the median.
  int discarded_samples = 0;         ///< Taken again, since the device was throttled meanwhile.
  double hot_us = 0;                 ///< In a graph, with inputs in the L2; 0: not measured.
  double stream_us = 0;              ///< Per call, back to back in a stream; 0: not measured.
  double latency_us = 0;             ///< From a launch to its result on the host; 0: not measured.
  int registers = 0;                 ///< Per thread.
  int shared_bytes = 0;              ///< Static, per block.
  int local_bytes = 0;               ///< Local memory per thread: spills and stack.
  double occupancy = 0;              ///< Resident warps over the maximum, 0 to 1.
  double compile_ms = 0;
  int sm_clock_mhz = 0;  ///< While the samples were taken; 0: unknown.
  int memory_clock_mhz = 0;
  bool operator==(const MeasurementRecord&) const = default;
};

/// A stored result with its provenance.
struct StoredResult {
  MeasurementRecord measurement;
  RunRecord run;
  std::string measured_at{};         ///< UTC, ISO 8601: "2026-01-31T12:00:00Z".
  std::string imported_from{};       ///< The file that it was imported from; empty: from none.
  bool is_pinned = false;            ///< It stays the choice, whatever is measured later.
  std::string started_at{};          ///< The same of the run.
  std::string device_fingerprint{};  ///< As it is stored.
  std::int64_t measurement_id = 0;   ///< Ascending in the order of storing.
  std::int64_t run_id = 0;
};

/// What its run measured the problem with.
TuningKey tuning_key(const RunRecord& run, const MeasurementRecord& measurement);

/// How far a result may be trusted on a device with a driver and a compiler.
enum class Validity {
  valid,
  stale,  ///< Of another driver or compiler, or imported: used, and to be measured again.
  seed,   ///< Of other kernel sources: no more than what a search may begin with.
  none,   ///< Of another device.
};

/// The validity of the result on `device`, with a compiler. `has_these_kernels`: whether it is of
/// the present kernel sources.
Validity validity_of(const StoredResult& row, const DeviceRecord& device, std::string_view compiler,
                     bool has_these_kernels);

enum class MatchQuality { exact, near_size };

/// What `find` knows: as much of a result as a look-up has a use for. No match at all is an empty
/// optional, not a quality.
struct Match {
  MatchQuality quality = MatchQuality::exact;
  bool is_stale = false;  ///< `Validity::stale`
  std::int64_t measurement_id = 0;
  int round = 0;
  double median_us = 0;
  std::string shape{};
  std::uint64_t bytes = 0;  ///< Of the input.
  std::string measured_at{};
  std::string bucket{};
  std::string device{};  ///< The name.
  std::string driver{};
  std::string compiler{};
  std::string params{};
  std::string imported_from{};
  bool is_pinned = false;
};

/// How far a bucket is from the one that is looked up, as its family has it: 0 is the same; empty:
/// too far for its results to be of use.
using BucketDistance = std::function<std::optional<int>(std::string_view bucket)>;

/// Storage of tuning results. All member functions may be called from several threads. They throw
/// `StoreError` where the storage fails; what was put before stays.
class ConfigStore {
 public:
  using RunId = std::int64_t;

  virtual ~ConfigStore() = default;

  /// Registers a run; the id is valid for this store alone.
  virtual RunId begin_run(const RunRecord& run) = 0;

  /// Keeps one measurement, whatever happens to the process after it returns; of a file, a power
  /// failure may take the last ones back. `params` comes back canonical: keys sorted, no
  /// spaces. Refuses with `StoreError` what no reader could use: params that are not a JSON object,
  /// numbers that are negative or not finite, a success without a positive median or with a
  /// `failure`, an occupancy above 1, a run of another store.
  virtual void put(RunId run, const MeasurementRecord& measurement) = 0;

  /// The best configuration that was chosen for the key (by a `round` above 1): of its own bucket
  /// if there is one, else of the nearest one that `distance` gives a distance, else nothing. Every
  /// other part of the key must be equal, but for the driver and the compiler, others of which are
  /// stale, as is what was imported. Of equally near ones, one that is not stale goes first, then
  /// what was not imported, then the larger input, then the newest of those that are the best with
  /// their driver and compiler. Of a problem that has pinned results with these kernels on the
  /// device, the others are as if they were not there (OpenOptions::pins).
  virtual std::optional<Match> find(const TuningKey& key, const BucketDistance& distance) const = 0;

  /// The problems of a family that there are measurements of, each once, as ProblemKey has them.
  virtual std::vector<std::string> problems_of(const std::string& family) const = 0;

  /// Whether the key's problem has pinned results with its kernels on its device: then `find` gives
  /// no others, at any bucket, layout and conditions, unless pins are ignored.
  virtual bool has_pins(const TuningKey& key) const = 0;

  /// Whether `find` gives pinned results alone, of all problems (Pins::only).
  virtual bool finds_pinned_only() const = 0;

  /// The newest measurements, at most so many, oldest first.
  virtual std::vector<StoredResult> newest(std::size_t most) const = 0;

  /// The best that was chosen for every key in the store, ordered by device, problem
  /// and bytes of its inputs.
  virtual std::vector<StoredResult> best() const = 0;

  /// Every measurement, oldest first.
  std::vector<StoredResult> measurements() const { return measurements_where(nullptr); }

  /// Those that `is_wanted` says true of, one after another, so that they alone need memory. It may
  /// be empty, and may be called more than once for one.
  virtual std::vector<StoredResult> measurements_where(
      const std::function<bool(const StoredResult&)>& is_wanted) const = 0;

  /// Everything that was ever chosen (a `round` above 1) for exactly this problem, its bucket
  /// included, by all runs; oldest first.
  virtual std::vector<StoredResult> choices_of(const ProblemKey& problem) const = 0;

  /// Every measurement of exactly this key, its bucket included, failures too; oldest first.
  /// Its time grows with the number of them alone.
  virtual std::vector<StoredResult> measurements_of(const TuningKey& key) const = 0;

  /// The best results of keys that are like `key`, at most `most`, the likest first: what a search
  /// may begin with. Nothing of `key` itself, no failures, one result for each key:
  /// 1. the same but for the bucket, however far; the nearest first (those without a distance
  ///    last), then the smaller input;
  /// 2. the same device, driver and compiler, and another problem, layout or conditions, in a
  ///    bucket with a distance, whatever its templates; the nearest bucket first, then those with
  ///    the fewest fields that differ;
  /// 3. the same problem, layout and conditions, in a bucket with a distance, on another device,
  ///    driver, compiler, or with other templates, whose params may no longer be valid; the nearest
  ///    bucket first, then the smaller input, then the newest.
  virtual std::vector<StoredResult> related(const TuningKey& key, const BucketDistance& distance,
                                            std::size_t most) const = 0;

  /// Throws LostDatabase where the file was removed, replaced or overwritten since it was opened
  /// for writing, as `put` does.
  virtual void require_in_place() {}

  /// The compiled kernels that are kept beside the results; null if it keeps none. Where the store
  /// was opened for reading only, changes of them throw.
  virtual std::shared_ptr<KernelStore> kernels() const { return nullptr; }
};

/// Among the successful measurements of a key, those that are pinned, else those that were not
/// imported, of them those of the highest round, of them the lowest median, of equals the newest.
/// The candidate is the newer one.
bool is_better(const StoredResult& candidate, const StoredResult& incumbent);

/// Of the best results of one problem with several drivers and compilers, in buckets that are
/// equally near, the one with the least rank is taken where none is of the asked ones: what was not
/// imported, then the larger input, then the newest.
inline std::tuple<bool, std::int64_t, std::int64_t> rank_of(const std::string& imported_from,
                                                            std::uint64_t bytes,
                                                            std::int64_t measurement_id) {
  return {!imported_from.empty(), -static_cast<std::int64_t>(bytes), -measurement_id};
}

enum class OpenMode {
  read_write,  ///< Creates the file and its folders where they are missing.
  read_only,   ///< The file must exist; nothing in it is changed.
};

/// What `find` makes of pins.
enum class Pins {
  obeyed,  ///< a problem that has pinned results has no others
  only,    ///< nothing but pinned results is found
  ignored,
};

struct OpenOptions {
  /// How long a call waits while other processes keep the file locked, before it fails.
  std::chrono::milliseconds patience{5000};
  /// Whether a file of up to 16 MiB is looked through when it is opened: one that is damaged is
  /// refused then. Takes some 15 ms per MiB.
  bool inspect = true;
  /// Is told what is odd but no error: a path that others can write to, a network file system.
  Notify notify = note_once;
  Pins pins = Pins::obeyed;
};

/// Opens or creates the database `path`. Throws `StoreError` if it cannot be opened, is not a
/// Foldtune database, is of another version of the schema, or is damaged; an existing file is never
/// overwritten. What is created is for this user alone. Several processes may use one database, and
/// each sees what the others add; a store must not be used on both sides of a fork.
std::unique_ptr<ConfigStore> open_sqlite_store(const std::string& path, OpenMode mode,
                                               const OpenOptions& options = {});

/// The same in memory: what is put goes away with the store.
std::unique_ptr<ConfigStore> open_memory_store();

/// `$FOLDTUNE_DB`, else `$XDG_CACHE_HOME/foldtune/tuning.db`, else `~/.cache/foldtune/tuning.db`.
/// Throws `StoreError` if none of the three variables (`HOME` for the last) is set.
std::string default_database_path();

}  // namespace foldtune
