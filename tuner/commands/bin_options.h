/// The bins of histograms on the command line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "foldtune/problem.h"
#include "tuner/verify/histogram_input.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// As they were typed; empty where they were not.
struct BinOptions {
  std::optional<std::string> bins;
  std::optional<std::string> counter;
  std::optional<std::string> distribution;
  std::optional<std::string> binning;  ///< of `tune` alone: `run` has what follows instead
  std::optional<std::string> range;
  std::optional<std::string> edges;
};

/// Add --bins, --counts, --distribution and, for `run`, --range and --edges; for `tune` --binning.
void add_run_bin_options(CLI::App& app, BinOptions& options);
void add_tune_bin_options(CLI::App& app, BinOptions& options);

/// The first option that was given: "--bins"; empty if there is none.
std::string first_given(const BinOptions& options);

/// Options with which `foldtune tune` tunes the histogram, each after a space.
std::string to_tune_arguments(const Problem& histogram);

/// Sets the shape and the counters: 256 even bins without other options, but keys for elements of 8
/// bits. Throws InvalidArgument for names and numbers that there are not, and for options that
/// exclude each other.
void set_bins(Problem& histogram, const BinOptions& options);

/// The bins of a run.
struct Bins {
  BinBounds bounds;              ///< of Binning::even
  std::vector<std::byte> edges;  ///< of Binning::custom, of the elements' type
};

/// Reads the range or the edges, whose number says how many bins the histogram has. Throws
/// InvalidArgument for those that cannot be, FileError for a file that cannot be read.
Bins read_bins(Problem& histogram, const BinOptions& options);

}  // namespace foldtune
