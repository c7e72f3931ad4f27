#include "tuner/exchange/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "cache/compact.h"
#include "cache/intake.h"
#include "cache/pin.h"
#include "cache/read_rows.h"
#include "foldtune/catalog.h"
#include "runtime/lookup/config_lookup.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"
#include "templates/fingerprint.h"
#include "tuner/problem/problem_key.h"
#include "tuner/session/kept_kernels.h"
#include "tuner/worker/process_compiler.h"

namespace foldtune {
namespace {

/// The largest class of an extent: larger calls are refused.
constexpr int kLargestClass = kClassesOfOctave * std::countr_zero(kMaxCount);

/// A bundle is as large as it is.
constexpr std::uint64_t kNoLimit = UINT64_MAX;

/// Opens NVRTC when the first kernel is missing.
class LateCompiler final : public Compiler {
 public:
  explicit LateCompiler(std::string architecture) : architecture_(std::move(architecture)) {}

  const std::string& version() const override { return get().version(); }
  CompiledKernel compile(const Program& program) const override { return get().compile(program); }

 private:
  const Compiler& get() const {
    const std::lock_guard lock(mutex_);
    if (compiler_ == nullptr) {
      compiler_ = std::make_unique<ProcessCompiler>(
          ProcessCompilerOptions{.command = compiler_command(architecture_)});
    }
    return *compiler_;
  }

  std::string architecture_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Compiler> compiler_;
};

auto rank_of(const ResultRow& row) {
  return std::pair(!row.result.is_pinned,
                   foldtune::rank_of(row.result.imported_from, row.result.measurement.bytes,
                                     row.result.measurement_id));
}

struct WantedRows {
  std::vector<ResultRow> rows{};
  std::vector<std::string> left_out{};  ///< those that are no results, a line each
};

/// Of a problem that has pinned results, a look-up sees no others.
void leave_pinned(std::vector<ResultRow>& rows) {
  std::set<PinScope> pinned;
  for (const ResultRow& row : rows) {
    if (row.result.is_pinned) pinned.insert(pin_scope(row.result));
  }
  std::erase_if(rows, [&](const ResultRow& row) {
    return !row.result.is_pinned && pinned.contains(pin_scope(row.result));
  });
}

/// One of each problem on each GPU, whatever the driver and the compiler: what a look-up takes that
/// knows of neither.
WantedRows wanted_rows(const BundleSource& source) {
  WantedRows result;
  std::map<std::string, ResultRow> wanted;
  read_rows(source.database, RowSet::best, [&](const EachRow& each) {
    wanted.clear();
    result.left_out.clear();
    each([&](const ResultRow& row) {
      if (const std::string reason = reason_to_refuse(row); !reason.empty()) {
        result.left_out.push_back(
            fmt::format("measurement {}: {}", row.result.measurement_id, reason));
        return;
      }
      const RunRecord& run = row.result.run;
      if (run.device.kind != "cuda" ||
          !is_of_these_kernels(row.result.measurement.template_fingerprint)) {
        return;
      }
      if (!source.is_wanted(row.result)) return;
      const ProblemKey& key = row.result.measurement.problem;
      const auto [place, is_new] =
          wanted.try_emplace(fmt::format("{} {} {} {} {} {}", run.device.fingerprint(), key.family,
                                         key.problem, key.layout, key.conditions, key.bucket),
                             row);
      if (!is_new && rank_of(row) < rank_of(place->second)) place->second = row;
    });
  });
  result.rows.reserve(wanted.size());
  for (auto& [key, row] : wanted) result.rows.push_back(std::move(row));
  leave_pinned(result.rows);
  std::ranges::sort(result.rows, {},
                    [](const ResultRow& row) { return row.result.measurement_id; });
  return result;
}

/// Of small extents some classes are empty.
bool has_shapes(const Family& family, const Bucket& bucket) {
  return family.bucket(family.max_shape(bucket)) == bucket;
}

/// The buckets that differ from `start` in one extent at most, and are near enough to `stored` for
/// its results to be looked up for them.
std::vector<Bucket> buckets_along(const Family& family, const Bucket& stored, const Bucket& start,
                                  std::size_t extent) {
  std::vector<Bucket> buckets;
  for (int size = 0; size <= kLargestClass; ++size) {
    Bucket bucket = start;
    bucket.classes[extent] = static_cast<std::int16_t>(size);
    if (family.distance(stored, bucket) && has_shapes(family, bucket)) buckets.push_back(bucket);
  }
  return buckets;
}

/// Of several extents all buckets would be too many: those of the results, and all that are near
/// enough, in several extents at once, too.
std::vector<Bucket> buckets_near(const Family& family, const std::vector<Bucket>& stored) {
  std::set<Bucket> near;
  for (const Bucket& bucket : stored) {
    std::vector<Bucket> reached{bucket};
    for (std::size_t extent = 0; extent < family.extents().size(); ++extent) {
      std::vector<Bucket> further;
      for (const Bucket& start : reached) {
        std::ranges::move(buckets_along(family, bucket, start, extent),
                          std::back_inserter(further));
      }
      reached = std::move(further);
    }
    near.insert(reached.begin(), reached.end());
  }
  return {near.begin(), near.end()};
}

/// What is stored of a problem.
struct Stored {
  std::vector<Bucket> buckets{};
  std::set<Conditions> conditions{Conditions{}};  ///< and the usual ones
};

/// What calls of a problem may be, as far as their programs differ: each layout, bucket, and
/// conditions of which there are results.
std::vector<Workload> workloads_of(const Problem& problem, const Stored& stored) {
  const Family& family = problem.family();
  std::vector<Workload> workloads;
  for (std::size_t layout = 0; layout < family.layouts().size(); ++layout) {
    for (const Bucket& bucket : bundled_buckets(family, stored.buckets)) {
      for (const Conditions conditions : stored.conditions) {
        workloads.push_back(
            {problem, family.max_shape(bucket), static_cast<int>(layout), conditions});
      }
    }
  }
  std::erase_if(workloads, [](const Workload& workload) { return !find_fault(workload).empty(); });
  return workloads;
}

/// Every program that a runtime with this bundle alone would run.
class Wanted {
 public:
  Wanted(const ConfigStore& bundle, const DeviceRecord& device)
      : bundle_(bundle), device_(device) {}

  void add(const Problem& problem, const Stored& stored) {
    for (const Workload& workload : workloads_of(problem, stored)) {
      const Choice choice = choose_config(&bundle_, device_, "", workload);
      Program program = make_program({.workload = workload, .params = choice.params});
      std::string tuned_with = compiler_of(choice);
      const std::string key = program.key();
      // One that was tuned is taken as it was tuned.
      const auto [place, is_new] = wanted_.try_emplace(key);
      if (is_new) place->second.program = std::move(program);
      if (place->second.tuned_with.empty()) place->second.tuned_with = std::move(tuned_with);
    }
  }

  std::vector<WantedKernel> take() {
    std::vector<WantedKernel> kernels;
    kernels.reserve(wanted_.size());
    for (auto& [key, kernel] : wanted_) kernels.push_back(std::move(kernel));
    return kernels;
  }

 private:
  const ConfigStore& bundle_;
  const DeviceRecord& device_;
  std::map<std::string, WantedKernel> wanted_;  // by Program::key
};

/// The results of a device, by (family, problem).
using ByProblem = std::map<std::pair<std::string, std::string>, Stored>;

ByProblem stored_of(const std::vector<ResultRow>& rows, const std::string& hardware) {
  ByProblem all;
  for (const ResultRow& row : rows) {
    if (row.result.run.device.fingerprint() != hardware) continue;
    const ProblemKey& key = row.result.measurement.problem;
    Stored& stored = all[{key.family, key.problem}];
    const Family* const family = find_family(key.family);
    const auto bucket = family == nullptr ? std::nullopt : parse_bucket(*family, key.bucket);
    if (bucket) stored.buckets.push_back(*bucket);
    if (const auto conditions = parse_conditions(key.conditions)) {
      stored.conditions.insert(*conditions);
    }
  }
  return all;
}

void add_kernels(ConfigStore& bundle, const KernelStore* source, const std::vector<ResultRow>& rows,
                 int threads, BundleReport& report) {
  std::map<std::string, DeviceRecord> devices;  // of the newest driver
  for (const ResultRow& row : rows) {
    devices.insert_or_assign(row.result.run.device.fingerprint(), row.result.run.device);
  }
  report.devices = devices.size();
  for (const auto& [hardware, device] : devices) {
    Wanted wanted(bundle, device);
    for (const auto& [names, stored] : stored_of(rows, hardware)) {
      const ProblemKey key{
          .family = names.first, .problem = names.second, .layout = {}, .bucket = {}};
      const std::optional<Problem> problem = read_problem(key);
      if (problem && problem->custom() == nullptr) {
        wanted.add(*problem, stored);
      } else {
        report.left_out.push_back(
            fmt::format("the kernels of {} {}: a database does not hold what custom operators and "
                        "those of other versions do",
                        key.family, key.problem));
      }
    }
    const LateCompiler compiler(device.architecture);
    KeptKernels kept =
        keep_kernels(*bundle.kernels(), source, device, compiler, wanted.take(), threads, kNoLimit);
    report.kernels += kept.kernels;
    report.compiled += kept.compiled;
    std::ranges::move(kept.failures, std::back_inserter(report.left_out));
  }
}

}  // namespace

std::vector<Bucket> bundled_buckets(const Family& family, const std::vector<Bucket>& stored) {
  if (!takes_count(family)) return buckets_near(family, stored);
  std::vector<Bucket> buckets;
  if (family.optional_extents() > 0) buckets = buckets_near(family, stored);
  for (int size = 0; size <= kLargestClass; ++size) {
    Bucket bucket;
    bucket.classes[family.optional_extents()] = static_cast<std::int16_t>(size);
    const bool is_new = std::ranges::find(buckets, bucket) == buckets.end();
    if (is_new && has_shapes(family, bucket)) buckets.push_back(bucket);
  }
  return buckets;
}

BundleReport write_bundle(const BundleSource& source, const std::string& path) {
  auto [rows, left_out] = wanted_rows(source);
  const auto is_imported = [](const ResultRow& row) { return !row.result.imported_from.empty(); };
  BundleReport report{
      .results = rows.size(),
      .imported = static_cast<std::size_t>(std::ranges::count_if(rows, is_imported)),
      .left_out = std::move(left_out)};
  if (rows.empty()) return report;
  Intake(path).add(rows);
  {
    const auto database = open_sqlite_store(source.database, OpenMode::read_only);
    const auto bundle = open_sqlite_store(path, OpenMode::read_write);
    add_kernels(*bundle, database->kernels().get(), rows, source.threads, report);
  }
  seal_database(path);
  return report;
}

}  // namespace foldtune
