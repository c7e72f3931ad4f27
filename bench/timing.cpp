#include "bench/timing.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "bench/cuda.h"

namespace foldtune::bench {
namespace {

constexpr double kMicrosecondsPerMillisecond = 1000;

void synchronize(Stream stream) {
  check(cudaStreamSynchronize(stream), "waiting for the calls of the comparison");
}

void record(const CudaEvent& event, Stream stream) {
  check(cudaEventRecord(event.get(), stream), "recording an event");
}

double elapsed_us(const CudaEvent& begin, const CudaEvent& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading two events");
  return milliseconds * kMicrosecondsPerMillisecond;
}

/// One round of microseconds per replay, in the order in which `order` names them.
using Round = std::vector<double>;

/// The GPU never waits for the host here: each graph is launched while the one before it runs, and
/// the first while an untimed one does. Launching a graph of thousands of calls takes the host
/// longer than a call.
Round time_graphs(const std::vector<Replay>& replays, const std::vector<std::size_t>& order,
                  const std::vector<CudaEvent>& events, Stream stream) {
  replays[order.back()]();
  record(events[0], stream);
  for (std::size_t i = 0; i < order.size(); ++i) {
    replays[order[i]]();
    record(events[i + 1], stream);
  }
  synchronize(stream);
  Round round;
  for (std::size_t i = 0; i < order.size(); ++i) {
    round.push_back(elapsed_us(events[i], events[i + 1]));
  }
  return round;
}

/// Here each replay starts on an idle GPU, so that the host's part is seen.
Round time_streams(const std::vector<Replay>& replays, const std::vector<std::size_t>& order,
                   const std::vector<CudaEvent>& events, Stream stream) {
  Round round;
  for (const std::size_t i : order) {
    record(events[0], stream);
    replays[i]();
    record(events[1], stream);
    synchronize(stream);
    round.push_back(elapsed_us(events[0], events[1]));
  }
  return round;
}

Round time_latencies(const std::vector<Replay>& replays, const std::vector<std::size_t>& order) {
  Round round;
  for (const std::size_t i : order) {
    const auto begin = std::chrono::steady_clock::now();
    replays[i]();
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - begin;
    round.push_back(elapsed.count());
  }
  return round;
}

Round time_round(Method method, const std::vector<Replay>& replays,
                 const std::vector<std::size_t>& order, const std::vector<CudaEvent>& events,
                 Stream stream) {
  switch (method) {
    case Method::graph:
      return time_graphs(replays, order, events, stream);
    case Method::stream:
      return time_streams(replays, order, events, stream);
    case Method::latency:
      break;
  }
  return time_latencies(replays, order);
}

}  // namespace

std::string_view name(Method method) {
  switch (method) {
    case Method::graph:
      return "graph";
    case Method::stream:
      return "stream";
    case Method::latency:
      break;
  }
  return "latency";
}

Replay::Replay(Method method, std::uint64_t calls, Stream stream, const EnqueueCall& enqueue) {
  const auto enqueue_all = [calls, enqueue] {
    for (std::uint64_t call = 0; call < calls; ++call) enqueue(call);
  };
  switch (method) {
    case Method::graph: {
      const std::shared_ptr<CUgraphExec_st> graph = capture_graph(stream, enqueue_all);
      replay_ = [graph, stream] {
        check(cudaGraphLaunch(graph.get(), stream), "launching a graph of the comparison");
      };
      break;
    }
    case Method::stream:
      replay_ = enqueue_all;
      break;
    case Method::latency:
      replay_ = [calls, enqueue, stream] {
        for (std::uint64_t call = 0; call < calls; ++call) {
          enqueue(call);
          synchronize(stream);
        }
      };
      break;
  }
}

std::vector<std::vector<double>> time_in_rounds(const std::vector<Replay>& replays,
                                                const TimingOptions& options, Stream stream,
                                                std::mt19937_64& random) {
  std::vector<CudaEvent> events(replays.size() + 1);
  std::generate(events.begin(), events.end(), make_event);
  std::vector<std::size_t> order(replays.size());
  std::iota(order.begin(), order.end(), 0);

  std::vector<std::vector<double>> samples(replays.size());
  synchronize(stream);
  // The first round warms up: clocks rise, and graphs and modules reach the GPU.
  for (int round = 0; round <= options.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    const Round times = time_round(options.method, replays, order, events, stream);
    if (round == 0) continue;
    for (std::size_t i = 0; i < order.size(); ++i) {
      samples[order[i]].push_back(times[i] / static_cast<double>(options.calls));
    }
  }
  return samples;
}

}  // namespace foldtune::bench
