/// Folds of what a thread has loaded: rows of consecutive elements, some of them a tile.
#pragma once

#include "templates/device/packed.cuh"
#include "templates/device/words.cuh"
#include "templates/device/zero_test.cuh"

namespace foldtune {

/// `kWidth` consecutive elements of every input.
template <int kWidth, class... Ts>
struct Row {
  static constexpr bool kIsEmpty = true;
};
template <int kWidth, class T, class... Rest>
struct Row<kWidth, T, Rest...> {
  static constexpr bool kIsEmpty = false;
  Pack<T, kWidth> first;
  Row<kWidth, Rest...> rest;
};

/// The partial result of element `kElement` of a row, whose number in the input is `index`.
template <class Op, int kElement, class RowType, class Index, class... Elements>
FOLDTUNE_DEVICE auto map_element(const RowType& row, Index index, Elements... elements) {
  if constexpr (RowType::kIsEmpty) {
    return Op::map(elements..., index);
  } else {
    return map_element<Op, kElement>(row.rest, index, elements...,
                                     load_number(row.first.elements[kElement]));
  }
}

/// Folds `kCount` elements (a power of two) of a row from `kFirst` on as a balanced tree: no long
/// chain of dependent operations, and an error that grows with the tree's depth.
template <class Op, int kFirst, int kCount, class RowType, class Index>
FOLDTUNE_DEVICE auto fold_row(const RowType& row, Index index) {
  if constexpr (kCount == 1) {
    return map_element<Op, kFirst>(row, static_cast<Index>(index + kFirst));
  } else {
    constexpr int kHalf = kCount / 2;
    return Op::combine(fold_row<Op, kFirst, kHalf>(row, index),
                       fold_row<Op, kFirst + kHalf, kHalf>(row, index));
  }
}

/// The same for `kCount` rows, `step` elements apart.
template <class Op, int kCount, int kWidth, class RowType, class Index>
FOLDTUNE_DEVICE auto fold_rows(const RowType* rows, Index index, Index step) {
  if constexpr (kCount == 1) {
    return fold_row<Op, 0, kWidth>(rows[0], index);
  } else {
    constexpr int kHalf = kCount / 2;
    return Op::combine(
        fold_rows<Op, kHalf, kWidth>(rows, index, step),
        fold_rows<Op, kHalf, kWidth>(rows + kHalf, static_cast<Index>(index + kHalf * step), step));
  }
}

/// The partial result of a row, a word after the other.
template <class Packed, class RowType>
FOLDTUNE_DEVICE auto fold_packed_row(const RowType& row) {
  using Vector = Words<decltype(row.first)>;
  const Vector x = Vector::of(row.first);
  if constexpr (decltype(row.rest)::kIsEmpty) {
    auto partial = Packed::of(x.words[0]);
    FOLDTUNE_UNROLL
    for (uint32 i = 1; i < Vector::kCount; ++i) partial = Packed::add(partial, x.words[i]);
    return partial;
  } else {
    const Vector y = Vector::of(row.rest.first);
    auto partial = Packed::of(x.words[0], y.words[0]);
    FOLDTUNE_UNROLL
    for (uint32 i = 1; i < Vector::kCount; ++i) {
      partial = Packed::add(partial, x.words[i], y.words[i]);
    }
    return partial;
  }
}

/// The same for `kCount` rows, as a tree.
template <class Packed, int kCount, class RowType>
FOLDTUNE_DEVICE auto fold_packed_rows(const RowType* rows) {
  if constexpr (kCount == 1) {
    return fold_packed_row<Packed>(rows[0]);
  } else {
    constexpr int kHalf = kCount / 2;
    return Packed::combine(fold_packed_rows<Packed, kHalf>(rows),
                           fold_packed_rows<Packed, kHalf>(rows + kHalf));
  }
}

/// Whether the operator folds many elements at once: one that is dear to combine.
template <class Op>
inline constexpr bool kFoldsMany = requires {
  Op::template of_many<1>(static_cast<const typename Op::Number*>(nullptr));
};

/// The fold of `kCount` rows of `kWidth` elements, `step` elements apart, the first of which is
/// element number `index`: packed where that is possible, and of many at once for an operator that
/// has `of_many`.
template <class Op, int kCount, int kWidth, class RowType, class Index>
FOLDTUNE_DEVICE typename Op::Accumulator fold_tile(const RowType* rows, Index index, Index step) {
  if constexpr (PackedFold<Op>::kExists && sizeof(rows->first) % sizeof(uint32) == 0) {
    return PackedFold<Op>::widen(fold_packed_rows<PackedFold<Op>, kCount>(rows));
  } else if constexpr (kFoldsMany<Op>) {
    typename Op::Number numbers[kCount * kWidth];
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount * kWidth; ++i) {
      numbers[i] = static_cast<typename Op::Number>(
          load_number(rows[i / kWidth].first.elements[i % kWidth]));
    }
    return Op::template of_many<kCount * kWidth>(numbers);
  } else {
    return fold_rows<Op, kCount, kWidth>(rows, index, step);
  }
}

/// Whether rows of vectors of bytes are searched a word at a time for the extreme that Op prefers.
template <class Op, class Vector>
inline constexpr bool kIsSearchedByWord =
    sizeof(Vector::elements[0]) == 1 &&
    sizeof(Vector) % sizeof(uint32) == 0 && PackedFold<typename Op::Value>::kExists;

/// The first byte of the rows that `best` is of: bytes are compared with it a word at a time.
template <class Op, int kCount, class RowType, class Index>
FOLDTUNE_DEVICE auto find_byte(const RowType* rows, typename Op::Number best, Index index,
                               Index step) {
  using Vector = Words<decltype(RowType::first)>;
  using Test = ZeroTest<uint8>;
  const uint32 wanted = (static_cast<uint32>(best) & 0xffu) * kOneInEveryByte;
  Index offset = 0;
  uint32 found = 0;
  FOLDTUNE_UNROLL
  for (int row = kCount - 1; row >= 0; --row) {
    const Vector vector = Vector::of(rows[row].first);
    FOLDTUNE_UNROLL
    for (int i = Vector::kCount - 1; i >= 0; --i) {
      const uint32 values = PackedFold<typename Op::Value>::of(vector.words[i]).odd;
      const uint32 equal = Test::tops(values ^ wanted) ^ Test::kTops;
      offset = equal != 0 ? static_cast<Index>(row * step + i * 4) : offset;
      found = equal != 0 ? equal : found;
    }
  }
  using A = typename Op::Accumulator;
  return found == 0 ? Op::identity()
                    : A::of(best, index + offset + platform::lowest_bit(found) / 8);
}

/// All elements of a tile: what is_in(row, i) says of them.
struct AllOfTile {
  FOLDTUNE_DEVICE bool operator()(int, int) const { return true; }
};

/// The first element of the rows that `best` is of, among those that `is_in(row, i)` is true of,
/// one after the other.
template <class Op, int kCount, int kWidth, class RowType, class Index, class IsIn = AllOfTile>
FOLDTUNE_DEVICE auto find_each(const RowType* rows, typename Op::Number best, Index index,
                               Index step, const IsIn& is_in = {}) {
  constexpr Index kNone = ~Index{0};
  Index offset = kNone;
  auto value = best;  // of zeros, it may have another sign than the first one; of NaNs, other bits
  FOLDTUNE_UNROLL
  for (int row = kCount - 1; row >= 0; --row) {
    FOLDTUNE_UNROLL
    for (int i = kWidth - 1; i >= 0; --i) {
      const auto x = load_number(rows[row].first.elements[i]);
      const bool is_best = Op::is_at(x, best);
      const bool is_one = is_in(row, i);
      const bool is_at = is_best & is_one;
      offset = is_at ? static_cast<Index>(row * step + i) : offset;
      value = is_at ? Op::Value::map(x, 0) : value;
    }
  }
  using A = typename Op::Accumulator;
  return offset == kNone ? Op::identity() : A::of(value, index + offset);
}

/// The first element of the rows that `best` is of, and its index; the identity if there is none.
template <class Op, int kCount, int kWidth, class RowType, class Index>
FOLDTUNE_DEVICE auto find_element(const RowType* rows, typename Op::Number best, Index index,
                                  Index step) {
  if constexpr (kIsSearchedByWord<Op, decltype(RowType::first)>) {
    return find_byte<Op, kCount>(rows, best, index, step);
  } else {
    return find_each<Op, kCount, kWidth>(rows, best, index, step);
  }
}

/// `total` and the rows whose best value is `best`, of which it may be that none is new. Their
/// elements have ascending numbers, which are above those of all elements of `total`: so indices
/// are looked at only where `best` is better than the total's value, which is seldom.
template <class Op, int kCount, int kWidth, class RowType, class Index>
FOLDTUNE_DEVICE typename Op::Accumulator add_best(const typename Op::Accumulator& total,
                                                  typename Op::Number best, bool is_there,
                                                  const RowType* rows, Index index, Index step) {
  const bool is_nowhere = total.index == Op::kNowhere;
  const bool is_better = Op::is_preferred(best, total.value);
  if (!(is_there & (is_nowhere | is_better))) return total;
  return find_element<Op, kCount, kWidth>(rows, best, index, step);
}

/// Whether an operator finds an element in rows that come in ascending order.
template <class Op, bool kAscending>
inline constexpr bool kFindsInOrder = kAscending&& requires {
  typename Op::Value;
};

/// `total` and a tile. `kAscending` says that the tile's elements have ascending numbers, which are
/// above those of all elements of `total`.
template <class Op, bool kAscending, int kCount, int kWidth, class RowType, class Index>
FOLDTUNE_DEVICE typename Op::Accumulator add_tile(const typename Op::Accumulator& total,
                                                  const RowType* rows, Index index, Index step) {
  if constexpr (kFindsInOrder<Op, kAscending>) {
    const auto best = fold_tile<typename Op::Value, kCount, kWidth>(rows, index, step);
    return add_best<Op, kCount, kWidth>(total, best, true, rows, index, step);
  } else {
    return Op::combine(total, fold_tile<Op, kCount, kWidth>(rows, index, step));
  }
}

/// The fold of the first `valid` of `kCount` rows, as a tree.
template <class Op, int kCount, int kWidth, class RowType, class Index>
FOLDTUNE_DEVICE typename Op::Accumulator fold_valid_rows(const RowType* rows, int32 valid,
                                                         Index index, Index step) {
  if constexpr (kCount == 1) {
    const auto row = fold_tile<Op, 1, kWidth>(rows, index, step);
    return valid > 0 ? row : Op::identity();
  } else {
    constexpr int kHalf = kCount / 2;
    return Op::combine(
        fold_valid_rows<Op, kHalf, kWidth>(rows, valid, index, step),
        fold_valid_rows<Op, kHalf, kWidth>(rows + kHalf, valid - kHalf,
                                           static_cast<Index>(index + kHalf * step), step));
  }
}

/// `total` and the first `valid` of `kCount` rows: as many at a time as the binary digits of
/// `valid` say. Those that are left move to the front, so that each digit has its code once.
template <class Op, int kCount, int kWidth, class RowType, class Index>
FOLDTUNE_DEVICE typename Op::Accumulator add_digits(typename Op::Accumulator total, RowType* rows,
                                                    int32 valid, Index index, Index step) {
  if (valid & kCount) {
    total = Op::combine(total, fold_tile<Op, kCount, kWidth>(rows, index, step));
    if constexpr (kCount > 1) index += kCount * step;
    FOLDTUNE_UNROLL
    for (int i = 0; i < kCount - 1; ++i) rows[i] = rows[i + kCount];
  }
  if constexpr (kCount == 1) {
    return total;
  } else {
    return add_digits<Op, kCount / 2, kWidth>(total, rows, valid, index, step);
  }
}

/// `total` and the first `valid` of `kCount` rows (a power of two), as `add_tile` takes them; the
/// others hold copies of the input's last row. There is no condition for each row: a thread has too
/// few predicates for that, so that some rows would be loaded late. What is dear to combine is
/// folded in large parts.
template <class Op, bool kAscending, int kCount, int kWidth, class RowType, class Index>
FOLDTUNE_DEVICE typename Op::Accumulator add_valid_rows(const typename Op::Accumulator& total,
                                                        RowType* rows, int32 valid, Index index,
                                                        Index step) {
  if constexpr (kFindsInOrder<Op, kAscending>) {
    // Those that repeat one come last, and the first with the best value is found.
    const auto best = fold_valid_rows<typename Op::Value, kCount, kWidth>(rows, valid, index, step);
    return add_best<Op, kCount, kWidth>(total, best, valid > 0, rows, index, step);
  } else if constexpr (!kFoldsMany<Op>) {
    return Op::combine(total, fold_valid_rows<Op, kCount, kWidth>(rows, valid, index, step));
  } else if constexpr (kCount == 1) {
    return add_digits<Op, 1, kWidth>(total, rows, valid, index, step);
  } else if (valid >= kCount) {
    return Op::combine(total, fold_tile<Op, kCount, kWidth>(rows, index, step));
  } else {
    return add_digits<Op, kCount / 2, kWidth>(total, rows, valid, index, step);
  }
}

}  // namespace foldtune
