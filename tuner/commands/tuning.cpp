#include "tuner/commands/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "cache/store_error.h"
#include "foldtune/error.h"
#include "runtime/device.h"
#include "tuner/commands/options.h"
#include "tuner/format.h"
#include "tuner/input_pool.h"
#include "tuner/kept_kernels.h"
#include "tuner/table.h"
#include "tuner/terminal.h"

namespace foldtune {
namespace {

/// One message for those that failed alike.
void print_failures(const std::vector<ProblemFailure>& failures) {
  std::map<std::string, std::vector<std::string>> problems;  // by the reason
  for (const ProblemFailure& failure : failures) {
    problems[failure.reason].push_back(to_string(failure.problem));
  }
  for (const auto& [reason, names] : problems) {
    fmt::print(stderr, "foldtune: error: tuning {}: {}\n", fmt::join(names, ", "), reason);
  }
}

/// The problems for which nothing could be measured, though it was tried.
std::vector<Problem> missing_problems(const std::vector<Problem>& problems,
                                      const TuneSummary& summary) {
  const auto has = [](const auto& list, const Problem& problem) {
    return std::ranges::any_of(
        list, [&](const auto& entry) { return to_string(entry.problem) == to_string(problem); });
  };
  std::vector<Problem> missing;
  for (const Problem& problem : problems) {
    if (!has(summary.results, problem) && !has(summary.failures, problem)) {
      missing.push_back(problem);
    }
  }
  return missing;
}

}  // namespace

void group_by_inputs(std::vector<Problem>& problems) {
  for (auto begin = problems.begin(); begin != problems.end();) {
    begin = std::stable_partition(begin, problems.end(), [first = *begin](const Problem& other) {
      return InputPool::same_elements(first, other);
    });
  }
}

bool is_cpu(const std::string& device) { return device.starts_with("cpu"); }

void print_config_legends(const std::vector<ProblemResult>& results) {
  for (const Family family : {Family::reduce, Family::histogram}) {
    const bool is_shown = std::ranges::any_of(
        results, [&](const ProblemResult& result) { return family_of(result.best) == family; });
    if (is_shown) fmt::print("config: {}\n", config_legend(family));
  }
}

void print_results(const std::vector<ProblemResult>& results) {
  Table table({{"problem"},
               {"best us", Align::right},
               {"GB/s", Align::right},
               {"%read", Align::right},
               {"gain", Align::right},
               {"tried", Align::right},
               {"failed", Align::right},
               {"config"}});
  for (const ProblemResult& result : results) {
    const bool has_gain = result.default_us > 0 && result.best_us > 0;
    table.add_row({to_string(result.problem), format_number(result.best_us),
                   format_number(result.gbps), format_percent(result.read_bandwidth_fraction),
                   has_gain ? fmt::format("{:.2f}x", result.default_us / result.best_us) : "-",
                   fmt::to_string(result.measured + result.failed), fmt::to_string(result.failed),
                   format_config(result.best)});
  }
  fmt::print("\n{}\n", table.to_string(terminal_width(stdout)));
  fmt::print("%read: of the measured read bandwidth. gain: over the untuned default.\n");
  print_config_legends(results);
}

void keep_kernels_of(const std::vector<ProblemResult>& results, const ConfigStore& store,
                     const DeviceRecord& device, const Compiler* compiler, int threads) {
  const std::shared_ptr<KernelStore> kernels = store.kernels();
  if (kernels == nullptr || compiler == nullptr) return;
  try {
    keep_kernels(*kernels, nullptr, device, *compiler, kernels_of(results, compiler->version()),
                 threads, default_cache_bytes());
  } catch (const StoreError& error) {
    fmt::print(stderr, "foldtune: note: not all kernels are kept: {}\n", error.what());
  }
}

ExitCode conclude(const Conclusion& end,
                  const std::function<void(const std::vector<ProblemResult>&)>& print) {
  const std::vector<ProblemResult>& results = end.summary.results;
  if (!results.empty()) print(results);
  if (!results.empty() && is_cpu(end.device)) fmt::print("The CPU device: {}.\n", kCpuTimes);
  std::string took = format_seconds(end.summary.elapsed_s);
  if (end.summary.busy_fraction > 0) {
    took += fmt::format("; the device was busy {}% of the time and waited {}% for the compiler",
                        format_percent(end.summary.busy_fraction),
                        format_percent(end.summary.compiler_wait_fraction));
  }
  fmt::print("{}\ndatabase: {}\n", took, end.database);
  std::fflush(stdout);
  print_failures(end.summary.failures);
  if (end.is_interrupted) {
    fmt::print(stderr,
               "foldtune: interrupted: everything measured is kept in {}; the same command goes on "
               "from there\n",
               end.database);
    return ExitCode::interrupted;
  }
  for (const Problem& problem : missing_problems(end.problems, end.summary)) {
    fmt::print(stderr,
               "foldtune: warning: nothing could be measured for {}; `foldtune show --all` says "
               "what failed, and a larger --budget may help\n",
               to_string(problem));
  }
  if (!end.summary.failures.empty()) return ExitCode::device;
  if (results.empty()) throw DeviceError("tuning: no configuration of any problem could be timed");
  return ExitCode::ok;
}

}  // namespace foldtune
