/// The stress tests: each looks at every result, says what it did, and throws what was wrong.
#pragma once

#include <cstdint>
#include <string>

namespace foldtune::stress {

struct ThreadsOptions {
  std::string device = "cpu";
  int threads = 16;
  int streams = 16;
  int calls = 100'000;              ///< of each thread
  std::uint64_t largest = 1 << 20;  ///< elements of a call
  std::uint64_t seed = 1;
};

/// Calls of all kinds from all threads on all streams. On a GPU the device's free memory must be
/// the same before and after, once every kind of call was made on every stream.
void run_threads(const ThreadsOptions& options);

struct GraphsOptions {
  std::string device = "cuda:0";
  int replays = 1'000'000;
};

/// Replays a graph in which two streams meet before a call. The result is looked at after every
/// thousand replays, of inputs that changed since.
void run_graphs(const GraphsOptions& options);

struct CapturesOptions {
  std::string device = "cuda:0";
  int rounds = 1000;    ///< of four graphs at once
  int patience_s = 60;  ///< after so long without a result the process ends, with exit code 1
};

/// Captures graphs of every final stage on one stream, and replays them at the same time, beside
/// direct calls; captures of every mode, by several threads, and one after another.
void run_captures(const CapturesOptions& options);

/// Makes every mistake, and a good call after each.
void run_bad_calls(const std::string& device);

}  // namespace foldtune::stress
