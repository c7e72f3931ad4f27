/// What is to be reduced: the problems of the family `reduce`, typed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foldtune/catalog.h"
#include "foldtune/custom.h"
#include "foldtune/export.h"
#include "foldtune/workload.h"

namespace foldtune {

/// A reduction of `count` elements. A value type; the defaults are those of the semantics.
struct FOLDTUNE_API Reduction {
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

  /// `accumulator`, or its default.
  ElementType accumulator_type() const {
    return accumulator.value_or(default_accumulator(op, type));
  }
  ElementType result_type() const;               ///< `result`, or its default
  std::vector<ElementType> input_types() const;  ///< the elements' type, one for each input
  std::uint64_t input_bytes() const;             ///< of all inputs, `count` elements each
  std::size_t result_bytes() const;              ///< of the output
  std::size_t output_alignment() const;  ///< bytes that the output's address is a multiple of

  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): the same, as data
  operator Problem() const;   ///< without count and alignment
  operator Workload() const;  ///< with both
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)
};

/// @{
/// The inverse, of a problem of the family `reduce`; of another one it throws std::logic_error.
FOLDTUNE_API Reduction reduction_of(const Problem& problem);
FOLDTUNE_API Reduction reduction_of(const Workload& workload);
/// @}

/// A custom operator as a reduction. Checks nothing: Context::reducer does.
FOLDTUNE_API Reduction make_reduction(CustomOperator op);

/// @{
/// Those of Workload.
FOLDTUNE_API std::string to_string(const Reduction& reduction);
FOLDTUNE_API std::string find_fault(const Reduction& reduction);
/// @}

/// Whether the order in which partial results are combined can change the result's bits.
FOLDTUNE_API bool depends_on_order(const Reduction& reduction);

}  // namespace foldtune
