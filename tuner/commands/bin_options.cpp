#include "tuner/commands/bin_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "foldtune/error.h"
#include "templates/histogram/range.h"
#include "tuner/commands/options.h"
#include "tuner/files/input_array.h"
#include "tuner/problem/count_list.h"

namespace foldtune {
namespace {

constexpr const char* kGroup = "Histograms";
constexpr std::uint32_t kKeyBins = 256;

void add_bin_options(CLI::App& app, BinOptions& options) {
  app.add_option("--bins", options.bins, "Number of bins [256]")->type_name("N")->group(kGroup);
  app.add_option("--counts", options.counter, "Type of the counts: u64 or u32 [u64]")
      ->type_name("TYPE")
      ->group(kGroup);
  app.add_option("--distribution", options.distribution,
                 "What the elements look like: uniform, zipf or constant [uniform]")
      ->type_name("NAME")
      ->group(kGroup);
}

/// A count, in all the ways to write one.
std::uint32_t parse_bins(const std::string& text) {
  constexpr std::uint64_t kMinBins = 2;
  std::uint64_t bins = 0;
  try {
    bins = parse_count(text);
  } catch (const InvalidArgument&) {  // which speaks of elements
  }
  if (bins < kMinBins || bins > kMaxBins) {
    throw InvalidArgument(
        fmt::format("--bins takes a number from {} to {}, such as 256 or 2^10, not '{}'", kMinBins,
                    kMaxBins, text));
  }
  return static_cast<std::uint32_t>(bins);
}

Binning choose_binning(const Problem& histogram, const BinOptions& options) {
  if (options.binning) return require_binning(*options.binning);
  if (options.edges) return Binning::custom;
  const bool are_keys = size_of(histogram.type) == 1 && histogram.histogram.bins == kKeyBins;
  return are_keys && !options.range ? Binning::key : Binning::even;
}

/// The number that is all of the text: an integer where 64 bits hold it, for a double may not.
std::optional<BinBound> parse_bound(const std::string& text) {
  const char* const end = text.data() + text.size();
  const char* const digits = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto parse = [&](auto integer) -> std::optional<BinBound> {
    const auto [rest, fault] = std::from_chars(digits, end, integer);
    if (fault != std::errc() || rest != end) return std::nullopt;
    return integer;
  };
  if (const auto bound = parse(std::int64_t{})) return bound;
  if (const auto bound = parse(std::uint64_t{})) return bound;
  char* rest = nullptr;
  const double bound = std::strtod(text.c_str(), &rest);
  if (rest == text.c_str() || rest != text.c_str() + text.size()) return std::nullopt;
  return bound;
}

BinBounds parse_range(const std::string& text) {
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    const std::optional<BinBound> lower = parse_bound(text.substr(0, colon));
    const std::optional<BinBound> upper = parse_bound(text.substr(colon + 1));
    if (lower && upper) return {.lower = *lower, .upper = *upper};
  }
  throw InvalidArgument(
      fmt::format("--range: '{}' is not two numbers with a colon between, as in -1:1", text));
}

std::vector<std::byte> read_edges(const std::string& path, ElementType type) {
  const InputArray file(
      path,
      WantedType{.type = type,
                 .remedy = "edges have the elements' type: convert them with array.astype"},
      InputFormat::by_content);
  if (file.count() < 3 || file.count() > kMaxBins + 1) {
    throw InvalidArgument(fmt::format("{} has {} edges: there are from 3, of 2 bins, to {}", path,
                                      file.count(), kMaxBins + 1));
  }
  std::vector<std::byte> edges;
  file.read(ElementOrder::c_order, [&](std::uint64_t, std::span<const std::byte> piece) {
    edges.insert(edges.end(), piece.begin(), piece.end());
  });
  if (const std::string fault = find_edges_fault(type, edges); !fault.empty()) {
    throw InvalidArgument(fmt::format("{}: edges ascend, but {}", path, fault));
  }
  return edges;
}

}  // namespace

void add_run_bin_options(CLI::App& app, BinOptions& options) {
  add_bin_options(app, options);
  app.add_option("--range", options.range, "Even bins from LO to HI, which may be negative")
      ->type_name("LO:HI")
      ->group(kGroup);
  app.add_option("--edges", options.edges, "Bins between the numbers of this file, .npy or raw")
      ->type_name("FILE")
      ->group(kGroup);
}

void add_tune_bin_options(CLI::App& app, BinOptions& options) {
  add_bin_options(app, options);
  app.add_option("--binning", options.binning,
                 "even, custom (between edges) or key [even; of 8 bits and 256 bins key]")
      ->type_name("NAME")
      ->group(kGroup);
}

std::string first_given(const BinOptions& options) {
  for (const auto& [flag, value] : {std::pair{"--bins", &options.bins},
                                    {"--counts", &options.counter},
                                    {"--distribution", &options.distribution},
                                    {"--binning", &options.binning},
                                    {"--range", &options.range},
                                    {"--edges", &options.edges}}) {
    if (*value) return flag;
  }
  return {};
}

std::string to_tune_arguments(const Problem& histogram) {
  const HistogramShape& shape = histogram.histogram;
  return fmt::format(" --bins {} --binning {} --distribution {} --counts {}", shape.bins,
                     name(shape.binning), name(shape.distribution),
                     name(histogram.accumulator_type()));
}

void set_bins(Problem& histogram, const BinOptions& options) {
  HistogramShape& shape = histogram.histogram;
  if (options.bins) shape.bins = parse_bins(*options.bins);
  if (options.distribution) shape.distribution = require_distribution(*options.distribution);
  if (options.counter) histogram.accumulator = require_accumulator(*options.counter);
  if (options.range && options.edges) {
    throw InvalidArgument("--range is for even bins, and --edges for others: give one of them");
  }
  shape.binning = choose_binning(histogram, options);
}

Bins read_bins(Problem& histogram, const BinOptions& options) {
  Bins bins;
  if (options.edges) {
    bins.edges = read_edges(*options.edges, histogram.type);
    const auto count = static_cast<std::uint32_t>(bins.edges.size() / size_of(histogram.type) - 1);
    if (options.bins && histogram.histogram.bins != count) {
      throw InvalidArgument(fmt::format("{} has the edges of {} bins, and --bins says {}",
                                        *options.edges, count, histogram.histogram.bins));
    }
    histogram.histogram.bins = count;
  } else if (histogram.histogram.binning == Binning::even) {
    if (!options.range) {
      throw InvalidArgument(
          fmt::format("the bins of {} elements need a range, as in --range 0:1, or --edges FILE",
                      name(histogram.type)));
    }
    bins.bounds = parse_range(*options.range);
    const std::string fault = find_range_fault(histogram, bins.bounds);
    if (!fault.empty()) throw InvalidArgument(fault);
  }
  return bins;
}

}  // namespace foldtune
