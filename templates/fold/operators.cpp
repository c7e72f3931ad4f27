#include "templates/fold/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "templates/catalog.h"
#include "templates/enum_rows.h"

namespace foldtune {
namespace {

using enum ElementType;

/// Which types partial results may have.
enum class AccumulatorRule {
  arithmetic,  ///< integers 32 or 64 bits wide, or f64; floating types f32 or f64; 64 bits by
               ///< default
  real,        ///< integers f64; floating types f32 or f64
  element,     ///< the element's type
  truth,       ///< u8, 0 or 1
  count,       ///< u64 or u32
};

/// What a partial result holds, `number` being the accumulator's type.
enum class Layout {
  number,
  indexed,  ///< a number and an index
  pair,     ///< two numbers
  wide,     ///< a number; two where sums may leave its range (wide_sums.cuh)
  moments,  ///< four numbers and a count
};

/// Which accumulators a warp folds at once, by the instruction that the functor names
/// (`kInstruction`).
enum class WarpFold {
  none,
  word,  ///< integers of 32 bits
  wide,  ///< those that have a range
  any,
};

struct OperatorRow {
  Operator op;
  std::string_view name;
  /// The functor. {T}: element; {A}: accumulator; {I}: index; {N}: NanPolicy; {D}: ddof.
  std::string_view device_name;
  AccumulatorRule accumulators = AccumulatorRule::element;
  Layout layout = Layout::number;
  ResultShape shape = ResultShape::value;
  int inputs = 1;
  bool rounds = false;           ///< combining two floating-point values may round
  bool finishes = false;         ///< a last partial result is not yet the result
  bool has_empty_result = true;  ///< the fold of nothing is a value
  bool compares = false;         ///< NanPolicy says something
  bool integers_only = false;
  WarpFold warp_fold = WarpFold::none;
};

constexpr std::array kOperatorRows{
    OperatorRow{.op = Operator::sum,
                .name = "sum",
                .device_name = "foldtune::Sum<{T}, {A}>",
                .accumulators = AccumulatorRule::arithmetic,
                .rounds = true,
                .warp_fold = WarpFold::word},
    OperatorRow{.op = Operator::product,
                .name = "product",
                .device_name = "foldtune::Product<{T}, {A}>",
                .accumulators = AccumulatorRule::arithmetic,
                .rounds = true},
    OperatorRow{.op = Operator::min,
                .name = "min",
                .device_name = "foldtune::Min<{T}, {A}, {N}>",
                .compares = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::max,
                .name = "max",
                .device_name = "foldtune::Max<{T}, {A}, {N}>",
                .compares = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::argmin,
                .name = "argmin",
                .device_name = "foldtune::ArgMin<{T}, {A}, {I}, {N}>",
                .layout = Layout::indexed,
                .shape = ResultShape::indexed_value,
                .has_empty_result = false,
                .compares = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::argmax,
                .name = "argmax",
                .device_name = "foldtune::ArgMax<{T}, {A}, {I}, {N}>",
                .layout = Layout::indexed,
                .shape = ResultShape::indexed_value,
                .has_empty_result = false,
                .compares = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::minmax,
                .name = "minmax",
                .device_name = "foldtune::Extremes<{T}, {A}, {N}>",
                .layout = Layout::pair,
                .shape = ResultShape::min_max,
                .compares = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::bit_and,
                .name = "bit_and",
                .device_name = "foldtune::BitAnd<{T}, {A}>",
                .integers_only = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::bit_or,
                .name = "bit_or",
                .device_name = "foldtune::BitOr<{T}, {A}>",
                .integers_only = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::bit_xor,
                .name = "bit_xor",
                .device_name = "foldtune::BitXor<{T}, {A}>",
                .integers_only = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::all,
                .name = "all",
                .device_name = "foldtune::All<{T}, {A}>",
                .accumulators = AccumulatorRule::truth,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::any,
                .name = "any",
                .device_name = "foldtune::Any<{T}, {A}>",
                .accumulators = AccumulatorRule::truth,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::count_nonzero,
                .name = "count_nonzero",
                .device_name = "foldtune::CountNonzero<{T}, {A}>",
                .accumulators = AccumulatorRule::count,
                .warp_fold = WarpFold::word},
    OperatorRow{.op = Operator::sum_of_squares,
                .name = "sum_of_squares",
                .device_name = "foldtune::SumOfSquares<{T}, {A}>",
                .accumulators = AccumulatorRule::arithmetic,
                .rounds = true,
                .warp_fold = WarpFold::word},
    OperatorRow{.op = Operator::asum,
                .name = "asum",
                .device_name = "foldtune::Asum<{T}, {A}>",
                .accumulators = AccumulatorRule::arithmetic,
                .rounds = true,
                .warp_fold = WarpFold::word},
    OperatorRow{.op = Operator::nansum,
                .name = "nansum",
                .device_name = "foldtune::NanSum<{T}, {A}>",
                .accumulators = AccumulatorRule::arithmetic,
                .rounds = true,
                .warp_fold = WarpFold::word},
    OperatorRow{.op = Operator::nrm2,
                .name = "nrm2",
                .device_name = "foldtune::Nrm2<{T}, {A}>",
                .accumulators = AccumulatorRule::real,
                .layout = Layout::wide,
                .rounds = true,
                .finishes = true,
                .warp_fold = WarpFold::wide},
    OperatorRow{.op = Operator::absmax,
                .name = "absmax",
                .device_name = "foldtune::AbsMax<{T}, {A}, {N}>",
                .compares = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::argabsmax,
                .name = "argabsmax",
                .device_name = "foldtune::ArgAbsMax<{T}, {A}, {I}, {N}>",
                .layout = Layout::indexed,
                .shape = ResultShape::indexed_value,
                .has_empty_result = false,
                .compares = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::dot,
                .name = "dot",
                .device_name = "foldtune::Dot<{T}, {A}>",
                .accumulators = AccumulatorRule::arithmetic,
                .inputs = 2,
                .rounds = true,
                .warp_fold = WarpFold::word},
    OperatorRow{.op = Operator::mean,
                .name = "mean",
                .device_name = "foldtune::Mean<{T}, {A}>",
                .accumulators = AccumulatorRule::real,
                .layout = Layout::wide,
                .rounds = true,
                .finishes = true,
                .has_empty_result = false},
    OperatorRow{.op = Operator::variance,
                .name = "variance",
                .device_name = "foldtune::Variance<{T}, {A}, {I}, {D}>",
                .accumulators = AccumulatorRule::real,
                .layout = Layout::moments,
                .rounds = true,
                .finishes = true,
                .has_empty_result = false,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::stddev,
                .name = "stddev",
                .device_name = "foldtune::StdDev<{T}, {A}, {I}, {D}>",
                .accumulators = AccumulatorRule::real,
                .layout = Layout::moments,
                .rounds = true,
                .finishes = true,
                .has_empty_result = false,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::logsumexp,
                .name = "logsumexp",
                .device_name = "foldtune::LogSumExp<{T}, {A}>",
                .accumulators = AccumulatorRule::real,
                .layout = Layout::pair,
                .rounds = true,
                .finishes = true,
                .warp_fold = WarpFold::any},
    OperatorRow{.op = Operator::custom, .name = "custom", .device_name = "", .rounds = true},
};

// The last row is of no operator with a name of its own.
constexpr auto kOperators = column<kOperatorRows.size() - 1>(kOperatorRows, &OperatorRow::op);
constexpr auto kOperatorNames = column<kOperatorRows.size()>(kOperatorRows, &OperatorRow::name);

constexpr const OperatorRow& row(Operator op) { return row_of(kOperatorRows, op); }
static_assert(has_rows_in_order(kOperatorRows, &OperatorRow::op));

/// As kMayLeaveRange in wide_sums.cuh.
bool may_leave_range(const Reduction& reduction) {
  const ElementType accumulator = reduction.accumulator_type();
  return is_floating(reduction.type) &&
         (reduction.type == accumulator || (reduction.type == bf16 && accumulator == f32));
}

/// Bytes that a number of a partial result takes: registers hold no less than 4.
std::size_t held_bytes(ElementType type) { return std::max<std::size_t>(4, size_of(type)); }

}  // namespace

std::string_view name(Operator op) { return row(op).name; }
std::optional<Operator> parse_operator(std::string_view text) {
  return parse_name<Operator>(kOperatorNames, text);
}
std::span<const std::string_view> operator_names() { return kOperatorNames; }
std::span<const Operator> operators() { return kOperators; }

int input_count(Operator op) { return row(op).inputs; }
ResultShape result_shape(Operator op) { return row(op).shape; }
bool has_empty_result(Operator op) { return row(op).has_empty_result; }
bool takes(Operator op, ElementType element) {
  return !(row(op).integers_only && is_floating(element));
}
bool has_nan_policy(Operator op) { return row(op).compares; }
bool has_ddof(Operator op) { return row(op).device_name.find("{D}") != std::string_view::npos; }

bool depends_on_order(Operator op, ElementType accumulator) {
  return row(op).rounds && is_floating(accumulator);
}

std::vector<ElementType> accumulators(Operator op, ElementType element) {
  if (!takes(op, element)) return {};
  const bool is_f64 = element == f64;
  switch (row(op).accumulators) {
    case AccumulatorRule::arithmetic:
      if (is_floating(element)) return is_f64 ? std::vector{f64} : std::vector{f32, f64};
      if (is_signed(element)) {
        return size_of(element) == 8 ? std::vector{i64, f64} : std::vector{i64, i32, f64};
      }
      return size_of(element) == 8 ? std::vector{u64, f64} : std::vector{u64, u32, f64};
    case AccumulatorRule::real:
      return is_f64 || !is_floating(element) ? std::vector{f64} : std::vector{f32, f64};
    case AccumulatorRule::truth:
      return {u8};
    case AccumulatorRule::count:
      return {u64, u32};
    case AccumulatorRule::element:
      break;
  }
  return {element};
}

ElementType default_accumulator(Operator op, ElementType element) {
  const std::vector<ElementType> legal = accumulators(op, element);
  return legal.empty() ? element : legal.front();
}

std::string device_operator(const Reduction& reduction, bool wide) {
  using namespace fmt::literals;
  if (reduction.op == Operator::custom) return "foldtune::CustomOperator";
  return fmt::format(fmt::runtime(row(reduction.op).device_name),
                     "T"_a = device_name(reduction.type),
                     "A"_a = device_name(reduction.accumulator_type()),
                     "I"_a = wide ? "foldtune::uint64" : "foldtune::uint32",
                     "N"_a = fmt::format("foldtune::NanPolicy::{}", name(reduction.nan_policy)),
                     "D"_a = reduction.ddof);
}

std::string operator_file(Operator op) {
  return fmt::format("templates/device/operators/{}.cuh", name(op));
}

std::size_t accumulator_bytes(const Reduction& reduction, bool wide) {
  if (reduction.op == Operator::custom) return reduction.custom->accumulator_bytes();
  const std::size_t number = held_bytes(reduction.accumulator_type());
  const std::size_t index = wide ? 8 : number;
  switch (row(reduction.op).layout) {
    case Layout::indexed:
      return 2 * std::max(number, index);
    case Layout::pair:
      return 2 * number;
    case Layout::wide:
      return may_leave_range(reduction) ? 2 * number : number;
    case Layout::moments:
      return 4 * number + index;
    case Layout::number:
      break;
  }
  return number;
}

bool can_combine_atomically(const Reduction& reduction) {
  if (reduction.op == Operator::custom) {
    const CustomOperator& custom = *reduction.custom;
    return custom.accumulator.size() == 1 && custom.finish == "a" &&
           custom.accumulator[0].type == custom.result && size_of(custom.result) >= 4;
  }
  const OperatorRow& r = row(reduction.op);
  const ElementType accumulator = reduction.accumulator_type();
  return r.layout == Layout::number && !r.finishes && size_of(accumulator) >= 4 &&
         reduction.result_type() == accumulator;
}

bool has_warp_fold(const Reduction& reduction) {
  const ElementType accumulator = reduction.accumulator_type();
  switch (row(reduction.op).warp_fold) {
    case WarpFold::none:
      return false;
    case WarpFold::word:
      return !is_floating(accumulator) && held_bytes(accumulator) == sizeof(std::uint32_t);
    case WarpFold::wide:
      return may_leave_range(reduction);
    case WarpFold::any:
      break;
  }
  return true;
}

}  // namespace foldtune
