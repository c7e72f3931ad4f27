/// One problem on the command line, for the verbs that tell what the database knows of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/problem.h"
#include "tuner/commands/problem_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// As it was typed.
struct ProblemSelection {
  std::optional<std::string> op;
  std::optional<std::string> type;
  ProblemOptions problem;
  std::string count;
  std::string alignment{name(Alignment::vector)};
  std::string device;  ///< part of a device's name; "": any
  std::optional<std::string> database;
  bool json = false;
};

/// Adds the options of `tune` that say what is reduced, --n for one count, --device and --db.
void add_problem_selection(CLI::App& app, ProblemSelection& selection);

/// Throws InvalidArgument for a problem that cannot be, and as `make_problem` does.
Problem selected_problem(const ProblemSelection& selection);

/// The rows of devices with the selected name. Throws InvalidArgument if there are rows but none of
/// these.
std::vector<StoredResult> select_device(std::vector<StoredResult> rows,
                                        const ProblemSelection& selection);

}  // namespace foldtune
