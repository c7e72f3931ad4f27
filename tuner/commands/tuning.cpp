#include "tuner/commands/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cache/config_store.h"
#include "cache/store_error.h"
#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "runtime/lookup/lookup.h"
#include "tuner/commands/interrupt.h"
#include "tuner/commands/options.h"
#include "tuner/commands/progress.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/measure/input_pool.h"
#include "tuner/session/kept_kernels.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"
#include "tuner/worker/worker_evaluator.h"

namespace foldtune {
namespace {

/// One message for those that failed alike.
void print_failures(const std::vector<ProblemFailure>& failures) {
  std::map<std::string, std::vector<std::string>> problems;  // by the reason
  for (const ProblemFailure& failure : failures) {
    problems[failure.reason].push_back(to_string(failure.workload));
  }
  for (const auto& [reason, names] : problems) {
    print_to(stderr, "foldtune: error: tuning {}: {}\n", fmt::join(names, ", "), Lines{reason});
  }
}

/// The workloads for which nothing could be measured, though it was tried.
std::vector<Workload> missing_workloads(const std::vector<Workload>& workloads,
                                        const TuneSummary& summary) {
  const auto has = [](const auto& list, const Workload& workload) {
    return std::ranges::any_of(list, [&](const auto& entry) { return entry.workload == workload; });
  };
  std::vector<Workload> missing;
  for (const Workload& workload : workloads) {
    if (!has(summary.results, workload) && !has(summary.failures, workload)) {
      missing.push_back(workload);
    }
  }
  return missing;
}

/// So that programs need not compile them; where it fails, they are compiled when they are needed.
void keep_kernels_of(const std::vector<ProblemResult>& results, const ConfigStore& store,
                     const DeviceRecord& device, const Compiler* compiler, int threads) {
  const std::shared_ptr<KernelStore> kernels = store.kernels();
  if (kernels == nullptr || compiler == nullptr) return;
  try {
    keep_kernels(*kernels, nullptr, device, *compiler, kernels_of(results, compiler->version()),
                 threads, default_cache_bytes());
  } catch (const LostDatabase&) {
    throw;
  } catch (const StoreError& error) {
    print_to(stderr, "foldtune: note: not all kernels are kept: {}\n", Lines{error.what()});
  }
}

/// The problems of which programs use pinned results, whatever was tuned.
std::vector<std::string> pinned_problems(const std::vector<ProblemResult>& results,
                                         const ConfigStore& store, const DeviceRecord& device,
                                         const std::string& compiler) {
  std::vector<std::string> pinned;
  for (const ProblemResult& result : results) {
    if (!store.has_pins(make_tuning_key(device, compiler, result.workload))) continue;
    const std::string name = to_string(result.workload.problem);
    if (std::ranges::find(pinned, name) == pinned.end()) pinned.push_back(name);
  }
  return pinned;
}

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const TuningJob& job, const OrderedJson& origin, const TuneSummary& summary,
                    const std::vector<Workload>& missing, bool is_interrupted) {
  OrderedJson results = OrderedJson::array();
  for (const ProblemResult& result : summary.results) results.push_back(job.to_json(result));
  OrderedJson failures = OrderedJson::array();
  for (const ProblemFailure& failure : summary.failures) {
    failures.push_back({{"workload", to_string(failure.workload)}, {"reason", failure.reason}});
  }
  OrderedJson without_result = OrderedJson::array();
  for (const Workload& workload : missing) without_result.push_back(to_string(workload));
  OrderedJson json{{"devices", job.devices}};
  json.update(origin);
  json.update({{"database", job.database},
               {"interrupted", is_interrupted},
               {"elapsed_s", summary.elapsed_s},
               {"busy_fraction", summary.busy_fraction},
               {"compiler_wait_fraction", summary.compiler_wait_fraction},
               {"results", results},
               {"failures", failures},
               {"without_result", without_result},
               {"left_out", job.left_out}});
  return json;
}

void print_summary(const TuningJob& job, const TuneSummary& summary) {
  const std::vector<ProblemResult>& results = summary.results;
  if (!results.empty()) job.print(results);
  if (!results.empty() && is_cpu(job.devices.front())) {
    print_to(stdout, "The CPU device: {}.\n", kCpuTimes);
  }
  std::string took = format_seconds(summary.elapsed_s);
  if (summary.busy_fraction > 0) {
    took +=
        fmt::format("; the device was busy {:.1f}% of the time and waited {:.1f}% for the compiler",
                    100 * summary.busy_fraction, 100 * summary.compiler_wait_fraction);
  }
  print_to(stdout, "{}\ndatabase: {}\n", took, job.database);
  finish_output();
}

ExitCode conclude(const TuningJob& job, const OrderedJson& origin, const TuneOptions& options,
                  const TuneSummary& summary, const InterruptGuard& interrupt) {
  const bool is_interrupted = interrupt.is_interrupted();
  const std::vector<Workload> missing =
      is_interrupted ? std::vector<Workload>{} : missing_workloads(options.workloads, summary);
  if (job.json != nullptr) {
    job.json->push_back(to_json(job, origin, summary, missing, is_interrupted));
  } else {
    print_summary(job, summary);
  }
  print_failures(summary.failures);
  if (is_interrupted) {
    print_to(stderr,
             "foldtune: interrupted: everything measured is kept in {}; the same command goes on "
             "from there\n",
             job.database);
    return interrupted_by(interrupt.signal());
  }
  for (const Workload& workload : missing) {
    print_to(stderr,
             "foldtune: error: tuning {}: no configuration could be timed; `foldtune show --all` "
             "says what failed{}\n",
             to_string(workload), options.budget_s ? ", and a larger --budget may help" : "");
  }
  const bool has_all = summary.failures.empty() && missing.empty();
  return has_all ? ExitCode::ok : ExitCode::device;
}

}  // namespace

std::vector<DeviceGroup> choose_devices(const std::optional<std::string>& asked) {
  if (asked != "all") return {{choose_device(asked)}};
  std::map<std::string, DeviceGroup> groups;
  for (const DeviceInfo& info : list_cuda_devices()) {
    groups[info.record.fingerprint()].push_back(info.id);
  }
  std::vector<DeviceGroup> result;
  result.reserve(groups.size());
  for (auto& [fingerprint, group] : groups) result.push_back(std::move(group));
  std::ranges::sort(result);
  return result;
}

namespace {

const Problem& problem_of(const Problem& problem) { return problem; }
const Problem& problem_of(const Workload& workload) { return workload.problem; }

template <class T>
void group(std::vector<T>& items) {
  for (auto begin = items.begin(); begin != items.end();) {
    begin = std::stable_partition(begin, items.end(), [first = *begin](const T& other) {
      return InputPool::has_same_inputs(problem_of(first), problem_of(other));
    });
  }
}

}  // namespace

void group_by_inputs(std::vector<Problem>& problems) { group(problems); }
void group_by_inputs(std::vector<Workload>& workloads) { group(workloads); }

bool is_cpu(const std::string& device) { return device.starts_with("cpu"); }

void print_config_legends(const std::vector<ProblemResult>& results) {
  for (const Family* const family : families()) {
    const bool is_shown = std::ranges::any_of(
        results, [&](const ProblemResult& result) { return &result.best.family() == family; });
    if (is_shown) print_to(stdout, "config: {}\n", config_legend(*family));
  }
}

OrderedJson to_json(const ProblemResult& result) {
  OrderedJson json = workload_json(result.workload);
  json["median_us"] = or_null(result.best_us, result.best_us > 0);
  json["mad_us"] = or_null(result.mad_us, result.best_us > 0);
  json["default_us"] = or_null(result.default_us, result.default_us > 0);
  json["gain"] = result.gain ? OrderedJson(result.gain->value) : OrderedJson();
  const bool has_interval = result.gain && result.gain->lower < result.gain->upper;
  json["gain_interval"] =
      has_interval ? OrderedJson{result.gain->lower, result.gain->upper} : OrderedJson();
  json["bandwidth_gbps"] = or_null(result.gbps, result.gbps > 0);
  json["read_bandwidth_fraction"] =
      or_null(result.read_bandwidth_fraction, result.read_bandwidth_fraction > 0);
  json["tried"] = result.measured + result.failed;
  json["failed"] = result.failed;
  json["known"] = result.known;
  json["config"] = OrderedJson::parse(foldtune::to_json(result.best));
  return json;
}

void print_results(const std::vector<ProblemResult>& results) {
  Table table({{"problem"},
               {"best us", Align::right},
               {"+-%", Align::right},
               {"GB/s", Align::right},
               {"% of memory", Align::right},
               {"gain", Align::right},
               {"tried", Align::right},
               {"failed", Align::right},
               {"config"}});
  for (const ProblemResult& result : results) {
    table.add_row({to_string(result.workload), format_number(result.best_us),
                   format_spread(result.mad_us, result.best_us), format_number(result.gbps),
                   format_percent(result.read_bandwidth_fraction), format_gain(result.gain),
                   fmt::to_string(result.measured + result.failed), fmt::to_string(result.failed),
                   format_config(result.best)});
  }
  print_to(stdout, "\n{}\n", Lines{table.to_string(terminal_width(stdout))});
  print_to(
      stdout,
      "best us: per call. +-%: how far half of the samples lie from it at most. % of memory: of "
      "the measured\nread bandwidth. gain: over the untuned default; none: no difference that "
      "the samples show.\n");
  print_config_legends(results);
}

ExitCode tune_groups(const std::vector<DeviceGroup>& groups, bool as_json,
                     const std::function<ExitCode(const DeviceGroup&, OrderedJson*)>& tune_group) {
  OrderedJson json = OrderedJson::array();
  ExitCode code = ExitCode::ok;
  try {
    for (const DeviceGroup& group : groups) {
      const ExitCode of_group = tune_group(group, as_json ? &json : nullptr);
      if (of_group != ExitCode::ok) code = of_group;
      if (is_interruption(of_group)) break;
    }
  } catch (...) {  // What was tuned before stays.
    if (!json.empty()) print_indented(json);
    throw;
  }
  if (as_json) print_indented(json);
  return code;
}

ExitCode tune_on(const TuningJob& job, TuneOptions options) {
  const InterruptGuard interrupt;  // first, so that what is made here is removed, too
  options.stop_requested = [&] { return interrupt.is_interrupted(); };
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  std::vector<Evaluator*> pointers;
  try {
    for (const std::string& device : job.devices) {
      evaluators.push_back(std::make_unique<WorkerEvaluator>(
          WorkerOptions{.command = worker_command(device, options.seed),
                        .stop_requested = options.stop_requested}));
      pointers.push_back(evaluators.back().get());
    }
  } catch (const Unavailable&) {  // A start that was stopped is one, too.
    if (interrupt.is_interrupted()) return interrupted_by(interrupt.signal());
    throw;
  }
  Evaluator& first = *evaluators.front();
  first.compiler();  // a missing one is an error now, not after the inputs are made
  const std::unique_ptr<ConfigStore> store = open_sqlite_store(job.database, OpenMode::read_write);
  print_to(stderr, "{} {} on {} ({}){}\n", job.doing,
           format_count(options.workloads.size(), "problem"), fmt::join(job.devices, ", "),
           first.info().record.name, job.limit);
  TuneSummary summary;
  {
    ProgressPrinter progress(stderr, terminal_width(stderr));
    summary = tune(pointers, *store, options, progress);
  }
  if (!interrupt.is_interrupted()) {
    keep_kernels_of(summary.results, *store, first.info().record, first.compiler(),
                    options.compile_threads);
  }
  store->require_in_place();  // before anyone is told where the results are
  OrderedJson origin = origin_json(first.info().record, first.compiler_version());
  const std::vector<std::string> pinned =
      pinned_problems(summary.results, *store, first.info().record, first.compiler_version());
  if (!pinned.empty()) {
    print_to(stderr,
             "foldtune: note: pinned, so that programs keep what they use until `foldtune unpin`: "
             "{}\n",
             fmt::join(pinned, ", "));
  }
  origin["pinned"] = pinned;
  return conclude(job, origin, options, summary, interrupt);
}

}  // namespace foldtune
