#include "tuner/session/preparation.h"

#include "tests/catch.h"

namespace foldtune {
namespace {

DeviceInfo gpu() {
  DeviceInfo info;
  info.memory_bytes = std::uint64_t{140} << 30;
  info.record.kind = "cuda";
  info.record.l2_bytes = 50 << 20;
  return info;
}

Problem sum_of(std::uint64_t count) { return {.count = count}; }

TEST_CASE("Preparation: what any host does in a moment is not announced") {
  DeviceInfo small = gpu();
  small.record.l2_bytes = 1 << 20;
  CHECK(estimate_preparation_s(small, sum_of(1 << 16), 1 << 16) == 0);
  CHECK(estimate_preparation_s(gpu(), sum_of(1 << 20), 0) == 0);
}

TEST_CASE("Preparation: gigabytes take seconds, and more of them longer") {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  const double one = estimate_preparation_s(gpu(), sum_of(kGiB), kGiB);
  CHECK(one > 2);  // to move 4 GiB, whatever the host
  CHECK(one < 600);
  CHECK(estimate_preparation_s(gpu(), sum_of(kGiB), 8 * kGiB) > 2 * one);
  // Whose inputs are there is folded alone.
  const double folded = estimate_preparation_s(gpu(), sum_of(4 * kGiB), 0);
  CHECK(folded > 0);
  CHECK(folded < estimate_preparation_s(gpu(), sum_of(4 * kGiB), 4 * kGiB));
}

TEST_CASE("Preparation: operators of two inputs make both, and the device folds custom ones") {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  Problem dot = sum_of(kGiB);
  dot.op = Operator::dot;
  CHECK(estimate_preparation_s(gpu(), dot, kGiB) > 4);
  Problem custom = make_problem(CustomOperator{.name = "mine"});
  custom.count = kGiB;
  CHECK(estimate_preparation_s(gpu(), custom, kGiB) > 2);
  CHECK(estimate_preparation_s(gpu(), custom, 0) < 0.5);
}

}  // namespace
}  // namespace foldtune
