/// The bins of a run's histogram on the command line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "templates/histogram/range.h"
#include "templates/histogram/workload.h"
#include "tuner/commands/field_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// As they were typed; empty where they were not.
struct BinOptions {
  std::optional<std::string> range;
  std::optional<std::string> edges;
};

/// Adds --range and --edges.
void add_bin_options(CLI::App& app, BinOptions& options);

/// The first option that was given: "--range"; empty if there is none.
std::string first_given(const BinOptions& options);

/// The bins of a run.
struct Bins {
  BinBounds bounds;              ///< of Binning::even
  std::vector<std::byte> edges;  ///< of Binning::custom, of the elements' type
};

/// Sets the binning in `fields` that the options mean, and the number of bins of a file with edges
/// of this type, which goes into `bins`. Throws InvalidArgument for options that exclude each other
/// and for edges that cannot be, FileError for a file that cannot be read.
void choose_bins(FieldTexts& fields, const BinOptions& options, ElementType type, Bins& bins);

/// Reads the range of even bins. Throws InvalidArgument for one that is missing or cannot be.
void read_range(const HistogramWorkload& histogram, const BinOptions& options, Bins& bins);

}  // namespace foldtune
