#include "tuner/exchange/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cache/compact.h"
#include "cache/intake.h"
#include "cache/read_rows.h"
#include "runtime/lookup/config_lookup.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"
#include "templates/fingerprint.h"
#include "tuner/problem/problem_key.h"
#include "tuner/session/kept_kernels.h"
#include "tuner/worker/process_compiler.h"

namespace foldtune {
namespace {

/// The largest size class, of kMaxCount.
constexpr int kLargestSizeClass = 40;

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
  return foldtune::rank_of(row.result.imported_from, row.result.measurement.problem.size_class,
                           row.result.measurement_id);
}

struct WantedRows {
  std::vector<ResultRow> rows{};
  std::vector<std::string> left_out{};  ///< those that are no results, a line each
};

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
      const auto [place, is_new] = wanted.try_emplace(
          fmt::format("{} {} {} {} {} {} {} {} {}", run.device.fingerprint(), key.family, key.op,
                      key.element_type, key.accumulator_type, key.alignment, key.determinism,
                      key.options, key.size_class),
          row);
      if (!is_new && rank_of(row) < rank_of(place->second)) place->second = row;
    });
  });
  result.rows.reserve(wanted.size());
  for (auto& [key, row] : wanted) result.rows.push_back(std::move(row));
  std::ranges::sort(result.rows, {},
                    [](const ResultRow& row) { return row.result.measurement_id; });
  return result;
}

/// What is reduced by the kernels of a stored problem, whatever the count and the alignment.
/// Divisors of variances are no part of a stored problem.
std::vector<Problem> problems_like(const Problem& stored) {
  std::vector<Problem> problems;
  const bool has_divisor = stored.op == Operator::variance || stored.op == Operator::stddev;
  for (int ddof = 0; ddof <= (has_divisor ? 1 : 0); ++ddof) {
    for (const Alignment alignment : {Alignment::vector, Alignment::element}) {
      for (int size_class = 0; size_class <= kLargestSizeClass; ++size_class) {
        Problem& problem = problems.emplace_back(stored);
        problem.ddof = ddof;
        problem.alignment = alignment;
        problem.count = std::uint64_t{1} << size_class;
      }
    }
  }
  return problems;
}

/// Every program that a runtime with this bundle alone would run.
class Wanted {
 public:
  Wanted(const ConfigStore& bundle, const DeviceRecord& device)
      : bundle_(bundle), device_(device) {}

  void add(const Problem& stored) {
    for (const Problem& problem : problems_like(stored)) {
      const Choice choice = choose_config(&bundle_, device_, "", problem);
      Program program = make_program({.problem = problem, .params = choice.params});
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

/// Problems that differ in their size and alignment alone have the same kernels.
ProblemKey operation_of(ProblemKey key) {
  key.size_class = 0;
  key.alignment = name(Alignment::vector);
  return key;
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
    std::vector<ProblemKey> known;
    for (const ResultRow& row : rows) {
      const ProblemKey operation = operation_of(row.result.measurement.problem);
      if (row.result.run.device.fingerprint() != hardware ||
          std::ranges::find(known, operation) != known.end()) {
        continue;
      }
      known.push_back(operation);
      const auto problem = is_custom(operation) ? std::nullopt : read_problem(operation, 0);
      if (problem) {
        wanted.add(*problem);
      } else {
        report.left_out.push_back(
            fmt::format("the kernels of {}: a database does not hold what custom operators and "
                        "those of other versions do",
                        operation.op));
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
