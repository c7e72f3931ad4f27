#include "tuner/session/worker_roles.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/error.h"
#include "runtime/api/tune_on_miss.h"
#include "runtime/device/compiler.h"
#include "runtime/device/device.h"
#include "runtime/support/worker_program.h"
#include "templates/described/judge/judge.h"
#include "tuner/measure/background.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/session/tuner.h"
#include "tuner/worker/serve.h"
#include "tuner/worker/worker_evaluator.h"

namespace foldtune {
namespace {

using Arguments = std::vector<std::string>;

/// As for a wrong command line of `foldtune`.
constexpr int kUsageStatus = 2;

void try_configurations(const Arguments& arguments, const WorkerLine& line) {
  const std::unique_ptr<Device> device = open_device(arguments.at(2));
  DeviceEvaluator evaluator(*device, std::stoull(arguments.at(3)));
  serve(evaluator, line);
}

void compile(const Arguments& arguments, const WorkerLine& line) {
  run_in_background();
  serve(*make_nvrtc_compiler(arguments.at(2)), line);
}

Tuned tune_one(const TuneRequest& request) {
  const TuneOptions options{.workloads = {request.workload},
                            .effort = Effort::quick,
                            .budget_s = request.budget_s,
                            .command = "OnMiss::tune"};
  const std::unique_ptr<ConfigStore> store = open_sqlite_store(
      request.database.empty() ? default_database_path() : request.database, OpenMode::read_write);
  WorkerEvaluator evaluator({.command = worker_command(request.device, options.seed)});
  Evaluator* const evaluators[] = {&evaluator};
  TuneObserver nobody;
  const TuneSummary summary = tune(evaluators, *store, options, nobody);
  if (!summary.results.empty())
    return {.config = to_json(summary.results.front().best), .reason = {}};
  return {.config = {},
          .reason = summary.failures.empty() ? "no configuration of it could be timed"
                                             : summary.failures.front().reason};
}

void tune_problems(const Arguments&, const WorkerLine& line) { serve(tune_one, line); }

struct Role {
  std::string_view name;
  std::size_t arguments;  ///< with the build and the name, but without families
  void (*work)(const Arguments& arguments, const WorkerLine& line);
};
constexpr Role kRoles[] = {
    {"try", 4, try_configurations}, {"compile", 3, compile}, {"tune", 2, tune_problems}};

const Role* find_role(const Arguments& arguments) {
  for (const Role& role : kRoles) {
    if (arguments.size() >= role.arguments && arguments[1] == role.name) return &role;
  }
  return nullptr;
}

void check_build(const std::string& asked_by) {
  if (asked_by == build_name()) return;
  throw Unavailable(fmt::format(
      "starting a worker: this foldtune-worker is of the build {}, and was started by {}; install "
      "both of the same Foldtune, or let FOLDTUNE_WORKER name the right one",
      build_name(), asked_by));
}

}  // namespace

int run_worker_program(const std::vector<std::string>& arguments) {
  const Role* const role = find_role(arguments);
  if (role == nullptr) {
    fmt::print(stderr,
               "foldtune-worker: Foldtune starts it for tuning and compiling; there is nothing to "
               "call it for. It is of the build {}.\n",
               build_name());
    return kUsageStatus;
  }
  return run_worker([&](const WorkerLine& line) {
    check_build(arguments.front());
    for (std::size_t i = role->arguments; i < arguments.size(); ++i) use_family(arguments[i]);
    role->work(arguments, line);
  });
}

}  // namespace foldtune
