/// One workload on the command line, for the verbs that tell what the database knows of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/workload.h"
#include "tuner/commands/problem_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// As it was typed.
struct ProblemSelection {
  ProblemOptions problem;
  ShapeOptions shape;
  std::string device;  ///< as `device_filter` takes it
  std::optional<std::string> database;
  bool json = false;
};

/// Adds the options of `tune` that say what is computed, for one shape, --device and --db.
void add_problem_selection(CLI::App& app, ProblemSelection& selection);

/// Throws InvalidArgument for a workload that cannot be, and as `make_problem` does.
Workload selected_workload(const ProblemSelection& selection);

/// The rows of the selected devices. Throws InvalidArgument if there are rows but none of these,
/// and as `device_filter` does.
std::vector<StoredResult> select_device(std::vector<StoredResult> rows,
                                        const ProblemSelection& selection);

}  // namespace foldtune
