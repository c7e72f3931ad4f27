#include "tests/scale/generated_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "cache/record_check.h"
#include "cache/rows.h"
#include "cache/sqlite_connection.h"
#include "foldtune/reduction.h"
#include "runtime/lookup/lookup.h"
#include "templates/fingerprint.h"
#include "tuner/measure/statistics.h"
#include "tuner/search/candidates.h"
#include "tuner/session/problem_history.h"

namespace foldtune::test {
namespace {

constexpr int kFirstSizeClass = 12;
constexpr int kLastSizeClass = 28;
constexpr int kSizeStep = 2;

constexpr std::size_t kScreened = 64;  ///< configurations of a tuning of normal effort
constexpr std::size_t kFinalists = 8;
constexpr int kExhaustiveEvery = 12;  ///< tunings of which one takes the whole space
constexpr int kFailsEvery = 50;
constexpr std::uint64_t kRowsAtATime = 50'000;

/// A workload with its space, and the stored form of its configurations.
struct Prepared {
  Workload workload;
  std::shared_ptr<const Candidates> candidates;
  std::vector<std::string> params;  ///< by number; empty where none was needed yet
};

/// Writes rows as the store does, many in a transaction.
class BulkWriter {
 public:
  BulkWriter(const std::string& path, std::uint64_t rows)
      : connection_(path, OpenMode::read_write), rows_left_(rows) {}

  bool is_full() const { return rows_left_ == 0; }

  /// Adds a run with as many of the measurements as are still wanted.
  void add(const RunRecord& run, std::vector<MeasurementRecord> measurements) {
    measurements.resize(std::min<std::uint64_t>(measurements.size(), rows_left_));
    rows_left_ -= measurements.size();
    waiting_ += measurements.size();
    runs_.emplace_back(run, std::move(measurements));
    if (waiting_ >= kRowsAtATime || is_full()) write();
  }

 private:
  void write() {
    connection_.write("generate", [&](SQLite::Database& database) {
      RowWriter writer(database);
      for (const auto& [run, measurements] : runs_) {
        StoredResult row{.measurement = {},
                         .run = run,
                         .measured_at = utc_now(),
                         .started_at = utc_now(),
                         .device_fingerprint = run.device.fingerprint()};
        const std::int64_t id = writer.insert_run(row);
        for (const MeasurementRecord& m : measurements) {
          row.measurement = m;
          writer.insert_measurement(id, row);
        }
      }
      return true;
    });
    runs_.clear();
    waiting_ = 0;
  }

  SqliteConnection connection_;
  std::uint64_t rows_left_;
  std::uint64_t waiting_ = 0;
  std::vector<std::pair<RunRecord, std::vector<MeasurementRecord>>> runs_;
};

/// The tunings of one operation on one origin at a time.
class Generator {
 public:
  std::vector<MeasurementRecord> tune(const Workload& operation, double speed, bool is_exhaustive,
                                      bool has_old_kernels) {
    std::vector<MeasurementRecord> rows;
    for (int size = kFirstSizeClass; size <= kLastSizeClass; size += kSizeStep) {
      Workload workload = operation;
      workload.shape[0] = std::uint64_t{1} << size;
      append(rows, tune_size(prepared(workload), speed, is_exhaustive));
    }
    const std::string fingerprint = has_old_kernels ? "0f8f304dc064000000000000000dccd0"
                                                    : kernel_fingerprint(operation.problem);
    for (MeasurementRecord& row : rows) row.template_fingerprint = fingerprint;
    return rows;
  }

  std::uint64_t random(std::uint64_t below) { return random_() % below; }

 private:
  static void append(std::vector<MeasurementRecord>& all, std::vector<MeasurementRecord> more) {
    std::ranges::move(more, std::back_inserter(all));
  }

  /// The space does not depend on the device that much: one kind's is taken for all.
  Prepared& prepared(const Workload& workload) {
    const std::string name = to_string(workload);
    const auto found = prepared_.find(name);
    if (found != prepared_.end()) return found->second;
    auto candidates = std::make_shared<const Candidates>(workload, gpu_origins().back().device);
    std::vector<std::string> params(candidates->size());
    return prepared_.emplace(name, Prepared{workload, std::move(candidates), std::move(params)})
        .first->second;
  }

  std::vector<MeasurementRecord> tune_size(Prepared& of, double speed, bool is_exhaustive) {
    const std::size_t all = of.candidates->size();
    const std::size_t count = is_exhaustive ? all : std::min(kScreened, all);
    const std::size_t first = random(all);
    std::vector<std::pair<double, std::size_t>> scored;
    std::vector<MeasurementRecord> rows;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = is_exhaustive ? i : (first + i * 97) % all;
      rows.push_back(measure(of, number, speed, /*samples=*/2));
      if (random(kFailsEvery) == 0) {
        fail(rows.back());
      } else {
        scored.emplace_back(rows.back().median_us, number);
      }
    }
    std::ranges::sort(scored);
    scored.resize(std::min(scored.size(), kFinalists));
    for (std::size_t i = 0; i < scored.size(); ++i) {
      rows.push_back(measure(of, scored[i].second, speed, /*samples=*/18));
      rows.back().round = i == 0 ? kChosen : kCompared;
      if (i == 0) add_other_times(rows.back());
    }
    return rows;
  }

  MeasurementRecord measure(Prepared& of, std::size_t number, double speed, int samples) {
    std::string& params = of.params[number];
    MeasurementRecord m;
    m.problem = make_problem_key(of.workload);
    m.shape = to_text(of.workload.problem.family(), of.workload.shape);
    m.bytes = input_bytes(of.workload);
    if (params.empty()) params = canonical(to_json(of.candidates->params(number)), m);
    m.params = params;
    m.is_default = number == of.candidates->fallback();
    const double us = of.candidates->estimate_us(number) / speed;
    std::normal_distribution<double> noise(1, 0.01);
    for (int i = 0; i < samples; ++i) m.samples_us.push_back(us * std::abs(noise(random_)));
    m.median_us = median(m.samples_us);
    m.mad_us = median_absolute_deviation(m.samples_us);
    m.registers = 16 + static_cast<int>(random(48));
    m.shared_bytes = 128;
    m.occupancy = 0.25 * static_cast<double>(1 + random(4));
    m.compile_ms = 40 + 0.001 * static_cast<double>(random(60'000));
    m.sm_clock_mhz = 1980;
    m.memory_clock_mhz = 3201;
    return m;
  }

  static std::string canonical(std::string params, MeasurementRecord like) {
    like.params = std::move(params);
    like.samples_us = {1};
    like.median_us = 1;
    return checked(std::move(like)).params;
  }

  void fail(MeasurementRecord& m) {
    m.outcome = random(2) == 0 ? foldtune::Outcome::compile_error : foldtune::Outcome::timeout;
    m.failure = m.outcome == foldtune::Outcome::timeout
                    ? "it did not end within 10 s, and was stopped"
                    : "ptxas error: entry function uses too much shared data (0x19000 bytes, "
                      "0xc000 max)";
    m.samples_us.clear();
    m.median_us = 0;
    m.mad_us = 0;
  }

  static void add_other_times(MeasurementRecord& m) {
    m.hot_us = m.median_us * 0.7;
    m.stream_us = m.median_us + 2.1;
    m.latency_us = m.median_us + 8.3;
  }

  std::mt19937_64 random_{1};
  std::map<std::string, Prepared> prepared_;
};

std::vector<Reduction> operations() {
  std::vector<Reduction> all;
  for (const Operator op : operators()) {
    if (op == Operator::custom) continue;
    for (const ElementType type : element_types()) {
      const Reduction operation{.op = op, .type = type, .count = 1};
      if (find_fault(operation).empty()) all.push_back(operation);
    }
  }
  return all;
}

}  // namespace

std::vector<Origin> gpu_origins() {
  struct Gpu {
    const char* name;
    const char* architecture;
    int multiprocessors;
    std::int64_t memory_clock_khz;
    int bus_bits;
  };
  constexpr Gpu kGpus[] = {{"Tesla V100-SXM2-32GB", "sm_70", 80, 877'000, 4096},
                           {"Tesla T4", "sm_75", 40, 5'001'000, 256},
                           {"NVIDIA A100-SXM4-80GB", "sm_80", 108, 1'593'000, 5120},
                           {"NVIDIA A10", "sm_86", 72, 6'251'000, 384},
                           {"NVIDIA RTX A6000", "sm_86", 84, 8'001'000, 384},
                           {"NVIDIA GeForce RTX 3090", "sm_86", 82, 9'751'000, 384},
                           {"NVIDIA GeForce RTX 4090", "sm_89", 128, 10'501'000, 384},
                           {"NVIDIA L4", "sm_89", 58, 6'251'000, 192},
                           {"NVIDIA L40S", "sm_89", 142, 9'001'000, 384},
                           {"NVIDIA H100 80GB HBM3", "sm_90", 132, 2'619'000, 5120},
                           {"NVIDIA B200", "sm_100", 148, 3'996'000, 7680},
                           {"NVIDIA H200", "sm_90", 132, 3'201'000, 6016}};
  constexpr std::pair<const char*, const char*> kVersions[] = {{"535.104.05", "nvrtc 12.2"},
                                                               {"550.54.15", "nvrtc 12.4"},
                                                               {"580.95.05", "nvrtc 13.0"},
                                                               {"580.159.04", "nvrtc 13.0"}};
  std::vector<Origin> origins;
  for (const auto& [driver, compiler] : kVersions) {
    for (const Gpu& gpu : kGpus) {
      constexpr std::int64_t kL2Bytes = 62'914'560;
      const bool is_old = driver == kVersions[0].first;
      origins.push_back({.device = {.kind = "cuda",
                                    .name = gpu.name,
                                    .architecture = gpu.architecture,
                                    .multiprocessor_count = gpu.multiprocessors,
                                    .memory_clock_khz = gpu.memory_clock_khz,
                                    .memory_bus_bits = gpu.bus_bits,
                                    .l2_bytes = kL2Bytes,
                                    .driver = driver},
                         .compiler = compiler,
                         .has_old_kernels = is_old});
    }
  }
  return origins;
}

void generate_database(const std::string& path, std::uint64_t rows,
                       const std::vector<Origin>& origins) {
  BulkWriter writer(path, rows);
  Generator generator;
  const std::vector<Reduction> all = operations();
  // As the years went: an operation after the other, on every origin.
  for (std::uint64_t tuning = 0; !writer.is_full(); ++tuning) {
    const Reduction& operation = all[tuning / origins.size() % all.size()];
    const std::size_t number = tuning % origins.size();
    const Origin& origin = origins[number];
    const double speed = 0.3 + static_cast<double>(number % 12) / 16;
    writer.add({.device = origin.device,
                .compiler = origin.compiler,
                .foldtune_version = "0.1.0",
                .command = fmt::format("foldtune tune --op {} --type {} --n 2^12..2^28:4",
                                       name(operation.op), name(operation.type)),
                .seed = tuning,
                .read_bandwidth_gbps = 4600 * speed},
               generator.tune(operation, speed, generator.random(kExhaustiveEvery) == 0,
                              origin.has_old_kernels));
  }
}

}  // namespace foldtune::test
