/// How the references fold: numbers of the host, and all elements of the inputs on all cores.
///
/// An oracle folds elements, given as numbers of type N: 64-bit integers or long double.
///
///     Oracle(reduction)
///     add(i, x)      element x with its index; of two inputs add(i, x, y). In ascending order.
///     merge(next)    what was added to `next` comes after what was added to this one
///     reference()
#pragma once

#include <array>
#include <cmath>

#include "templates/fold/judge/reference_row.h"
#include "tuner/verify/elements.h"

namespace foldtune {

/// What integers are added and multiplied as, so that they wrap.
template <class N>
auto wrapping(N number) {
  if constexpr (std::is_integral_v<N>) {
    return static_cast<std::uint64_t>(number);
  } else {
    return number;
  }
}

/// What the device stores for `value` in a result of `type`.
template <class N>
Number stored(N value, ElementType type) {
  using Source = std::conditional_t<std::is_integral_v<N>, N, double>;
  return with_type(type, [&](auto zero) {
    return to_number(exact(store_number<decltype(zero)>(static_cast<Source>(value))));
  });
}

/// The result of an integer accumulator that wrapped around.
inline Number stored_integer(const Reduction& reduction, std::uint64_t value) {
  const ElementType accumulator = reduction.accumulator_type();
  const std::uint64_t wrapped = stored(value, accumulator).integer;
  return is_signed(accumulator)
             ? stored(static_cast<std::int64_t>(wrapped), reduction.result_type())
             : stored(wrapped, reduction.result_type());
}

/// A sum with what its roundings lost, by Knuth's TwoSum, which needs no branch: its error does not
/// grow with the count. In long double, so that it is wide also for f64.
class CompensatedSum {
 public:
  void add(long double value) {
    const long double sum = sum_ + value;
    const long double added = sum - sum_;
    lost_ += (sum_ - (sum - added)) + (value - added);
    sum_ = sum;
  }
  void add(const CompensatedSum& other) {
    add(other.sum_);
    lost_ += other.lost_;
  }
  /// An infinity or NaN stays what it is: what it lost is NaN.
  long double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  long double sum_ = 0;
  long double lost_ = 0;
};

/// The most inputs of an operator with a name.
constexpr std::size_t kMaxNamedInputs = 2;

/// Elements that are turned into numbers at a time: few enough to stay in the nearest cache.
constexpr std::size_t kBatch = 512;

/// Numbers for `count` elements from `first` on.
template <class N>
using Decoder = void (*)(const std::byte* elements, std::uint64_t first, std::size_t count,
                         N* numbers);
template <class N>
Decoder<N> find_decoder(ElementType type) {
  return with_type(type, [](auto zero) -> Decoder<N> {
    using T = decltype(zero);
    return [](const std::byte* elements, std::uint64_t first, std::size_t count, N* numbers) {
      const std::byte* const start = elements + first * sizeof(T);
      for (std::size_t i = 0; i < count; ++i) {
        numbers[i] = static_cast<N>(exact(read<T>(start + i * sizeof(T))));
      }
    };
  });
}

/// Adds the elements of every input from `begin` to `end` to `oracle`.
template <class N, class Oracle>
void add_elements(Oracle& oracle, ElementType type, InputArrays inputs, std::uint64_t begin,
                  std::uint64_t end) {
  const Decoder<N> decode = find_decoder<N>(type);
  std::array<std::array<N, kBatch>, kMaxNamedInputs> numbers;
  for (std::uint64_t first = begin; first < end; first += kBatch) {
    const std::size_t count = std::min<std::uint64_t>(kBatch, end - first);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      decode(static_cast<const std::byte*>(inputs[k]), first, count, numbers[k].data());
    }
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (requires { oracle.add(i, numbers[0][i], numbers[1][i]); }) {
        oracle.add(first + i, numbers[0][i], numbers[1][i]);
      } else {
        oracle.add(first + i, numbers[0][i]);
      }
    }
  }
}

template <class N, class Oracle>
Oracle fold_numbers(const Reduction& reduction, InputArrays inputs, const Oracle& empty) {
  std::vector<Oracle> parts(part_count(reduction.count), empty);
  for_each_part(reduction.count, parts.size(),
                [&](std::uint64_t begin, std::uint64_t end, std::size_t part) {
                  Oracle oracle = empty;  // of its own, not beside another thread's
                  add_elements<N>(oracle, reduction.type, inputs, begin, end);
                  parts[part] = oracle;
                });
  for (std::size_t part = 1; part < parts.size(); ++part) parts[0].merge(parts[part]);
  return parts[0];
}

template <template <class> class Oracle, class N>
Reference fold_as(const Reduction& reduction, InputArrays inputs) {
  return fold_numbers<N>(reduction, inputs, Oracle<N>(reduction)).reference();
}

/// The fold of the elements as the accumulator takes them: integers as integers, unless it is a
/// floating-point number.
template <template <class> class Oracle>
Reference fold(const Reduction& reduction, InputArrays inputs) {
  if (is_floating(reduction.type) || is_floating(reduction.accumulator_type())) {
    return fold_as<Oracle, long double>(reduction, inputs);
  }
  return is_signed(reduction.type) ? fold_as<Oracle, std::int64_t>(reduction, inputs)
                                   : fold_as<Oracle, std::uint64_t>(reduction, inputs);
}

}  // namespace foldtune
