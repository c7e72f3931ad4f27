#include "tuner/session/preparation.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

#include "tuner/measure/input_pool.h"
#include "tuner/verify/judge.h"

namespace foldtune {
namespace {

using Clock = std::chrono::steady_clock;

/// What is made in a second or two by any host.
constexpr std::uint64_t kSmallBytes = std::uint64_t{64} << 20;

/// As many as one thread takes at a time (elements.h), some milliseconds.
constexpr std::uint64_t kSampleElements = 1 << 16;

/// To allocate, to clear and to copy a byte, of the host's copy and of the device's.
constexpr double kMovingSecondsPerByte = 1e-9;

/// The least of a few times, in seconds: others may take the processor in the middle of one.
template <class Function>
double least_time_of(const Function& function) {
  constexpr int kTimes = 3;
  double least_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTimes; ++i) {
    const auto begin = Clock::now();
    function();
    least_s = std::min(least_s, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least_s;
}

/// A workload of the same problem whose inputs one thread makes.
Workload small_part_of(Workload workload) {
  const auto elements = [&] {
    const std::vector<Argument> arguments = workload.problem.family().arguments(workload.problem);
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].access != Access::input) continue;
      most =
          std::max(most, workload.problem.family().elements(workload.problem, i, workload.shape));
    }
    return most;
  };
  while (elements() > kSampleElements) {
    const Shape larger = workload.shape;
    const auto longest = std::ranges::max_element(workload.shape.extents);
    if (*longest <= 1) break;
    *longest /= 2;
    // Not every part of a shape has a result.
    if (workload.problem.family().find_call_fault(workload.problem, workload.shape).empty())
      continue;
    workload.shape = larger;
    break;
  }
  return workload;
}

}  // namespace

double estimate_preparation_s(const DeviceInfo& device, const Workload& workload,
                              const Workload* largest) {
  const std::uint64_t bytes = largest == nullptr ? 0 : InputPool::bytes_for(device, *largest);
  if (bytes + input_bytes(workload) < kSmallBytes) return 0;
  const Workload part = small_part_of(workload);
  // Inputs that stay large whatever the shape may not fit the memory: they are not made to time it.
  if (input_bytes(part) > kSmallBytes) return static_cast<double>(bytes) * kMovingSecondsPerByte;
  const Family& family = part.problem.family();
  const Judge& judge = judge_of(part.problem);
  const std::vector<Argument> arguments = family.arguments(part.problem);
  std::vector<std::vector<std::byte>> inputs(arguments.size());
  std::vector<const void*> addresses(arguments.size());
  const double making_part_s = least_time_of([&] {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].access == Access::scalar) addresses[i] = judge.scalar(part.problem, i);
      if (arguments[i].access != Access::input) continue;
      inputs[i].resize(family.elements(part.problem, i, part.shape) * arguments[i].element_bytes);
      if (arguments[i].follows_shape) {
        judge.fill_for_shape(part, i, inputs[i], /*seed=*/1);
      } else {
        judge.fill(part.problem, i, inputs[i], /*seed=*/1);
      }
      addresses[i] = inputs[i].data();
    }
  });
  // Nothing where the device makes what is expected.
  const double folding_part_s = least_time_of([&] { (void)judge.expect(part, addresses); });
  const auto part_bytes = static_cast<double>(std::max<std::uint64_t>(1, input_bytes(part)));
  const auto threads = static_cast<double>(std::max(1u, std::thread::hardware_concurrency()));
  const double making_s =
      static_cast<double>(bytes) * (making_part_s / part_bytes / threads + kMovingSecondsPerByte);
  return making_s +
         static_cast<double>(input_bytes(workload)) / part_bytes * folding_part_s / threads;
}

}  // namespace foldtune
