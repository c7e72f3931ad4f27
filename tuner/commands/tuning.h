/// What the verbs that tune share: the order of the problems, and what is said at the end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/exit_code.h"
#include "tuner/tuner.h"

namespace foldtune {

/// Puts those with the same inputs next to each other, so that these are made once.
void group_by_inputs(std::vector<Problem>& problems);

/// Whether it is the CPU device, by its name.
bool is_cpu(const std::string& device);

/// What the configurations' abbreviations stand for: a line for each family.
void print_config_legends(const std::vector<ProblemResult>& results);

/// The closing table of `tune`.
void print_results(const std::vector<ProblemResult>& results);

/// Keeps the kernels of the results in the store, so that programs need not compile them. A failure
/// is a note: they are compiled where they are needed. `compiler` may be null.
void keep_kernels_of(const std::vector<ProblemResult>& results, const ConfigStore& store,
                     const DeviceRecord& device, const Compiler* compiler, int threads);

/// How a tuning ended, and where its results are.
struct Conclusion {
  const std::vector<Problem>& problems;
  const TuneSummary& summary;
  bool is_interrupted;
  std::string device;
  std::string database;
};

/// Prints results, if there are any, by `print`, and what else is to be said. Throws DeviceError if
/// there is nothing.
ExitCode conclude(const Conclusion& end,
                  const std::function<void(const std::vector<ProblemResult>&)>& print);

}  // namespace foldtune
