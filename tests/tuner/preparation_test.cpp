#include "tuner/session/preparation.h"

#include "foldtune/reduction.h"
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

Reduction sum_f32(std::uint64_t count) { return {.count = count}; }

/// With inputs for the largest problem; 0: they are there.
double estimate(const DeviceInfo& device, const Reduction& reduction, std::uint64_t largest_count) {
  if (largest_count == 0) return estimate_preparation_s(device, reduction, nullptr);
  Workload largest = reduction;
  largest.shape[0] = largest_count;
  return estimate_preparation_s(device, reduction, &largest);
}

TEST_CASE("Preparation: what any host does in a moment is not announced") {
  DeviceInfo cpu;
  cpu.record.kind = "cpu";
  CHECK(estimate(cpu, sum_f32(1 << 20), 1 << 20) == 0);
  CHECK(estimate(large_gpu(), sum_f32(1 << 20), 0) == 0);  // the inputs are there
}

TEST_CASE("Preparation: gigabytes take seconds") {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  CHECK(estimate(large_gpu(), sum_f32(1 << 20), 1 << 20) > 1);  // for its bandwidth
  // To move the bytes takes as long, whatever the host.
  CHECK(estimate(large_gpu(), sum_f32(kGiB), kGiB) > 4);
  CHECK(estimate(large_gpu(), sum_f32(kGiB), 8 * kGiB) > 32);
  Reduction dot = sum_f32(kGiB);
  dot.op = Operator::dot;
  CHECK(estimate(large_gpu(), dot, kGiB) > 8);
}

TEST_CASE("Preparation: what is folded counts, too, but for what the device folds") {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  const double folded = estimate(large_gpu(), sum_f32(64 * kGiB), 0);
  CHECK(folded > 1);
  Reduction custom = make_reduction(CustomOperator{.name = "mine"});
  custom.count = 64 * kGiB;
  CHECK(estimate(large_gpu(), custom, 0) < folded / 2);
}

}  // namespace
}  // namespace foldtune
