#include "templates/fold/judge/reference.h"

#include <concepts>
#include <functional>
#include <limits>

#include "templates/fold/judge/oracle.h"

namespace foldtune {
namespace {

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
struct ItselfUnlessNan {
  auto operator()(auto x) const {
    if constexpr (std::is_integral_v<decltype(x)>) {
      return x;
    } else {
      return std::isnan(x) ? 0 : x;
    }
  }
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
  explicit Sum(const Reduction& reduction) : reduction_(&reduction) {}

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
    result.numbers[0] = kWraps ? stored_integer(*reduction_, wrapped_) : to_number(sum_.value());
    return result;
  }

 private:
  const Reduction* reduction_;
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
using SumOfNumbers = Sum<N, ItselfUnlessNan>;
template <class N>
using Dot = Sum<N, ProductOfBoth>;
template <class N>
using CountOfNonzero = Sum<N, IsNonzero, true>;

/// The sum of squared deviations from the mean, given a close one, and the largest deviation and
/// magnitude.
class Deviations {
 public:
  Deviations(const Reduction& reduction, long double mean)
      : count_(static_cast<long double>(reduction.count)), mean_(mean) {}

  void add(std::uint64_t, long double x) {
    deviations_ += x - mean_;
    squares_.add((x - mean_) * (x - mean_));
    largest_ = std::max(largest_, std::fabs(x));
    farthest_ = std::max(farthest_, std::fabs(x - mean_));
  }
  void merge(const Deviations& next) {
    deviations_ += next.deviations_;
    squares_.add(next.squares_);
    largest_ = std::max(largest_, next.largest_);
    farthest_ = std::max(farthest_, next.farthest_);
  }
  Reference reference() const {
    // What the mean was rounded by, times the count.
    const long double squares = squares_.value() - deviations_ * deviations_ / count_;
    return {.largest_magnitude = largest_,
            .largest_deviation = farthest_,
            .second_moment = squares < 0 ? 0 : squares};
  }

 private:
  long double count_;
  long double mean_;
  long double deviations_ = 0;  ///< near 0: its square matters to the last bits at most
  CompensatedSum squares_;
  long double largest_ = 0;
  long double farthest_ = 0;
};

/// The sum of exp(x - max), with the greatest element known, and the largest magnitude.
class Exponentials {
 public:
  Exponentials(const Reduction& reduction, long double max)
      : max_(max), in_double_(reduction.accumulator_type() != ElementType::f64) {}

  void add(std::uint64_t, long double x) {
    if (x == max_) {
      sum_.add(1);
    } else if (!(x - max_ < kNegligible)) {
      sum_.add(exponential(x - max_));
    }
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
  /// The sum is 1 at least: 2^40 terms of less than exp(-100) are below its last bit.
  static constexpr long double kNegligible = -100;

  /// That of long double takes ten times as long, and only f64 needs it.
  long double exponential(long double x) const {
    return in_double_ ? std::exp(static_cast<double>(x)) : std::exp(x);
  }

  long double max_;
  bool in_double_;
  CompensatedSum sum_;
  long double largest_ = 0;
};

/// The product of the elements.
template <class N>
class ProductOfElements {
 public:
  explicit ProductOfElements(const Reduction& reduction) : reduction_(&reduction) {}

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
      result.numbers[0] = stored_integer(*reduction_, product_);
    } else {
      result.numbers[0] = to_number(product_);
    }
    return result;
  }

 private:
  const Reduction* reduction_;
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

  explicit ExtremeElement(const Reduction& reduction)
      : reduction_(&reduction), best_(with_type(reduction.accumulator_type(), [](auto zero) {
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
    result.numbers[0] = stored(best_, reduction_->result_type());
    return result;
  }

 private:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  void take(std::uint64_t index, Value value) {
    if constexpr (!std::is_integral_v<N>) {
      if (std::isnan(value) && reduction_->nan_policy == NanPolicy::ignore) return;
    }
    if (index_ != kNowhere && !wins<kExtreme, kZeros>(value, best_)) return;
    best_ = value;
    index_ = index;
  }

  const Reduction* reduction_;
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
  explicit BothExtremes(const Reduction& reduction) : least_(reduction), greatest_(reduction) {}

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
  explicit Bits(const Reduction& reduction) : reduction_(&reduction) {}

  void add(std::uint64_t, auto x) {
    bits_ = Combine{}(bits_, static_cast<std::uint64_t>(Map{}(x)));
  }
  void merge(const Bits& next) { bits_ = Combine{}(bits_, next.bits_); }
  Reference reference() const { return {.numbers = {stored_integer(*reduction_, bits_)}}; }

 private:
  const Reduction* reduction_;
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

/// A result that is too large for the accumulator.
long double overflowed(const Reduction& reduction, long double value) {
  return std::fabs(value) >= overflow_threshold(reduction.accumulator_type())
             ? std::copysign(std::numeric_limits<long double>::infinity(), value)
             : value;
}

Reference fold_norm(const Reduction& reduction, InputArrays inputs) {
  Reference result = fold<SumOfSquares>(reduction, inputs);
  long double& value = result.numbers[0].floating;
  value = overflowed(reduction, std::sqrt(value));
  return result;
}

Reference fold_mean(const Reduction& reduction, InputArrays inputs) {
  Reference result = fold<SumOfElements>(reduction, inputs);
  result.numbers[0].floating /= static_cast<long double>(reduction.count);
  return result;
}

/// With the second moment over n - ddof as its value.
Reference fold_second_moment(const Reduction& reduction, InputArrays inputs) {
  const auto count = static_cast<long double>(reduction.count);
  const long double mean = fold<SumOfElements>(reduction, inputs).numbers[0].floating / count;
  Reference result =
      fold_numbers<long double>(reduction, inputs, Deviations(reduction, mean)).reference();
  result.numbers[0] = to_number(result.second_moment / (count - reduction.ddof));
  return result;
}

Reference fold_variance(const Reduction& reduction, InputArrays inputs) {
  Reference result = fold_second_moment(reduction, inputs);
  long double& value = result.numbers[0].floating;
  value = overflowed(reduction, value);
  return result;
}

Reference fold_deviation(const Reduction& reduction, InputArrays inputs) {
  Reference result = fold_second_moment(reduction, inputs);
  long double& value = result.numbers[0].floating;
  value = overflowed(reduction, std::sqrt(value));
  return result;
}

Reference fold_exponentials(const Reduction& reduction, InputArrays inputs) {
  const Greatest<long double> greatest =
      fold_numbers<long double>(reduction, inputs, Greatest<long double>(reduction));
  const Exponentials empty(reduction, greatest.value());
  return fold_numbers<long double>(reduction, inputs, empty).reference();
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
    ReferenceRow{Operator::nansum, fold<SumOfNumbers>, sum_bound},
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

bool is_exact(const Reduction& reduction) {
  if (reduction.op == Operator::custom) return !is_floating(reduction.result_type());
  return reference_row(reduction.op).bound == nullptr || !is_floating(reduction.accumulator_type());
}

Reference compute_reference(const Reduction& reduction, InputArrays inputs) {
  inputs = inputs.first(reduction.input_types().size());
  Reference reference = reference_row(reduction.op).fold(reduction, inputs);
  reference.count = reduction.count;
  return reference;
}

}  // namespace foldtune
