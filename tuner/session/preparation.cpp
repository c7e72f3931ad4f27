#include "tuner/session/preparation.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

#include "tuner/measure/expected_result.h"
#include "tuner/measure/input_pool.h"
#include "tuner/verify/elements.h"
#include "tuner/verify/histogram_input.h"
#include "tuner/verify/reference.h"

namespace foldtune {
namespace {

using Clock = std::chrono::steady_clock;

/// What is made in a second or two by any host.
constexpr std::uint64_t kSmallBytes = std::uint64_t{64} << 20;

/// As many as one thread takes at a time (`part_count`), some milliseconds.
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

}  // namespace

double estimate_preparation_s(const DeviceInfo& device, const Problem& problem,
                              std::uint64_t largest_count) {
  Problem largest = problem;
  largest.count = std::max(problem.count, largest_count);
  const std::uint64_t bytes = largest_count == 0 ? 0 : InputPool::bytes_for(device, largest);
  if (bytes + problem.input_bytes() < kSmallBytes) return 0;
  Problem part = problem;
  part.count = kSampleElements;
  std::vector<std::vector<std::byte>> inputs(part.input_types().size());
  const double making_part_s = least_time_of([&] {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = make_input(part, i, part.count, /*seed=*/1);
    }
  });
  const double folding_part_s = least_time_of([&] {
    if (part.op == Operator::custom) return;  // which the device folds
    std::vector<const void*> pointers;
    pointers.reserve(inputs.size() + 1);
    for (const std::vector<std::byte>& input : inputs) pointers.push_back(input.data());
    const std::vector<std::byte> edges = edges_of(part);
    if (!edges.empty()) pointers.push_back(edges.data());
    const ExpectedResult expected(part, pointers, tuning_bounds(part.type));
  });
  const double per_byte = making_part_s / static_cast<double>(part.input_bytes());
  const double per_element = folding_part_s / static_cast<double>(part.count);
  const auto threads = static_cast<double>(part_count(std::max(largest.count, kSampleElements)));
  const double making_s = static_cast<double>(bytes) * (per_byte / threads + kMovingSecondsPerByte);
  return making_s + static_cast<double>(problem.count) * per_element / threads;
}

}  // namespace foldtune
