#include "templates/histogram/judge/judge.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "templates/histogram/judge/histogram_input.h"
#include "templates/histogram/judge/histogram_reference.h"
#include "templates/histogram/space.h"

namespace foldtune {
namespace {

// The places of the arguments.
constexpr std::size_t kInput = 1;
constexpr std::size_t kEdges = 2;
constexpr std::size_t kLowerBound = 3;
constexpr std::size_t kUpperBound = 4;

/// The bounds of the tuning's even bins, which calls take by their addresses.
const BinBounds& kept_bounds(ElementType type) {
  static const std::vector<BinBounds> bounds = [] {
    std::vector<BinBounds> all;
    for (const ElementType element : element_types()) all.push_back(tuning_bounds(element));
    return all;
  }();
  return bounds.at(static_cast<std::size_t>(type));
}

class CountedBins final : public Expectation {
 public:
  CountedBins(const HistogramWorkload& histogram, std::vector<std::uint64_t> counts)
      : histogram_(histogram), counts_(std::move(counts)) {}

  std::string find_difference(std::span<const std::byte> result, const Origin&) const override {
    return find_histogram_difference(histogram_, result.data(), counts_);
  }

 private:
  HistogramWorkload histogram_;
  std::vector<std::uint64_t> counts_;
};

class HistogramJudge final : public Judge {
 public:
  const Family& family() const override { return histogram_family(); }

  void fill(const Problem& problem, std::size_t argument, std::span<std::byte> elements,
            std::uint64_t seed) const override {
    const HistogramWorkload histogram = histogram_of(problem);
    if (argument == kEdges) {
      const std::vector<std::byte> edges = tuning_edges(histogram);
      std::copy_n(edges.begin(), std::min(edges.size(), elements.size()), elements.begin());
    } else {
      fill_histogram_input(histogram, elements, seed);
    }
  }
  bool has_same_inputs(const Problem& a, const Problem& b) const override {
    const HistogramWorkload one = histogram_of(a);
    const HistogramWorkload other = histogram_of(b);
    const bool has_edges = one.binning == Binning::custom || other.binning == Binning::custom;
    return one.type == other.type && one.distribution == other.distribution &&
           (!has_edges || (one.binning == other.binning && one.bins == other.bins));
  }
  const void* scalar(const Problem& problem, std::size_t argument) const override {
    const BinBounds& bounds = kept_bounds(histogram_of(problem).type);
    if (argument == kLowerBound) return &bounds.lower;
    return argument == kUpperBound ? &bounds.upper : nullptr;
  }

  std::unique_ptr<Expectation> expect(const Workload& workload,
                                      std::span<const void* const> arguments) const override {
    const HistogramWorkload histogram = histogram_of(workload);
    const std::array inputs{arguments[kInput], arguments[kEdges]};
    return std::make_unique<CountedBins>(
        histogram, compute_histogram(histogram, inputs, kept_bounds(histogram.type)));
  }
  /// There is always a reference.

  /// Counts are integers.
  bool is_reproducible(const Problem&) const override { return true; }

  std::string format(const Problem& problem, std::span<const std::byte> result) const override {
    const HistogramWorkload histogram = histogram_of(problem);
    std::string text;
    const std::size_t bins = result.size() / size_of(histogram.counter);  // of all rows
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const char* const separator = bin == 0 ? "" : bin % histogram.bins == 0 ? "; " : " ";
      text += fmt::format("{}{}", separator, histogram_count(histogram, result.data(), bin));
    }
    return text;
  }
};

}  // namespace

const Judge& histogram_judge() {
  static const HistogramJudge judge;
  return judge;
}

}  // namespace foldtune
