#include "tuner/reference.h"

#include <array>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>

#include "tuner/elements.h"
#include "tuner/reference_row.h"

namespace foldtune {
namespace {

/// What integers are added and multiplied as, so that they wrap.
template <class N>
auto wrapping(N number) {
  if constexpr (std::is_integral_v<N>) {
    return static_cast<std::uint64_t>(number);
  } else {
    return number;
  }
}

template <class N>
Number to_number(N value) {
  if constexpr (std::is_integral_v<N>) {
    return {.is_integer = true, .integer = static_cast<std::uint64_t>(value)};
  } else {
    return {.floating = value};
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
Number stored_integer(const Problem& problem, std::uint64_t value) {
  const ElementType accumulator = problem.accumulator_type();
  const std::uint64_t wrapped = stored(value, accumulator).integer;
  return is_signed(accumulator) ? stored(static_cast<std::int64_t>(wrapped), problem.result_type())
                                : stored(wrapped, problem.result_type());
}

/// Neumaier's compensated sum: its error does not grow with the count. In long double, so that it
/// is wide also for f64.
class CompensatedSum {
 public:
  void add(long double value) {
    const long double sum = sum_ + value;
    // An infinity or NaN stays what it is; its compensation would be NaN.
    if (std::isfinite(sum)) {
      lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    }
    sum_ = sum;
  }
  void add(const CompensatedSum& other) {
    add(other.sum_);
    lost_ += other.lost_;
  }
  long double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  long double sum_ = 0;
  long double lost_ = 0;
};

// An oracle folds elements, given as numbers of type N: 64-bit integers or long double.
//
//     Oracle(problem)
//     add(i, x)      element x with its index; of two inputs add(i, x, y). In ascending order.
//     merge(next)    what was added to `next` comes after what was added to this one
//     reference()

// What is folded of an element.
struct Itself {
  auto operator()(auto x) const { return x; }
};
struct AbsoluteValue {
  auto operator()(auto x) const {
    if constexpr (std::is_integral_v<decltype(x)>) {
      return x < 0 ? -wrapping(x) : wrapping(x);  // of the lowest, too
    } else {
      return std::fabs(x);
    }
  }
};
struct Square {
  auto operator()(auto x) const { return wrapping(x) * wrapping(x); }
};
struct ProductOfBoth {
  auto operator()(auto x, auto y) const { return wrapping(x) * wrapping(y); }
};
struct IsNonzero {
  std::uint64_t operator()(auto x) const { return x != 0 ? 1 : 0; }
};

/// The sum of Map of the elements. `kWraps`: they are integers.
template <class N, class Map, bool kWraps = std::is_integral_v<N>>
class Sum {
 public:
  explicit Sum(const Problem& problem) : problem_(&problem) {}

  template <class... Ns>
  requires std::invocable<Map, Ns...>
  void add(std::uint64_t, Ns... elements) {
    const auto value = wrapping(Map{}(elements...));
    if constexpr (kWraps) {
      wrapped_ += value;
    } else {
      sum_.add(value);
      magnitudes_ += std::fabs(value);
    }
  }
  void merge(const Sum& next) {
    wrapped_ += next.wrapped_;
    sum_.add(next.sum_);
    magnitudes_ += next.magnitudes_;
  }
  Reference reference() const {
    Reference result{.sum_of_magnitudes = magnitudes_};
    result.numbers[0] = kWraps ? stored_integer(*problem_, wrapped_) : to_number(sum_.value());
    return result;
  }

 private:
  const Problem* problem_;
  std::uint64_t wrapped_ = 0;
  CompensatedSum sum_;
  long double magnitudes_ = 0;
};
template <class N>
using SumOfElements = Sum<N, Itself>;
template <class N>
using SumOfSquares = Sum<N, Square>;
template <class N>
using SumOfMagnitudes = Sum<N, AbsoluteValue>;
template <class N>
using Dot = Sum<N, ProductOfBoth>;
template <class N>
using CountOfNonzero = Sum<N, IsNonzero, true>;

/// The sum of squared deviations from the mean, given a close one, and the largest magnitude.
class Deviations {
 public:
  Deviations(const Problem& problem, long double mean)
      : count_(static_cast<long double>(problem.count)), mean_(mean) {}

  void add(std::uint64_t, long double x) {
    deviations_.add(x - mean_);
    squares_.add((x - mean_) * (x - mean_));
    largest_ = std::max(largest_, std::fabs(x));
  }
  void merge(const Deviations& next) {
    deviations_.add(next.deviations_);
    squares_.add(next.squares_);
    largest_ = std::max(largest_, next.largest_);
  }
  Reference reference() const {
    const long double off = deviations_.value();  // what the mean was rounded by, times the count
    const long double squares = squares_.value() - off * off / count_;
    return {.largest_magnitude = largest_, .second_moment = squares < 0 ? 0 : squares};
  }

 private:
  long double count_;
  long double mean_;
  CompensatedSum deviations_;
  CompensatedSum squares_;
  long double largest_ = 0;
};

/// The sum of exp(x - max), with the greatest element known, and the largest magnitude.
class Exponentials {
 public:
  explicit Exponentials(long double max) : max_(max) {}

  void add(std::uint64_t, long double x) {
    sum_.add(x == max_ ? 1 : std::exp(x - max_));
    largest_ = std::max(largest_, std::fabs(x));
  }
  void merge(const Exponentials& next) {
    sum_.add(next.sum_);
    largest_ = std::max(largest_, next.largest_);
  }
  Reference reference() const {
    return {.numbers = {to_number(max_ + std::log(sum_.value()))}, .largest_magnitude = largest_};
  }

 private:
  long double max_;
  CompensatedSum sum_;
  long double largest_ = 0;
};

/// The product of the elements.
template <class N>
class ProductOfElements {
 public:
  explicit ProductOfElements(const Problem& problem) : problem_(&problem) {}

  void add(std::uint64_t, N x) {
    product_ *= wrapping(x);
    if constexpr (!std::is_integral_v<N>) factors_ += std::fabs(x) != 1;
  }
  void merge(const ProductOfElements& next) {
    product_ *= next.product_;
    factors_ += next.factors_;
  }
  Reference reference() const {
    Reference result{.factors = factors_};
    if constexpr (std::is_integral_v<N>) {
      result.numbers[0] = stored_integer(*problem_, product_);
    } else {
      result.numbers[0] = to_number(product_);
    }
    return result;
  }

 private:
  const Problem* problem_;
  decltype(wrapping(N{})) product_ = 1;
  std::uint64_t factors_ = 0;
};

enum class Extreme { least, greatest };

/// What zeros of different signs are to an operator that compares.
enum class Zeros { ordered, equal };

/// Whether `a` is the extreme one of two numbers. NaN is.
template <Extreme kExtreme, Zeros kZeros, class N>
bool wins(N a, N b) {
  constexpr bool kLeast = kExtreme == Extreme::least;
  if constexpr (!std::is_integral_v<N>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(b);
    if (kZeros == Zeros::ordered && a == b) {
      return std::signbit(a) != std::signbit(b) && std::signbit(a) == kLeast;
    }
  }
  return kLeast ? a < b : b < a;
}

/// The least or the greatest Map of an element, and the index of the first such element; all bits
/// set if there is none.
template <class N, Extreme kExtreme, Zeros kZeros = Zeros::ordered, class Map = Itself>
class ExtremeElement {
 public:
  using Value = decltype(Map{}(N{}));

  explicit ExtremeElement(const Problem& problem)
      : problem_(&problem), best_(with_type(problem.accumulator_type(), [](auto zero) {
          using T = decltype(zero);
          if (std::is_same_v<Map, AbsoluteValue>) return Value{0};
          return static_cast<Value>(kExtreme == Extreme::least ? highest_element<T>()
                                                               : lowest_element<T>());
        })) {}

  void add(std::uint64_t index, N x) { take(index, Map{}(x)); }
  void merge(const ExtremeElement& next) {
    if (next.index_ != kNowhere) take(next.index_, next.best_);
  }
  Value value() const { return best_; }
  Reference reference() const {
    Reference result{.index = index_};
    result.numbers[0] = stored(best_, problem_->result_type());
    return result;
  }

 private:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  void take(std::uint64_t index, Value value) {
    if constexpr (!std::is_integral_v<N>) {
      if (std::isnan(value) && problem_->nan_policy == NanPolicy::ignore) return;
    }
    if (index_ != kNowhere && !wins<kExtreme, kZeros>(value, best_)) return;
    best_ = value;
    index_ = index;
  }

  const Problem* problem_;
  Value best_;
  std::uint64_t index_ = kNowhere;
};
template <class N>
using Least = ExtremeElement<N, Extreme::least>;
template <class N>
using Greatest = ExtremeElement<N, Extreme::greatest>;
template <class N>
using FirstLeast = ExtremeElement<N, Extreme::least, Zeros::equal>;
template <class N>
using FirstGreatest = ExtremeElement<N, Extreme::greatest, Zeros::equal>;
template <class N>
using GreatestMagnitude = ExtremeElement<N, Extreme::greatest, Zeros::equal, AbsoluteValue>;

template <class N>
class BothExtremes {
 public:
  explicit BothExtremes(const Problem& problem) : least_(problem), greatest_(problem) {}

  void add(std::uint64_t index, N x) {
    least_.add(index, x);
    greatest_.add(index, x);
  }
  void merge(const BothExtremes& next) {
    least_.merge(next.least_);
    greatest_.merge(next.greatest_);
  }
  Reference reference() const {
    return {.numbers = {least_.reference().numbers[0], greatest_.reference().numbers[0]}};
  }

 private:
  Least<N> least_;
  Greatest<N> greatest_;
};

/// What Combine makes of the elements' bits, or of Map of them, from kIdentity on.
template <class Combine, std::uint64_t kIdentity, class Map = Itself>
class Bits {
 public:
  explicit Bits(const Problem& problem) : problem_(&problem) {}

  void add(std::uint64_t, auto x) {
    bits_ = Combine{}(bits_, static_cast<std::uint64_t>(Map{}(x)));
  }
  void merge(const Bits& next) { bits_ = Combine{}(bits_, next.bits_); }
  Reference reference() const { return {.numbers = {stored_integer(*problem_, bits_)}}; }

 private:
  const Problem* problem_;
  std::uint64_t bits_ = kIdentity;
};
template <class N>
using BitAnd = Bits<std::bit_and<>, ~std::uint64_t{0}>;
template <class N>
using BitOr = Bits<std::bit_or<>, 0>;
template <class N>
using BitXor = Bits<std::bit_xor<>, 0>;
template <class N>
using All = Bits<std::bit_and<>, 1, IsNonzero>;
template <class N>
using Any = Bits<std::bit_or<>, 0, IsNonzero>;

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
Oracle fold_numbers(const Problem& problem, InputArrays inputs, const Oracle& empty) {
  std::vector<Oracle> parts(part_count(problem.count), empty);
  for_each_part(problem.count, parts.size(),
                [&](std::uint64_t begin, std::uint64_t end, std::size_t part) {
                  Oracle oracle = empty;  // of its own, not beside another thread's
                  add_elements<N>(oracle, problem.type, inputs, begin, end);
                  parts[part] = oracle;
                });
  for (std::size_t part = 1; part < parts.size(); ++part) parts[0].merge(parts[part]);
  return parts[0];
}

template <template <class> class Oracle, class N>
Reference fold_as(const Problem& problem, InputArrays inputs) {
  return fold_numbers<N>(problem, inputs, Oracle<N>(problem)).reference();
}

/// The fold of the elements as the accumulator takes them: integers as integers, unless it is a
/// floating-point number.
template <template <class> class Oracle>
Reference fold(const Problem& problem, InputArrays inputs) {
  if (is_floating(problem.type) || is_floating(problem.accumulator_type())) {
    return fold_as<Oracle, long double>(problem, inputs);
  }
  return is_signed(problem.type) ? fold_as<Oracle, std::int64_t>(problem, inputs)
                                 : fold_as<Oracle, std::uint64_t>(problem, inputs);
}

/// A partial result that is too large for the accumulator.
long double overflowed(const Problem& problem, long double value) {
  return std::fabs(value) >= overflow_threshold(problem.accumulator_type())
             ? std::copysign(std::numeric_limits<long double>::infinity(), value)
             : value;
}

Reference fold_norm(const Problem& problem, InputArrays inputs) {
  Reference result = fold<SumOfSquares>(problem, inputs);
  long double& value = result.numbers[0].floating;
  value = std::sqrt(overflowed(problem, value));
  return result;
}

Reference fold_mean(const Problem& problem, InputArrays inputs) {
  Reference result = fold<SumOfElements>(problem, inputs);
  long double& value = result.numbers[0].floating;
  value = overflowed(problem, value) / static_cast<long double>(problem.count);
  return result;
}

Reference fold_variance(const Problem& problem, InputArrays inputs) {
  const long double mean = fold_mean(problem, inputs).numbers[0].floating;
  Reference result =
      fold_numbers<long double>(problem, inputs, Deviations(problem, mean)).reference();
  const auto divisor = static_cast<long double>(problem.count) - problem.ddof;
  result.numbers[0] = to_number(overflowed(problem, result.second_moment) / divisor);
  return result;
}

Reference fold_deviation(const Problem& problem, InputArrays inputs) {
  Reference result = fold_variance(problem, inputs);
  long double& value = result.numbers[0].floating;
  value = std::sqrt(value);
  return result;
}

Reference fold_exponentials(const Problem& problem, InputArrays inputs) {
  const Greatest<long double> greatest =
      fold_numbers<long double>(problem, inputs, Greatest<long double>(problem));
  const Exponentials empty(greatest.value());
  return fold_numbers<long double>(problem, inputs, empty).reference();
}

constexpr std::array kRows{
    ReferenceRow{Operator::sum, fold<SumOfElements>, sum_bound},
    ReferenceRow{Operator::product, fold<ProductOfElements>, product_bound},
    ReferenceRow{Operator::min, fold<Least>, nullptr},
    ReferenceRow{Operator::max, fold<Greatest>, nullptr},
    ReferenceRow{Operator::argmin, fold<FirstLeast>, nullptr},
    ReferenceRow{Operator::argmax, fold<FirstGreatest>, nullptr},
    ReferenceRow{Operator::minmax, fold<BothExtremes>, nullptr},
    ReferenceRow{Operator::bit_and, fold<BitAnd>, nullptr},
    ReferenceRow{Operator::bit_or, fold<BitOr>, nullptr},
    ReferenceRow{Operator::bit_xor, fold<BitXor>, nullptr},
    ReferenceRow{Operator::all, fold<All>, nullptr},
    ReferenceRow{Operator::any, fold<Any>, nullptr},
    ReferenceRow{Operator::count_nonzero, fold<CountOfNonzero>, nullptr},
    ReferenceRow{Operator::sum_of_squares, fold<SumOfSquares>, sum_of_products_bound},
    ReferenceRow{Operator::asum, fold<SumOfMagnitudes>, sum_bound},
    ReferenceRow{Operator::nrm2, fold_norm, nrm2_bound},
    ReferenceRow{Operator::absmax, fold<GreatestMagnitude>, nullptr},
    ReferenceRow{Operator::argabsmax, fold<GreatestMagnitude>, nullptr},
    ReferenceRow{Operator::dot, fold<Dot>, sum_of_products_bound},
    ReferenceRow{Operator::mean, fold_mean, mean_bound},
    ReferenceRow{Operator::variance, fold_variance, variance_bound},
    ReferenceRow{Operator::stddev, fold_deviation, stddev_bound},
    ReferenceRow{Operator::logsumexp, fold_exponentials, logsumexp_bound},
};

// The rows are indexed by their enumerator.
static_assert([] {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].op) != i) return false;
  }
  return kRows.size() == static_cast<std::size_t>(Operator::custom);
}());

}  // namespace

const ReferenceRow& reference_row(Operator op) { return kRows.at(static_cast<std::size_t>(op)); }

bool is_exact(const Problem& problem) {
  if (problem.op == Operator::histogram) return true;
  if (problem.op == Operator::custom) return !is_floating(problem.result_type());
  return reference_row(problem.op).bound == nullptr || !is_floating(problem.accumulator_type());
}

Number read_number(ElementType type, const void* element) {
  return with_type(type,
                   [&](auto zero) { return to_number(exact(read<decltype(zero)>(element))); });
}

Reference compute_reference(const Problem& problem, InputArrays inputs) {
  inputs = inputs.first(problem.input_types().size());
  Reference reference = reference_row(problem.op).fold(problem, inputs);
  reference.count = problem.count;
  return reference;
}

}  // namespace foldtune
