/// What is to be reduced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foldtune/catalog.h"

namespace foldtune {

/// A reduction of `count` elements. A value type; the defaults are those of the semantics.
struct Problem {
  Operator op = Operator::sum;
  ElementType type = ElementType::f32;
  /// The type of partial results and of the result; empty: `default_accumulator(op, type)`.
  std::optional<ElementType> accumulator = std::nullopt;
  /// Elements, up to 2^40. A reducer is made for any count and takes it with each call.
  std::uint64_t count = 0;
  Alignment alignment = Alignment::vector;
  Determinism determinism = Determinism::run_to_run;

  ElementType accumulator_type() const {
    return accumulator.value_or(default_accumulator(op, type));
  }
  std::uint64_t input_bytes() const { return count * size_of(type); }
};

/// The most elements that a reduction takes.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;

/// log2 of the count, rounded to the nearest integer; 0 for an empty input. Tuning results are
/// kept, and looked up, by size class.
int size_class(std::uint64_t count);

/// "sum f32 2^20", "max i32 1000003".
std::string to_string(const Problem& problem);

/// Empty if the problem can be reduced, else what is wrong with it.
std::string find_fault(const Problem& problem);

}  // namespace foldtune
