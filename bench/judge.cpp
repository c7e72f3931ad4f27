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

}  // namespace

std::string find_fault(Measurer& measurer, const Contender& contender) {
  for (const Enqueue& enqueue : {contender.in_graph.front(), contender.direct}) {
    std::string fault = measurer.find_fault_of_library(enqueue, contender.translate);
    if (!fault.empty()) return fault;
  }
  return {};
}

std::vector<std::vector<double>> time_in_rounds(Measurer& measurer,
                                                std::span<const Contender> contenders,
                                                Manner manner, int rounds,
                                                std::mt19937_64& random) {
  const bool in_graph = manner != Manner::stream && manner != Manner::latency;
  std::vector<std::unique_ptr<Stopwatch>> stopwatches;
  for (const Contender& contender : contenders) {
    const Enqueues enqueues = in_graph ? contender.in_graph : Enqueues{contender.direct};
    stopwatches.push_back(measurer.make_stopwatch(enqueues, manner));
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
