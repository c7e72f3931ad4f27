#include "bench/judge.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

namespace foldtune::bench {
namespace {

/// Calls that take long vary little, so a few of them are enough.
constexpr int kLeastRounds = 3;
constexpr std::chrono::milliseconds kLongRounds{250};

Enqueues calls_of(const Contender& contender, Manner manner) {
  if (manner == Manner::stream) return {contender.direct};
  if (manner == Manner::latency) return {contender.waited};
  return contender.in_graph;
}

}  // namespace

std::string find_fault(Device& device, Measurer& measurer, const Contender& contender) {
  const auto waited = [&](const Call& call, Stream stream) {
    contender.waited(call, stream);
    const std::span<const std::byte> result = contender.waited_result;
    if (!result.empty()) device.copy(measurer.output_of(call), result.data(), result.size());
  };
  for (const Enqueue& enqueue : {contender.in_graph.front(), contender.direct, Enqueue(waited)}) {
    std::string fault = measurer.find_fault_of_library(enqueue, contender.translate);
    if (!fault.empty()) return fault;
  }
  return {};
}

std::vector<std::vector<double>> time_in_rounds(Measurer& measurer,
                                                std::span<const Contender> contenders,
                                                Manner manner, int rounds,
                                                std::mt19937_64& random) {
  std::vector<std::unique_ptr<Stopwatch>> stopwatches;
  for (const Contender& contender : contenders) {
    stopwatches.push_back(measurer.make_stopwatch(calls_of(contender, manner), manner));
  }
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), 0);
  // The first round warms up: clocks rise, and graphs reach the device.
  for (const std::size_t i : order) stopwatches[i]->take(1);

  std::vector<std::vector<double>> samples(contenders.size());
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round) {
    const bool is_long = std::chrono::steady_clock::now() - begin > kLongRounds;
    if (round >= kLeastRounds && is_long) break;
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) samples[i].push_back(stopwatches[i]->take(1).us.front());
  }
  return samples;
}

}  // namespace foldtune::bench
