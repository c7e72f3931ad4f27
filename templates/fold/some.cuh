/// Folds of some of the elements that a thread has loaded: those of which `is_in(row, i)` is true.
/// What is dear is done once for all of them, not under a condition for each, for lanes of a warp
/// would take it at odds.
#pragma once

#include "templates/fold/pieces.cuh"
#include "templates/fold/tile.cuh"

namespace foldtune {

/// Whether the operator folds rows a word at a time, which it can of whole ones alone.
template <class Op>
inline constexpr bool kTakesWords = PackedFold<Op>::kExists;
template <class Op>
requires requires { typename Op::Value; }
inline constexpr bool kTakesWords<Op> = PackedFold<typename Op::Value>::kExists;

/// `total` and some elements of `kCount` rows of `kWidth`, `step` elements apart, the first of
/// which is element number `index`. They have ascending numbers, which are above those of all
/// elements of `total`.
template <class Op, int kCount, int kWidth, class RowType, class IsIn, class Index>
FOLDTUNE_DEVICE typename Op::Accumulator add_some(typename Op::Accumulator total,
                                                  const RowType* rows, const IsIn& is_in,
                                                  Index index, Index step) {
  if constexpr (kFindsInOrder<Op, true>) {
    using Value = typename Op::Value;
    const auto best = add_some<Value, kCount, kWidth>(Value::identity(), rows, is_in, index, step);
    const bool is_nowhere = total.index == Op::kNowhere;
    const bool is_better = Op::is_preferred(best, total.value);
    if (!(is_nowhere | is_better)) return total;
    return find_each<Op, kCount, kWidth>(rows, best, index, step, is_in);
  } else if constexpr (kFoldsMany<Op>) {
    typename Op::Number numbers[kCount * kWidth];
    bool are_in[kCount * kWidth];
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount * kWidth; ++i) {
      numbers[i] = static_cast<typename Op::Number>(
          load_number(rows[i / kWidth].first.elements[i % kWidth]));
      are_in[i] = is_in(i / kWidth, i % kWidth);
    }
    return Op::combine(total, Op::template of_some<kCount * kWidth>(numbers, are_in));
  } else {
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount * kWidth; ++i) {
      if (is_in(i / kWidth, i % kWidth)) {
        const auto at = static_cast<Index>(index + i / kWidth * step + i % kWidth);
        total =
            Op::combine(total, fold_row<Op, 0, 1>(element_of(rows[i / kWidth], i % kWidth), at));
      }
    }
    return total;
  }
}

}  // namespace foldtune
