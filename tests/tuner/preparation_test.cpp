#include "tuner/session/preparation.h"

#include "tests/catch.h"

namespace foldtune {
namespace {

DeviceInfo large_gpu() {
  DeviceInfo info;
  info.memory_bytes = std::uint64_t{140} << 30;
  info.record.kind = "cuda";
  info.record.l2_bytes = 50 << 20;
  return info;
}

Problem sum_f32(std::uint64_t count) { return {.count = count}; }

TEST_CASE("Preparation: what any host does in a moment is not announced") {
  DeviceInfo cpu;
  cpu.record.kind = "cpu";
  CHECK(estimate_preparation_s(cpu, sum_f32(1 << 20), 1 << 20) == 0);
  CHECK(estimate_preparation_s(large_gpu(), sum_f32(1 << 20), 0) == 0);  // the inputs are there
}

TEST_CASE("Preparation: gigabytes take seconds") {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  CHECK(estimate_preparation_s(large_gpu(), sum_f32(1 << 20), 1 << 20) > 1);  // for its bandwidth
  // To move the bytes takes as long, whatever the host.
  CHECK(estimate_preparation_s(large_gpu(), sum_f32(kGiB), kGiB) > 4);
  CHECK(estimate_preparation_s(large_gpu(), sum_f32(kGiB), 8 * kGiB) > 32);
  Problem dot = sum_f32(kGiB);
  dot.op = Operator::dot;
  CHECK(estimate_preparation_s(large_gpu(), dot, kGiB) > 8);
}

TEST_CASE("Preparation: what is folded counts, too, but for what the device folds") {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  const double folded = estimate_preparation_s(large_gpu(), sum_f32(64 * kGiB), 0);
  CHECK(folded > 1);
  Problem custom = make_problem(CustomOperator{.name = "mine"});
  custom.count = 64 * kGiB;
  CHECK(estimate_preparation_s(large_gpu(), custom, 0) < folded / 2);
}

}  // namespace
}  // namespace foldtune
