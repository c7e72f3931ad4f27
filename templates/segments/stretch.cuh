/// Folds of stretches, elements that follow one another and begin anywhere.
///
///     memory   | vector | vector | vector | vector |
///     stretch      ~~~~~~~~~~~~~~~~~~~~~            elements beside it are loaded, and left out
///
/// Vectors lie at multiples of their size, so that a stretch is read by one kind of load, and the
/// threads of a warp take the same way with stretches of different lengths. No vector is loaded
/// that is not wholly within the input: elements in parts of vectors at its ends are loaded one by
/// one.
#pragma once

#include "templates/fold/pieces.cuh"
#include "templates/fold/some.cuh"

namespace foldtune {

/// The inputs as vectors at multiples of their size. Places are counted from a vector that begins
/// with the first input or less than a vector before it.
template <class Inputs, class Index, int kWidth>
struct VectorView;
template <class T, class... Rest, class Index, int kWidth>
struct VectorView<TypeList<T, Rest...>, Index, kWidth> {
  using Vector = Pack<T, kWidth>;
  using Element = RowSource<1, true, T, Rest...>;
  using RowType = Row<kWidth, T, Rest...>;

  Element elements;
  const T* first;
  RowSource<kWidth, false, Rest...> rest;  // may be misaligned in another way
  uint32 shift;  ///< elements from the first place to the inputs' first element
  Index end;     ///< the vector after the last one that is wholly within the inputs

  static FOLDTUNE_DEVICE VectorView of(const void* const* inputs, uint64 count) {
    const auto address = reinterpret_cast<uint64>(inputs[0]);
    const auto shift = static_cast<uint32>(address / sizeof(T) % kWidth);
    const auto start = -static_cast<int64>(shift);
    return {Element::at(inputs, 0), static_cast<const T*>(inputs[0]) + start,
            RowSource<kWidth, false, Rest...>::at(inputs + 1, start), shift,
            static_cast<Index>((count + shift) / kWidth)};
  }

  /// Vector `i`. It stays in the L1, for the next segment often has elements in it.
  FOLDTUNE_DEVICE RowType load(Index i) const {
    if constexpr (sizeof(Vector) % sizeof(uint32) == 0) {
      using WordVector = Pack<uint32, sizeof(Vector) / sizeof(uint32)>;
      return {bit_cast<Vector>(reinterpret_cast<const WordVector*>(first)[i]), rest.load(i)};
    } else {
      return {reinterpret_cast<const Vector*>(first)[i], rest.load(i)};
    }
  }

  /// The first vector that is wholly within the inputs.
  FOLDTUNE_DEVICE Index begin() const { return shift > 0 ? 1 : 0; }
  FOLDTUNE_DEVICE bool has_vectors() const { return begin() < end; }
};

/// The share of one of `kThreads` threads, which take the vectors of a stretch in turn, `kUnroll`
/// at a time.
template <class View, class Index, int kWidth, int kUnroll, int kThreads>
struct Stretch {
  using RowType = typename View::RowType;

  const View& view;
  Index begin;   ///< the first element, of the inputs'
  Index count;   ///< of elements
  Index number;  ///< that the first element has
  uint32 own;    ///< the thread

  /// The vectors of a view in which a stretch has elements.
  struct Vectors {
    Index first;  ///< any vector of the view, where there are none
    Index count;
    Index number;  ///< of the first one's first element; wrapped where it is before the stretch
    Index end;     ///< the number of the element of the stretch that comes after them
  };
  FOLDTUNE_DEVICE Vectors vectors() const {
    const Index from = begin + view.shift;
    Index first = from / kWidth;
    Index last = (from + count + (kWidth - 1)) / kWidth;
    if (first < view.begin()) first = view.begin();
    if (last > view.end) last = view.end;
    const bool is_any = first < last;
    const Index end = last * kWidth - from;
    return {is_any ? first : view.begin(), is_any ? last - first : Index{0}, first * kWidth - from,
            !is_any       ? Index{0}
            : end < count ? end
                          : count};
  }

  /// Loads the thread's vectors from its number `i` on. Where the stretch has none, another one of
  /// the view is loaded, and left out: a condition around each load would make them wait for each
  /// other.
  FOLDTUNE_DEVICE void load(const Vectors& taken, Index i, RowType* rows) const {
    const Index most = taken.count > 0 ? taken.count - 1 : Index{0};
    FOLDTUNE_UNROLL
    for (uint32 j = 0; j < kUnroll; ++j) {
      const Index at = i + j * kThreads;
      rows[j] = view.load(static_cast<Index>(taken.first + (at < most ? at : most)));
    }
  }

  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold() const {
    const Vectors taken = vectors();
    typename F::Accumulator total = F::identity();
    FOLDTUNE_ROLL
    for (Index i = own; i < taken.count; i += kUnroll * kThreads) {
      RowType rows[kUnroll];
      load(taken, i, rows);
      add_vectors<F, /*kMayBegin=*/true, /*kMayBeWhole=*/true>(total, taken, i, rows);
    }
    add_ends<F>(total, taken);
    return total;
  }
  /// The same where the thread's first vectors are loaded. There is no condition around what is
  /// done with them, or the compiler would load them behind it.
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold_loaded(const Vectors& taken, RowType* rows) const {
    typename F::Accumulator total = F::identity();
    add_vectors<F, /*kMayBegin=*/true, /*kMayBeWhole=*/false>(total, taken, own, rows);
    FOLDTUNE_ROLL
    for (Index i = own + kUnroll * kThreads; i < taken.count; i += kUnroll * kThreads) {
      load(taken, i, rows);
      add_vectors<F, /*kMayBegin=*/false, /*kMayBeWhole=*/true>(total, taken, i, rows);
    }
    add_ends<F>(total, taken);
    return total;
  }
  /// The same of the same elements, in few instructions, for where it is seldom needed.
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold_each() const {
    const Vectors taken = vectors();
    typename F::Accumulator total = F::identity();
    FOLDTUNE_ROLL
    for (Index i = own; i < taken.count; i += kThreads) {
      FOLDTUNE_ROLL
      for (uint32 j = 0; j < kWidth; ++j) {
        const Index at = taken.number + i * kWidth + j;
        if (at < taken.end) add_element<F>(total, at);
      }
    }
    add_ends<F>(total, taken);
    return total;
  }

 private:
  /// Where elements of the stretch are in a thread's vectors.
  struct Extent {
    int32 before;        ///< elements of the first vector that come before the stretch
    int32 end[kUnroll];  ///< of each vector, the element after the last one

    FOLDTUNE_DEVICE bool operator()(int vector, int i) const {
      return (vector > 0 || i >= before) && i < end[vector];
    }
    FOLDTUNE_DEVICE bool is_whole(int vector) const {
      return (vector > 0 || before <= 0) && end[vector] >= kWidth;
    }
  };

  /// The elements of a thread's vectors from its number `i` on that belong to the stretch.
  /// `kMayBegin` says that the first one may be the one in which it begins, `kMayBeWhole` that it
  /// is worth asking whether all of them are in it.
  template <class F, bool kMayBegin, bool kMayBeWhole>
  FOLDTUNE_DEVICE void add_vectors(typename F::Accumulator& total, const Vectors& taken, Index i,
                                   const RowType* rows) const {
    constexpr Index kStep = kThreads * kWidth;
    const auto first = static_cast<Index>(taken.number + i * kWidth);
    // Where it is wrapped, so are the differences. Numbers of 32 bits are less than 2^31.
    Extent extent{kMayBegin ? at_most_width(Index{0} - first) : 0, {}};
    FOLDTUNE_UNROLL
    for (uint32 j = 0; j < kUnroll; ++j) {
      extent.end[j] = at_most_width(static_cast<Index>(taken.end - first - j * kStep));
    }
    const auto index = static_cast<Index>(number + first);
    if constexpr (kMayBeWhole) {
      if (extent.is_whole(0) && extent.is_whole(kUnroll - 1)) {
        total = add_tile<F, true, kUnroll, kWidth>(total, rows, index, kStep);
        return;
      }
    }
    if constexpr (kTakesWords<F>) {
      FOLDTUNE_UNROLL
      for (uint32 j = 0; j < kUnroll; ++j) {
        const auto at = static_cast<Index>(index + j * kStep);
        if (extent.is_whole(j)) {
          total = add_tile<F, true, 1, kWidth>(total, rows + j, at, kStep);
        } else {
          const auto is_in = [&](int, int element) { return extent(j, element); };
          total = add_some<F, 1, kWidth>(total, rows + j, is_in, at, kStep);
        }
      }
    } else {
      total = add_some<F, kUnroll, kWidth>(total, rows, extent, index, kStep);
    }
  }
  /// A difference, as far as it matters to a vector.
  static FOLDTUNE_DEVICE int32 at_most_width(Index difference) {
    if constexpr (sizeof(Index) == sizeof(int32)) {
      return static_cast<int32>(difference);
    } else {
      const auto value = static_cast<int64>(difference);
      return value < -kWidth ? -kWidth : value > kWidth ? kWidth : static_cast<int32>(value);
    }
  }

  /// The elements that are in no vector.
  template <class F>
  FOLDTUNE_DEVICE void add_ends(typename F::Accumulator& total, const Vectors& taken) const {
    const Index before = taken.number < kWidth ? taken.number : Index{0};
    if (before == 0 && taken.end == count) [[likely]]
      return;
    FOLDTUNE_ROLL
    for (Index i = own; i < count; i += kThreads) {
      if (i < before || i >= taken.end) add_element<F>(total, i);
    }
  }
  template <class F>
  FOLDTUNE_DEVICE void add_element(typename F::Accumulator& total, Index i) const {
    const auto row = view.elements.load(static_cast<Index>(begin + i));
    total = F::combine(total, fold_row<F, 0, 1>(row, static_cast<Index>(number + i)));
  }
};

/// A stretch whose first vectors are loaded, as fold_walk takes it.
template <class StretchType>
struct LoadedStretch {
  StretchType stretch;
  typename StretchType::Vectors vectors;
  typename StretchType::RowType* rows;

  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold() const {
    return stretch.template fold_loaded<F>(vectors, rows);
  }
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold_each() const {
    return stretch.template fold_each<F>();
  }
};

}  // namespace foldtune
