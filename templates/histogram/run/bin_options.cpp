#include "templates/histogram/run/bin_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>

#include "foldtune/error.h"
#include "templates/histogram/judge/histogram_input.h"
#include "templates/histogram/range.h"
#include "tuner/files/input_array.h"

namespace foldtune {
namespace {

constexpr const char* kFamilyGroup = "Family histogram";

/// The field's value, if it is said.
const std::string* find(const FieldTexts& fields, const char* name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

void set_binning(FieldTexts& fields, Binning binning, const char* flag) {
  const std::string wanted(name(binning));
  if (const std::string* const said = find(fields, "binning"); said != nullptr && *said != wanted) {
    throw InvalidArgument(fmt::format("{} is for {} bins, not for {} ones", flag, wanted, *said));
  }
  fields["binning"] = wanted;
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
  if (file.shape() && file.shape()->size() > 1) {
    throw InvalidArgument(fmt::format("{} has the shape {}: edges are an array of one dimension",
                                      path, format_shape(*file.shape())));
  }
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

void add_bin_options(CLI::App& app, BinOptions& options) {
  app.add_option("--range", options.range, "Even bins from LO to HI, which may be negative")
      ->type_name("LO:HI")
      ->group(kFamilyGroup);
  app.add_option("--edges", options.edges, "Bins between the numbers of this file, .npy or raw")
      ->type_name("FILE")
      ->group(kFamilyGroup);
}

std::string first_given(const BinOptions& options) {
  if (options.range) return "--range";
  return options.edges ? "--edges" : "";
}

void choose_bins(FieldTexts& fields, const BinOptions& options, ElementType type, Bins& bins) {
  if (options.range && options.edges) {
    throw InvalidArgument("--range is for even bins, and --edges for others: give one of them");
  }
  if (options.range) set_binning(fields, Binning::even, "--range");
  if (!options.edges) return;
  set_binning(fields, Binning::custom, "--edges");
  bins.edges = read_edges(*options.edges, type);
  const std::string count = fmt::to_string(bins.edges.size() / size_of(type) - 1);
  if (const std::string* const said = find(fields, "bins"); said != nullptr && *said != count) {
    throw InvalidArgument(fmt::format("{} has the edges of {} bins, and --bins says {}",
                                      *options.edges, count, *said));
  }
  fields["bins"] = count;
}

void read_range(const HistogramWorkload& histogram, const BinOptions& options, Bins& bins) {
  if (histogram.binning == Binning::custom && !options.edges) {
    throw InvalidArgument("custom bins need their edges: --edges FILE");
  }
  if (histogram.binning != Binning::even) return;
  if (!options.range) {
    throw InvalidArgument(
        fmt::format("the bins of {} elements need a range, as in --range 0:1, or --edges FILE",
                    name(histogram.type)));
  }
  bins.bounds = parse_range(*options.range);
  const std::string fault = find_range_fault(histogram, bins.bounds);
  if (!fault.empty()) throw InvalidArgument(fault);
}

}  // namespace foldtune
