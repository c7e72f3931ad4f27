/// What is to be reduced.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foldtune/catalog.h"
#include "foldtune/custom.h"
#include "foldtune/export.h"

namespace foldtune {

/// How a histogram finds an element's bin.
enum class Binning {
  even,    ///< `bins` ranges of the same width between a lower and an upper bound
  custom,  ///< between `bins` + 1 ascending edges
  key,     ///< the element itself is the bin's number: 8-bit keys, 256 bins
};

/// What the elements of a histogram look like, for the tuner: it decides how many fall into the
/// same bin at the same time.
enum class Distribution {
  uniform,   ///< spread over all bins alike
  zipf,      ///< of 256 parts of the range, that of rank r has a share like 1 / r
  constant,  ///< all in one bin
};

/// @{
/// As those of the catalogue.
FOLDTUNE_API std::string_view name(Binning binning);
FOLDTUNE_API std::string_view name(Distribution distribution);
FOLDTUNE_API std::optional<Binning> parse_binning(std::string_view text);
FOLDTUNE_API std::optional<Distribution> parse_distribution(std::string_view text);
/// @}

/// The shape of a histogram. The bounds or edges come with each call.
struct HistogramShape {
  std::uint32_t bins = 256;                           ///< from 2 to kMaxBins
  Binning binning = Binning::even;                    ///< how an element finds its bin
  Distribution distribution = Distribution::uniform;  ///< what the elements are expected to be
};

/// The most bins of a histogram.
inline constexpr std::uint32_t kMaxBins = 1 << 20;

/// A reduction of `count` elements. A value type; the defaults are those of the semantics.
struct FOLDTUNE_API Problem {
  Operator op = Operator::sum;  ///< what is computed
  /// Of the elements; of all inputs, if there are several. A custom operator has its own.
  ElementType type = ElementType::f32;
  /// The type of partial results; empty: `default_accumulator(op, type)`.
  std::optional<ElementType> accumulator = std::nullopt;
  /// The type of the result's numbers; empty: the accumulator's type.
  std::optional<ElementType> result = std::nullopt;
  /// Elements of each input, up to 2^40. A reducer is made for any count and takes it with each
  /// call.
  std::uint64_t count = 0;
  Alignment alignment = Alignment::vector;  ///< a reducer takes it from each call's pointers
  Determinism determinism = Determinism::run_to_run;  ///< what the result may depend on
  NanPolicy nan_policy = NanPolicy::propagate;        ///< of the operators that compare
  /// Delta degrees of freedom of variance and stddev: 0 divides by n (population), 1 by n - 1
  /// (sample).
  int ddof = 0;
  std::shared_ptr<const CustomOperator> custom = nullptr;  ///< with Operator::custom
  HistogramShape histogram{};                              ///< with Operator::histogram

  /// `accumulator`, or its default.
  ElementType accumulator_type() const {
    return accumulator.value_or(default_accumulator(op, type));
  }
  ElementType result_type() const;               ///< `result`, or its default
  std::vector<ElementType> input_types() const;  ///< the elements' type, one for each input
  std::uint64_t input_bytes() const;             ///< of all inputs, `count` elements each
  std::size_t result_bytes() const;              ///< of the output; of all counters of a histogram
  std::size_t output_alignment() const;  ///< bytes that the output's address is a multiple of
};

/// A custom operator as a problem. Checks nothing: Context::reducer does.
FOLDTUNE_API Problem make_problem(CustomOperator op);

/// The most elements that a reduction takes.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;

/// log2 of the count, rounded to the nearest integer; 0 for an empty input. Tuning results are
/// kept, and looked up, by size class.
FOLDTUNE_API int size_class(std::uint64_t count);

/// "sum f32 2^20", "variance f32 to f64 (ddof 1) 1000003", "histogram u8 (256 bins, key, uniform)
/// 2^20".
FOLDTUNE_API std::string to_string(const Problem& problem);

/// Whether the order in which partial results are combined can change the result's bits.
FOLDTUNE_API bool depends_on_order(const Problem& problem);

/// Empty if the problem can be reduced, else what is wrong with it.
FOLDTUNE_API std::string find_fault(const Problem& problem);

}  // namespace foldtune
