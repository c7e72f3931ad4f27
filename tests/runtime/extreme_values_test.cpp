// Numbers that once overflowed, vanished or lost their digits on the way to a result that is in
// range, in kernels.
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "runtime/device/device.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::WithinRel;

bool is_plus_zero(float x) { return x == 0 && !std::signbit(x); }

/// Some of these take a configuration's own order, the others one for all.
class ExtremeValuesTest {
 protected:
  template <class T, class Result = T>
  Result reduce(Operator op, ElementType type, const std::vector<T>& values) {
    const Reducer reducer = context_.reducer({.op = op, .type = type, .determinism = determinism_});
    const DeviceBuffer input(*device_, values.size() * sizeof(T));
    device_->copy(input.data(), values.data(), values.size() * sizeof(T));
    return reducer.value<Result>(input.data(), values.size());
  }
  float reduce_floats(Operator op, const std::vector<float>& values) {
    return reduce(op, ElementType::f32, values);
  }
  double reduce_doubles(Operator op, const std::vector<double>& values) {
    return reduce(op, ElementType::f64, values);
  }

  const std::shared_ptr<Device> device_ = open_cpu_device();
  Context context_{device_, nullptr};
  const Determinism determinism_ =
      GENERATE(Determinism::run_to_run, Determinism::config_independent);
};

TEST_CASE_METHOD(ExtremeValuesTest, "CPU device: nrm2 is in range where its squares are not") {
  constexpr double kClose = 1e-6;
  const auto nrm2 = [this](const std::vector<float>& values) {
    return reduce_floats(Operator::nrm2, values);
  };
  CHECK_THAT(nrm2({1e20F, 1, 1}), WithinRel(1e20, kClose));
  CHECK_THAT(nrm2({1e-30F, 1e-30F, 1e-30F, 1e-30F}), WithinRel(2e-30, kClose));
  CHECK_THAT(nrm2({3e-23F, 4e-23F}), WithinRel(5e-23, kClose));
  CHECK_THAT(reduce_doubles(Operator::nrm2, {1e200, 1e200}),
             WithinRel(std::sqrt(2.0) * 1e200, 1e-15));
  // Neither of nothing nor of zeros is it -0, and zeros beside it are not lost.
  CHECK(is_plus_zero(nrm2({})));
  CHECK(is_plus_zero(nrm2(std::vector<float>(5, -0.0F))));
  std::vector<float> last_is_tiny(2049, 0.0F);
  last_is_tiny.back() = 1e-30F;
  CHECK_THAT(nrm2(last_is_tiny), WithinRel(1e-30, kClose));
}

TEST_CASE_METHOD(ExtremeValuesTest,
                 "CPU device: mean, variance and stddev are in range where their sums are not") {
  std::vector<float> halves;
  for (int i = 0; i < 500; ++i) halves.insert(halves.end(), {1e20F, 1.2e20F});
  CHECK_THAT(reduce_floats(Operator::stddev, halves), WithinRel(1e19, 1e-5));
  CHECK_THAT(reduce_floats(Operator::variance, halves), WithinRel(1e38, 1e-5));
  CHECK_THAT(reduce_floats(Operator::mean, {3e38F, 3e38F, 3e38F}), WithinRel(3e38, 1e-6));
}

TEST_CASE_METHOD(ExtremeValuesTest, "CPU device: variance keeps its digits far from zero") {
  constexpr std::int64_t kFar = std::int64_t{1} << 53;
  const std::vector<std::int64_t> integers{kFar, kFar + 2, kFar + 4};
  CHECK_THAT((reduce<std::int64_t, double>(Operator::variance, ElementType::i64, integers)),
             WithinRel(8.0 / 3, 1e-14));
  CHECK_THAT(reduce_doubles(Operator::variance, {0x1p53, 0x1p53 + 2, 0x1p53 + 4}),
             WithinRel(8.0 / 3, 1e-14));
  std::vector<float> floats;
  for (int i = 0; i <= 8; ++i) floats.push_back(1.6e7F + static_cast<float>(i));
  CHECK_THAT(reduce_floats(Operator::variance, floats), WithinRel(20.0 / 3, 1e-6));

  // As many as add up what each of them loses; 0 to 9 are equally frequent.
  std::vector<float> many;
  for (int i = 0; i < 100'000; ++i) many.push_back(1e7F + static_cast<float>(i * 7 % 10));
  CHECK_THAT(reduce_floats(Operator::variance, many), WithinRel(8.25, 1e-5));
}

}  // namespace
}  // namespace foldtune::test
