#include "bench/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "foldtune/error.h"
#include "tuner/statistics.h"

namespace foldtune::bench {

void check_results(Measurer& measurer, std::span<const Contender> contenders) {
  for (const Contender& contender : contenders) {
    for (const Enqueue& enqueue : {contender.in_graph.front(), contender.direct}) {
      const std::string fault = measurer.find_fault_of_library(enqueue, contender.translate);
      if (!fault.empty()) throw WrongResult(fmt::format("{}: {}", contender.name, fault));
    }
  }
}

std::vector<Figure> time_in_rounds(Measurer& measurer, std::span<const Contender> contenders,
                                   Manner manner, int rounds, std::mt19937_64& random) {
  const bool in_graph = manner != Manner::stream && manner != Manner::latency;
  std::vector<std::unique_ptr<Stopwatch>> stopwatches;
  std::vector<Figure> figures;
  for (const Contender& contender : contenders) {
    const Enqueues enqueues = in_graph ? contender.in_graph : Enqueues{contender.direct};
    stopwatches.push_back(measurer.make_stopwatch(enqueues, manner));
    figures.push_back({.contender = contender.name,
                       .samples_us = {},
                       .config = contender.config,
                       .source = contender.source});
  }
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), 0);
  // The first round warms up: clocks rise, and graphs reach the device.
  for (int round = 0; round <= rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      const Samples taken = stopwatches[i]->take(1);
      if (round > 0) figures[i].samples_us.push_back(taken.us.front());
    }
  }
  for (Figure& figure : figures) {
    figure.median_us = median(figure.samples_us);
    figure.mad_us = median_absolute_deviation(figure.samples_us);
  }
  return figures;
}

}  // namespace foldtune::bench
