#include "tuner/reference.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.h"

namespace foldtune {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
ReferenceValue reference_of(Operator op, const std::vector<T>& input,
                            std::optional<ElementType> accumulator = std::nullopt) {
  return compute_reference(
      {.op = op, .type = element_type_of<T>(), .accumulator = accumulator, .count = input.size()},
      input.data());
}

TEST_CASE("the reference of integer sums is exact, and wraps to the accumulator") {
  const std::vector<int> input(3, std::numeric_limits<int>::max());
  CHECK(reference_of(Operator::sum, input).integer == 3LL * 2147483647);
  CHECK(reference_of(Operator::sum, input, ElementType::i32).integer == 2147483645);
}

TEST_CASE("the reference of a sum survives cancellation") {
  std::vector<double> input{1e300, 1, -1e300};
  CHECK(static_cast<double>(reference_of(Operator::sum, input).floating) == 1);
}

TEST_CASE("the reference of a long sum does not depend on how it is split over threads") {
  std::vector<float> input(1'000'003, 0.1f);
  const ReferenceValue reference = reference_of(Operator::sum, input);
  const long double expected = 1'000'003 * static_cast<long double>(0.1f);
  CHECK(std::fabs(static_cast<double>(reference.floating - expected)) < 1e-10);
  CHECK(reference.sum_of_magnitudes >= expected);
}

TEST_CASE("the references of min and max follow the semantics") {
  CHECK(std::isnan(reference_of(Operator::min, std::vector<float>{1, kNan, -1}).floating));
  CHECK(std::isnan(reference_of(Operator::max, std::vector<float>{1, kNan, -1}).floating));
  CHECK(std::signbit(reference_of(Operator::min, std::vector<float>{0.f, -0.f}).floating));
  CHECK_FALSE(std::signbit(reference_of(Operator::max, std::vector<float>{-0.f, 0.f}).floating));
  CHECK(reference_of(Operator::min, std::vector<float>{}).floating == kInfinity);
  CHECK(reference_of(Operator::max, std::vector<float>{}).floating == -kInfinity);
  CHECK(reference_of(Operator::min, std::vector<int>{}).integer == 2147483647);
  CHECK(reference_of(Operator::max, std::vector<int>{3, -7, 5}).integer == 5);
}

TEST_CASE("a result is compared within the bound, exactly where it must be exact") {
  const Problem sum{.op = Operator::sum, .type = ElementType::f32};
  const ReferenceValue one{.floating = 1, .sum_of_magnitudes = 1};
  const float close = 1.0001f;
  CHECK(find_difference(sum, &close, one, 1e-3L).empty());
  CHECK(find_difference(sum, &close, one, 1e-6L) ==
        "expected 1 within 1e-06, got 1.0001000165939331055");
  CHECK_FALSE(find_difference(sum, &kNan, one, 1e-3L).empty());
  CHECK_FALSE(find_difference(sum, &kInfinity, one, 1e30L).empty());

  const Problem min{.op = Operator::min, .type = ElementType::f32};
  const ReferenceValue zero{.floating = -0.0L};
  const float negative_zero = -0.f;
  const float positive_zero = 0.f;
  CHECK(find_difference(min, &negative_zero, zero, 0).empty());
  CHECK_FALSE(find_difference(min, &positive_zero, zero, 0).empty());

  const Problem integers{.op = Operator::sum, .type = ElementType::i32};
  const std::int64_t value = 41;
  CHECK(find_difference(integers, &value, {.is_integer = true, .integer = 42}, 0) ==
        "expected 42, got 41");
}

TEST_CASE("the bound of a float sum grows with the chain of additions, and is 0 for the rest") {
  const ReferenceValue reference{.sum_of_magnitudes = 1};
  const Problem sum{.type = ElementType::f32, .count = 1 << 20};
  const ReduceParams params;
  const long double wide = error_bound(sum, params, 256, reference);
  const long double narrow = error_bound(sum, params, 1, reference);
  CHECK(wide > 0);
  CHECK(narrow > wide);
  Problem in_double = sum;
  in_double.accumulator = ElementType::f64;
  CHECK(error_bound(in_double, params, 256, reference) < wide * 1e-8L);
  CHECK(error_bound({.op = Operator::max, .count = 1 << 20}, params, 256, reference) == 0);
}

TEST_CASE("inputs are the same for the same seed, and within their range") {
  const auto first = make_input(ElementType::f32, 300'000, 5);
  CHECK(first == make_input(ElementType::f32, 300'000, 5));
  CHECK(first != make_input(ElementType::f32, 300'000, 6));
  const auto* const values = reinterpret_cast<const float*>(first.data());
  float least = 1;
  float most = -1;
  for (int i = 0; i < 300'000; ++i) {
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  CHECK(least >= -1);
  CHECK(least < -0.99f);
  CHECK(most < 1);
  CHECK(most > 0.99f);
}

}  // namespace
}  // namespace foldtune
