/// Times of several competitors, taken in turns within one run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "foldtune/stream.h"

namespace foldtune::bench {

enum class Method {
  graph,    ///< calls captured in a CUDA graph that is replayed: what the GPU needs
  stream,   ///< calls enqueued back to back: what the host's part of a launch adds
  latency,  ///< from the call on the host until its result is there
};

/// "graph", "stream", "latency".
std::string_view name(Method method);

/// One competitor's calls: `enqueue(i)` enqueues call number i on the stream.
using EnqueueCall = std::function<void(std::uint64_t call)>;

struct TimingOptions {
  Method method = Method::graph;
  int rounds = 9;           ///< samples of each competitor
  std::uint64_t calls = 1;  ///< of a sample
};

/// All calls of one competitor, ready to be run again and again.
class Replay {
 public:
  /// Captures a graph for Method::graph; `enqueue` must then be ready for capture.
  Replay(Method method, std::uint64_t calls, Stream stream, const EnqueueCall& enqueue);

  /// Enqueues all calls once; for Method::latency, waits for each.
  void operator()() const { replay_(); }

 private:
  std::function<void()> replay_;
};

/// Microseconds per call: one list per replay, one sample per round. In every round all replays run
/// once, in an order of their own, drawn from `random`.
std::vector<std::vector<double>> time_in_rounds(const std::vector<Replay>& replays,
                                                const TimingOptions& options, Stream stream,
                                                std::mt19937_64& random);

}  // namespace foldtune::bench
