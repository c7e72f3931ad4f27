/// What the verbs that tune share.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/commands/exit_code.h"
#include "tuner/session/tuner.h"

namespace foldtune {

/// Names of devices with the same identity, whose results are the same; at least one.
using DeviceGroup = std::vector<std::string>;

/// "all": every GPU, by kind. Else the one that is asked for, or that is chosen where none is.
/// Throws Unavailable for "all" without a GPU.
std::vector<DeviceGroup> choose_devices(const std::optional<std::string>& asked);

/// Puts those with the same inputs next to each other, so that these are made once.
void group_by_inputs(std::vector<Problem>& problems);
void group_by_inputs(std::vector<Workload>& workloads);

/// Whether it is the CPU device, by its name.
bool is_cpu(const std::string& device);

/// What the configurations' texts leave out: a line for each family.
void print_config_legends(const std::vector<ProblemResult>& results);

/// The closing table of `tune`.
void print_results(const std::vector<ProblemResult>& results);

/// A row of that table.
nlohmann::ordered_json to_json(const ProblemResult& result);

struct TuningJob {
  const DeviceGroup& devices;  ///< which share the problems
  std::string database;        ///< its path; it is made once the devices are there
  std::string_view doing;      ///< "tuning"
  std::string limit;           ///< " for 20 s at most", or nothing
  std::function<void(const std::vector<ProblemResult>&)> print;  ///< the results, if there are any
  std::function<nlohmann::ordered_json(const ProblemResult&)> to_json;  ///< the same of one
  std::vector<std::string> left_out{};     ///< a line for each problem that is not tuned, and why
  nlohmann::ordered_json* json = nullptr;  ///< an array that takes all of it; null: it is printed
};

/// Calls `tune_group` for each, until one is interrupted; the exit code is that of the last one
/// that is not ok. With `as_json` the array that it is given is printed at the end, also of an
/// exception.
ExitCode tune_groups(
    const std::vector<DeviceGroup>& groups, bool as_json,
    const std::function<ExitCode(const DeviceGroup&, nlohmann::ordered_json*)>& tune_group);

/// Tunes `options.workloads` until they are done or Ctrl-C is pressed, keeps the kernels of what
/// was chosen, and says what came of it. ExitCode::device if a problem has no result.
ExitCode tune_on(const TuningJob& job, TuneOptions options);

}  // namespace foldtune
