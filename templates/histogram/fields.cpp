#include "templates/histogram/fields.h"

#include <fmt/format.h>

#include <array>
#include <climits>

#include "templates/catalog.h"
#include "templates/enum_rows.h"
#include "templates/family.h"

namespace foldtune {
namespace {

using namespace histogram_field;

constexpr std::uint32_t kUsualBins = 256;

constexpr std::array<std::string_view, 1> kOpNames{"histogram"};
constexpr std::array<std::string_view, 3> kBinningNames{"even", "custom", "key"};
constexpr std::array<std::string_view, 3> kDistributionNames{"uniform", "zipf", "constant"};

/// Whether there is a bin for each value of an element.
bool has_bin_for_each(ElementType element, std::uint32_t bins) {
  return size_of(element) == 1 && bins == kUsualBins;
}

}  // namespace

std::string_view name(Binning binning) { return row_of(kBinningNames, binning); }
std::string_view name(Distribution distribution) {
  return row_of(kDistributionNames, distribution);
}
std::optional<Binning> parse_binning(std::string_view text) {
  return parse_name<Binning>(kBinningNames, text);
}
std::optional<Distribution> parse_distribution(std::string_view text) {
  return parse_name<Distribution>(kDistributionNames, text);
}

std::span<const Field> histogram_fields() {
  static const std::array<Field, 6> fields{
      Field{.name = "op",
            .meaning = "What is computed [histogram]",
            .labels = kOpNames,
            .apart = 0,
            .place = op},
      Field{.name = "type",
            .meaning = "Type of the elements [f32]",
            .labels = element_type_names(),
            .place = type},
      Field{.name = "counter",
            .meaning = "Type of the counts, u64 or u32 [u64]",
            .labels = element_type_names(),
            .apart = 0,
            .place = counter},
      Field{.name = "bins",
            .meaning = "Number of bins [256]",
            .least = 2,
            .most = static_cast<int>(kMaxBins),
            .apart = 1.5,
            .place = bins},
      Field{.name = "binning",
            .meaning = "How an element finds its bin [key of 8 bits and 256 bins, else even]",
            .labels = kBinningNames,
            .apart = 1.5,
            .place = binning},
      Field{.name = "distribution",
            .meaning = "What the elements are expected to look like",
            .labels = kDistributionNames,
            .fallback = static_cast<int>(Distribution::uniform),
            .apart = 1.5,
            .place = distribution}};
  return fields;
}

void complete_histogram(Problem& problem) {
  if (!has_known_labels(problem)) return;
  const auto fields = histogram_fields();
  const auto set_unsaid = [&](Place place, auto value) {
    if (problem.get(fields[place]) == Problem::kUnsaid) {
      problem.set(fields[place], static_cast<int>(value));
    }
  };
  set_unsaid(op, 0);
  set_unsaid(type, ElementType::f32);
  set_unsaid(counter, ElementType::u64);
  set_unsaid(bins, kUsualBins);
  const HistogramWorkload histogram = histogram_of(problem);
  set_unsaid(binning,
             has_bin_for_each(histogram.type, histogram.bins) ? Binning::key : Binning::even);
}

std::string describe_histogram(const HistogramWorkload& histogram) {
  std::string text = fmt::format("histogram {}", name(histogram.type));
  if (histogram.counter != ElementType::u64) text += fmt::format(" in {}", name(histogram.counter));
  return text + fmt::format(" ({} bins, {}, {})", histogram.bins, name(histogram.binning),
                            name(histogram.distribution));
}

std::string find_histogram_fault(const HistogramWorkload& histogram) {
  if (histogram.counter != ElementType::u64 && histogram.counter != ElementType::u32) {
    return fmt::format("a histogram counts in u64 or u32, not in {}", name(histogram.counter));
  }
  if (histogram.bins < 2 || histogram.bins > kMaxBins) {
    return fmt::format(
        "a histogram has from 2 to {} bins, not {}{}", kMaxBins, histogram.bins,
        histogram.bins == std::uint32_t{INT_MAX} ? " or more" : "");  // a field holds no more
  }
  if (histogram.binning == Binning::key && !has_bin_for_each(histogram.type, histogram.bins)) {
    return fmt::format(
        "elements are bin numbers for 8-bit types and {} bins alone, not for {} and "
        "{} bins: give a range",
        kUsualBins, name(histogram.type), histogram.bins);
  }
  return {};
}

}  // namespace foldtune
