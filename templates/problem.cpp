#include "foldtune/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace foldtune {
namespace {

constexpr std::array<std::string_view, 3> kBinningNames{"even", "custom", "key"};
constexpr std::array<std::string_view, 3> kDistributionNames{"uniform", "zipf", "constant"};

constexpr std::uint32_t kKeyBins = 256;

std::string find_custom_fault(const Problem& problem) {
  if (problem.custom == nullptr) return "a custom operator needs its expressions";
  if (problem.accumulator || problem.result) {
    return "a custom operator brings its own accumulator and result types";
  }
  return problem.custom->find_fault();
}

/// `last` is the last enumerator.
template <class Enum>
bool is_one(Enum value, Enum last) {
  return value >= Enum{} && value <= last;
}

/// Tables are looked up by the enumerators, and other languages cast numbers to them.
bool has_enumerators(const Problem& problem) {
  const auto is_type = [](ElementType type) { return is_one(type, ElementType::f64); };
  const HistogramShape& shape = problem.histogram;
  return is_one(problem.op, Operator::histogram) && is_type(problem.type) &&
         is_type(problem.accumulator.value_or(ElementType{})) &&
         is_type(problem.result.value_or(ElementType{})) &&
         is_one(problem.determinism, Determinism::config_independent) &&
         is_one(problem.alignment, Alignment::element) &&
         is_one(problem.nan_policy, NanPolicy::ignore) && is_one(shape.binning, Binning::key) &&
         is_one(shape.distribution, Distribution::constant);
}

std::string find_histogram_fault(const Problem& problem) {
  const HistogramShape& shape = problem.histogram;
  if (shape.bins < 2 || shape.bins > kMaxBins) {
    return fmt::format("a histogram has from 2 to {} bins, not {}", kMaxBins, shape.bins);
  }
  if (shape.binning == Binning::key && (size_of(problem.type) != 1 || shape.bins != kKeyBins)) {
    return fmt::format(
        "elements are bin numbers for 8-bit types and {} bins alone, not for {} and "
        "{} bins: give a range",
        kKeyBins, name(problem.type), shape.bins);
  }
  return {};
}

/// What is wrong with the types.
std::string find_type_fault(const Problem& problem) {
  const std::vector<ElementType> legal = accumulators(problem.op, problem.type);
  if (legal.empty()) {
    return fmt::format("{} takes integers, not {}", name(problem.op), name(problem.type));
  }
  const ElementType accumulator = problem.accumulator_type();
  if (std::ranges::find(legal, accumulator) == legal.end()) {
    std::string names;
    for (const ElementType type : legal) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name(type));
    }
    return fmt::format("{} of {} cannot accumulate in {}; it can in {}", name(problem.op),
                       name(problem.type), name(accumulator), names);
  }
  if (!problem.result || *problem.result == accumulator) return {};
  if (problem.op == Operator::histogram || result_shape(problem.op) != ResultShape::value) {
    return fmt::format("the result of {} is of the accumulator's type, {}", name(problem.op),
                       name(accumulator));
  }
  if (is_floating(accumulator) && !is_floating(*problem.result)) {
    return fmt::format("{} of {} in {} is no {}: ask for a floating-point result", name(problem.op),
                       name(problem.type), name(accumulator), name(*problem.result));
  }
  return {};
}

}  // namespace

std::string_view name(Binning binning) { return kBinningNames[static_cast<std::size_t>(binning)]; }
std::string_view name(Distribution distribution) {
  return kDistributionNames[static_cast<std::size_t>(distribution)];
}
std::optional<Binning> parse_binning(std::string_view text) {
  const auto found = std::ranges::find(kBinningNames, text);
  if (found == kBinningNames.end()) return std::nullopt;
  return static_cast<Binning>(found - kBinningNames.begin());
}
std::optional<Distribution> parse_distribution(std::string_view text) {
  const auto found = std::ranges::find(kDistributionNames, text);
  if (found == kDistributionNames.end()) return std::nullopt;
  return static_cast<Distribution>(found - kDistributionNames.begin());
}

ElementType Problem::result_type() const {
  if (op == Operator::custom) return custom->result;
  return result.value_or(accumulator_type());
}

std::vector<ElementType> Problem::input_types() const {
  if (op == Operator::custom) return custom->inputs;
  return std::vector<ElementType>(static_cast<std::size_t>(input_count(op)), type);
}

std::uint64_t Problem::input_bytes() const {
  std::uint64_t bytes = 0;
  for (const ElementType input : input_types()) bytes += count * size_of(input);
  return bytes;
}

std::size_t Problem::result_bytes() const {
  if (op == Operator::histogram) return histogram.bins * size_of(result_type());
  switch (result_shape(op)) {
    case ResultShape::indexed_value:
      return 16;
    case ResultShape::min_max:
      return 2 * size_of(result_type());
    case ResultShape::value:
      break;
  }
  return size_of(result_type());
}

std::size_t Problem::output_alignment() const {
  return result_shape(op) == ResultShape::indexed_value ? 8 : size_of(result_type());
}

Problem make_problem(CustomOperator op) {
  Problem problem{.op = Operator::custom};
  if (!op.inputs.empty()) problem.type = op.inputs.front();
  problem.custom = std::make_shared<const CustomOperator>(std::move(op));
  return problem;
}

int size_class(std::uint64_t count) {
  if (count == 0) return 0;
  // The square root of 2 with 63 bits behind the point. It is no rational number, so that no count
  // lies halfway between two classes.
  constexpr std::uint64_t kRootOf2 = 0xB504'F333'F9DE'6484;
  const int shift = std::countl_zero(count);
  return 63 - shift + static_cast<int>((count << shift) > kRootOf2);
}

std::string to_string(const Problem& problem) {
  std::string text;
  if (problem.op == Operator::custom && problem.custom != nullptr) {
    text = problem.custom->name;
    for (const ElementType type : problem.custom->inputs) text += fmt::format(" {}", name(type));
  } else {
    text = fmt::format("{} {}", name(problem.op), name(problem.type));
    if (problem.accumulator_type() != default_accumulator(problem.op, problem.type)) {
      text += fmt::format(" in {}", name(problem.accumulator_type()));
    }
  }
  if (problem.op == Operator::histogram) {
    text += fmt::format(" ({} bins, {}, {})", problem.histogram.bins,
                        name(problem.histogram.binning), name(problem.histogram.distribution));
  }
  if (problem.op != Operator::custom && problem.result_type() != problem.accumulator_type()) {
    text += fmt::format(" to {}", name(problem.result_type()));
  }
  if (problem.ddof != 0) text += fmt::format(" (ddof {})", problem.ddof);
  if (problem.nan_policy != NanPolicy::propagate) text += " without NaN";
  if (std::has_single_bit(problem.count) && problem.count >= 1024) {
    return text + fmt::format(" 2^{}", std::countr_zero(problem.count));
  }
  return text + fmt::format(" {}", problem.count);
}

bool depends_on_order(const Problem& problem) {
  if (problem.op == Operator::custom) {
    return std::ranges::any_of(problem.custom->accumulator, [](const AccumulatorField& field) {
      return is_floating(field.type);
    });
  }
  return depends_on_order(problem.op, problem.accumulator_type());
}

std::string find_fault(const Problem& problem) {
  if (problem.count > kMaxCount) {
    return fmt::format("{} elements are more than the most, 2^40", problem.count);
  }
  if (!has_enumerators(problem)) return "a number was cast to an enumerator that there is not";
  if (problem.op == Operator::custom) return find_custom_fault(problem);
  if (std::string fault = find_type_fault(problem); !fault.empty()) return fault;
  if (problem.nan_policy != NanPolicy::propagate && !has_nan_policy(problem.op)) {
    return fmt::format("{} does not compare: it has no NaN policy", name(problem.op));
  }
  if (problem.ddof != 0 && !has_ddof(problem.op)) {
    return fmt::format("{} has no degrees of freedom: ddof is for variance and stddev",
                       name(problem.op));
  }
  if (problem.ddof != 0 && problem.ddof != 1) {
    return fmt::format("ddof is 0 (population) or 1 (sample), not {}", problem.ddof);
  }
  if (problem.op == Operator::histogram) return find_histogram_fault(problem);
  return {};
}

}  // namespace foldtune
