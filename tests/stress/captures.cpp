#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "runtime/device/cuda/cuda_driver.h"
#include "runtime/device/device.h"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/stress/streams.h"
#include "tests/stress/stress.h"

namespace foldtune::stress {
namespace {

void check(CUresult result, const char* doing) { CudaDriver::get().check(result, doing); }

/// Ends the process where nothing goes on: what hangs in the driver can be told nothing.
class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds patience) : patience_(patience) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() = default;

  void note(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
    last_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      ended_.wait_until(lock, stop, last_ + patience_, [] { return false; });
      if (stop.stop_requested() || Clock::now() < last_ + patience_) continue;
      fmt::print(stderr, "stress: error: nothing went on for {} s: {}\n", patience_.count(), what_);
      std::_Exit(1);
    }
  }

  const std::chrono::seconds patience_;
  std::mutex mutex_;  // guards what follows
  std::string what_ = "the beginning";
  Clock::time_point last_ = Clock::now();
  std::condition_variable_any ended_;
  std::jthread thread_{[this](const std::stop_token& stop) { watch(stop); }};
};

/// What is captured, ready to be replayed.
class Graph {
 public:
  Graph(Stream stream, CUstreamCaptureMode mode, const std::function<void()>& enqueue) {
    check(driver_.cuStreamBeginCapture(stream, mode), "beginning a capture");
    CUgraph graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      driver_.cuStreamEndCapture(stream, &graph);
      throw;
    }
    check(driver_.cuStreamEndCapture(stream, &graph), "ending a capture");
    const CUresult result = driver_.cuGraphInstantiateWithFlags(&executable_, graph, 0);
    driver_.cuGraphDestroy(graph);  // as PyTorch does: what is instantiated keeps the scratch
    check(result, "instantiating a graph");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { driver_.cuGraphExecDestroy(executable_); }

  void launch(Stream stream) const {
    check(driver_.cuGraphLaunch(executable_, stream), "replaying a graph");
  }

 private:
  const CudaDriver& driver_ = CudaDriver::get();
  CUgraphExec executable_ = nullptr;
};

/// A call, and what it stores.
struct Case {
  std::string name{};
  std::function<void(void* output, Stream stream)> call{};
  std::size_t bytes = 0;          ///< of the output
  std::size_t padding_begin = 0;  ///< bytes of it that hold nothing
  std::size_t padding_end = 0;
  std::function<bool(const std::byte* output)> is_right{};  ///< by what the host knows
};

/// Calls with an output each, which are made together.
class Calls {
 public:
  Calls(Device& device, const std::vector<Case>& cases) : device_(device), cases_(cases) {
    for (const Case& one : cases_) {
      places_.push_back(bytes_);
      bytes_ += (one.bytes + kPlace - 1) / kPlace * kPlace;
    }
    outputs_ = DeviceBuffer(device, bytes_);
  }

  void enqueue(Stream stream) const {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      cases_[i].call(static_cast<std::byte*>(outputs_.data()) + places_[i], stream);
    }
  }

  /// So that no result of before is taken for one of now.
  void forget(Stream stream) const {
    check(CudaDriver::get().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(outputs_.data()), 0xee,
                                            bytes_, stream),
          "overwriting the results");
  }

  /// When the stream was waited for: throws where a result is wrong, or differs from the first one.
  void look(const std::string& when) {
    std::vector<std::byte> now(bytes_);
    device_.copy(now.data(), outputs_.data(), bytes_);
    const bool is_first = first_.empty();
    if (is_first) first_ = now;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const Case& one = cases_[i];
      const std::byte* const result = now.data() + places_[i];
      if (!one.is_right(result) || !is_same(one, result, first_.data() + places_[i])) {
        throw std::runtime_error(fmt::format("{}: {} is wrong", when, one.name));
      }
    }
  }

 private:
  static constexpr std::size_t kPlace = 256;

  static bool is_same(const Case& one, const std::byte* a, const std::byte* b) {
    for (std::size_t i = 0; i < one.bytes; ++i) {
      const bool is_padding = i >= one.padding_begin && i < one.padding_end;
      if (!is_padding && a[i] != b[i]) return false;
    }
    return true;
  }

  Device& device_;
  const std::vector<Case>& cases_;
  std::vector<std::size_t> places_;
  std::size_t bytes_ = 0;
  DeviceBuffer outputs_;
  std::vector<std::byte> first_;
};

template <class T>
T read(const std::byte* output) {
  T value;
  std::memcpy(&value, output, sizeof(value));
  return value;
}

/// How blocks meet, and how large they are: the larger, the fewer.
struct Ending {
  FinalStage stage = FinalStage::polling;
  int block_size = 256;
};

/// A context whose reductions all end in one way.
std::unique_ptr<Context> context_with(const std::shared_ptr<Device>& device, Ending ending) {
  const auto configure = [device, ending](const Workload& workload) {
    const Config params =
        Space(workload).default_params(device->quick_info().record.multiprocessor_count);
    if (&params.family() == &histogram_family()) {
      HistogramParams histogram = histogram_params(params);
      histogram.finish = ending.stage == FinalStage::polling ? HistogramFinal::polling
                                                             : HistogramFinal::last_block;
      return to_json(histogram);
    }
    ReduceParams reduce = reduce_params(params);
    reduce.final_stage = ending.stage;
    reduce.block_size = ending.block_size;
    reduce.waves = 0;  // as many blocks as tiles, but in a cluster
    return to_json(reduce);
  };
  ContextOptions options;
  options.on_miss = {.action = OnMiss::tune, .tune = configure};
  return std::make_unique<Context>(device, nullptr, options);
}

/// Of a hundred blocks one warp polls, of more a whole block.
constexpr std::array kEndings{
    Ending{.stage = FinalStage::polling}, Ending{.stage = FinalStage::polling, .block_size = 1024},
    Ending{.stage = FinalStage::cluster}, Ending{.stage = FinalStage::two_pass},
    Ending{.stage = FinalStage::last_block}};

std::string_view stage_name(FinalStage stage) {
  switch (stage) {
    case FinalStage::polling:
      return "polling";
    case FinalStage::cluster:
      return "in a cluster";
    case FinalStage::two_pass:
      return "in two passes";
    case FinalStage::counted:
      return "counted";
    default:
      return "by the last block";
  }
}

/// The inputs, and every call on them.
class Work {
 public:
  static constexpr std::uint64_t kCount = 1 << 20;
  static constexpr std::uint64_t kLargestAt = 777'777;
  static constexpr std::uint32_t kBins = 64;

  explicit Work(const std::shared_ptr<Device>& device)
      : floats_(*device, kCount * sizeof(float)), bytes_(*device, kCount) {
    std::vector<float> floats(kCount);
    std::vector<std::uint8_t> bytes(kCount);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      bytes[i] = static_cast<std::uint8_t>(i * 7 % kBins);
      floats[i] = bytes[i];
      sum_ += bytes[i];
      ++counts_.at(bytes[i]);
    }
    byte_sum_ = sum_;
    floats[kLargestAt] = kBins;
    sum_ += kBins - bytes[kLargestAt];
    --counts_.at(bytes[kLargestAt]);
    ++counts_.back();  // which includes the upper bound
    for (const float value : floats) exponentials_ += std::exp(static_cast<double>(value) - kBins);
    device->copy(floats_.data(), floats.data(), kCount * sizeof(float));
    device->copy(bytes_.data(), bytes.data(), kCount);

    for (const Ending ending : kEndings) add_ending(device, ending);
    add_counted(device);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() = default;

  /// Of sum, argmax, histogram and logsumexp.
  static constexpr std::size_t kKinds = 4;
  const std::vector<Case>& cases(std::size_t kind) const { return cases_.at(kind); }

 private:
  Context& add_context(const std::shared_ptr<Device>& device, Ending ending) {
    return *contexts_.emplace_back(context_with(device, ending));
  }

  /// On floats, by a plan as well as by its reducer.
  void add(std::size_t kind, const Reducer& reducer, FinalStage stage, Case one) {
    const void* const input = floats_.data();
    reducer.prepare(input, kCount);
    const ReducePlan plan = reducer.plan(kCount);
    one.name = fmt::format("{} {}", name(reducer.problem().op), stage_name(stage));
    one.call = [reducer, input](void* output, Stream stream) {
      reducer(input, kCount, output, stream);
    };
    cases_.at(kind).push_back(one);
    one.name += " by a plan";
    one.call = [plan, input](void* output, Stream stream) { plan(input, kCount, output, stream); };
    cases_.at(kind).push_back(one);
  }

  void add_ending(const std::shared_ptr<Device>& device, Ending ending) {
    const FinalStage stage = ending.stage;
    Context& context = add_context(device, ending);
    add(0, context.reducer({.op = Operator::sum, .type = ElementType::f32}), stage,
        {.bytes = sizeof(float), .is_right = [this](const std::byte* output) {
           // Sums of whole numbers below 2^24 are exact, larger ones nearly so.
           return std::fabs(static_cast<double>(read<float>(output)) / static_cast<double>(sum_) -
                            1) < 1e-5;
         }});
    add(1, context.reducer({.op = Operator::argmax, .type = ElementType::f32}), stage,
        {.bytes = sizeof(IndexedValue<float>),
         .padding_begin = sizeof(float),
         .padding_end = offsetof(IndexedValue<float>, index),
         .is_right = [](const std::byte* output) {
           const auto result = read<IndexedValue<float>>(output);
           return result.value == kBins && result.index == kLargestAt;
         }});
    add(3, context.reducer({.op = Operator::logsumexp, .type = ElementType::f32}), stage,
        {.bytes = sizeof(float), .is_right = [this](const std::byte* output) {
           const double expected = kBins + std::log(exponentials_);
           return std::fabs(static_cast<double>(read<float>(output)) - expected) < 1e-3;
         }});
    if (stage != FinalStage::polling && stage != FinalStage::last_block) return;
    const Histogram histogram = context.histogram({.type = ElementType::f32, .bins = kBins});
    histogram.prepare(floats_.data(), kCount);
    cases_[2].push_back({.name = fmt::format("histogram {}", stage_name(stage)),
                         .call =
                             [histogram, input = floats_.data()](void* output, Stream stream) {
                               histogram(input, kCount, 0, kBins, output, stream);
                             },
                         .bytes = kBins * sizeof(std::uint64_t),
                         .is_right =
                             [this](const std::byte* output) {
                               return std::memcmp(output, counts_.data(), sizeof(counts_)) == 0;
                             }});
  }

  void add_counted(const std::shared_ptr<Device>& device) {
    const Reducer reducer = add_context(device, {.stage = FinalStage::counted})
                                .reducer({.op = Operator::sum, .type = ElementType::u8});
    reducer.prepare(bytes_.data(), kCount);
    cases_[0].push_back(
        {.name = fmt::format("sum {}", stage_name(FinalStage::counted)),
         .call = [reducer, input = bytes_.data()](
                     void* output, Stream stream) { reducer(input, kCount, output, stream); },
         .bytes = sizeof(std::uint64_t),
         .is_right =
             [this](const std::byte* output) { return read<std::uint64_t>(output) == byte_sum_; }});
  }

  DeviceBuffer floats_;
  DeviceBuffer bytes_;
  std::uint64_t sum_ = 0;
  std::uint64_t byte_sum_ = 0;
  double exponentials_ = 0;
  std::array<std::uint64_t, kBins> counts_{};
  std::vector<std::unique_ptr<Context>> contexts_;
  std::array<std::vector<Case>, kKinds> cases_;
};

constexpr std::array<std::pair<CUstreamCaptureMode, const char*>, 3> kModes{
    {{CU_STREAM_CAPTURE_MODE_GLOBAL, "global"},
     {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, "thread-local"},
     {CU_STREAM_CAPTURE_MODE_RELAXED, "relaxed"}}};

/// A graph of each kind, all captured on one stream, replayed at once on others, beside the same
/// calls on the stream that was captured.
void replay_at_once(Device& device, const Work& work, const CapturesOptions& options,
                    Watchdog& watchdog) {
  const Streams streams(device, static_cast<int>(Work::kKinds) + 1);
  const Stream captured = streams[Work::kKinds];
  std::vector<std::unique_ptr<Calls>> replayed;
  std::vector<std::unique_ptr<Calls>> direct;
  std::vector<std::unique_ptr<Graph>> graphs;
  for (std::size_t kind = 0; kind < Work::kKinds; ++kind) {
    watchdog.note(fmt::format("capturing graph {}", kind));
    Calls& calls = *replayed.emplace_back(std::make_unique<Calls>(device, work.cases(kind)));
    graphs.push_back(std::make_unique<Graph>(captured, kModes.at(kind % kModes.size()).first,
                                             [&] { calls.enqueue(captured); }));
    direct.push_back(std::make_unique<Calls>(device, work.cases(kind)));
  }
  constexpr int kReplaysPerRound = 4;
  for (int round = 0; round < options.rounds; ++round) {
    const std::string when = fmt::format("graphs replayed at once, round {}", round);
    watchdog.note(when);
    // Every graph on every stream in turns.
    const auto stream_of = [&](std::size_t kind) {
      return streams[(kind + static_cast<std::size_t>(round)) % Work::kKinds];
    };
    for (std::size_t kind = 0; kind < Work::kKinds; ++kind) {
      replayed[kind]->forget(stream_of(kind));
      direct[kind]->forget(captured);
    }
    for (int replay = 0; replay < kReplaysPerRound; ++replay) {
      for (std::size_t kind = 0; kind < Work::kKinds; ++kind) {
        graphs[kind]->launch(stream_of(kind));
        direct[kind]->enqueue(captured);
      }
    }
    for (std::size_t i = 0; i < streams.size(); ++i) device.synchronize(streams[i]);
    for (std::size_t kind = 0; kind < Work::kKinds; ++kind) {
      replayed[kind]->look(when);
      direct[kind]->look(when + ", beside them");
    }
  }
  fmt::print("{} graphs of one stream at once, {} rounds: all right\n", graphs.size(),
             options.rounds);
}

/// Two graphs of forty sums each, with the untuned default.
void replay_sums(const std::shared_ptr<Device>& device, Watchdog& watchdog) {
  constexpr int kCalls = 40;
  constexpr int kRounds = 50;
  const Streams streams(*device, 3);
  Context context(device, nullptr);
  const Reducer sum = context.reducer({.op = Operator::sum, .type = ElementType::f32});
  for (const int power : {18, 20, 23}) {
    const std::uint64_t count = std::uint64_t{1} << power;
    const DeviceBuffer input(*device, count * sizeof(float));
    const std::vector<float> ones(count, 1);
    device->copy(input.data(), ones.data(), count * sizeof(float));
    sum.prepare(input.data(), count);
    const std::vector<Case> cases(
        kCalls,
        {.name = fmt::format("a sum of 2^{}", power),
         .call = [&](void* output, Stream stream) { sum(input.data(), count, output, stream); },
         .bytes = sizeof(float),
         .is_right =
             [&](const std::byte* output) {
               return read<float>(output) == static_cast<float>(count);
             }});
    Calls first(*device, cases);
    Calls second(*device, cases);
    const Graph one(streams[0], CU_STREAM_CAPTURE_MODE_GLOBAL, [&] { first.enqueue(streams[0]); });
    const Graph other(streams[0], CU_STREAM_CAPTURE_MODE_GLOBAL,
                      [&] { second.enqueue(streams[0]); });
    for (int round = 0; round < kRounds; ++round) {
      watchdog.note(fmt::format("sums of 2^{}, round {}", power, round));
      first.forget(streams[1]);
      second.forget(streams[2]);
      one.launch(streams[1]);
      other.launch(streams[2]);
      for (std::size_t i = 0; i < streams.size(); ++i) device->synchronize(streams[i]);
      first.look("two graphs of sums at once");
      second.look("two graphs of sums at once");
    }
  }
  fmt::print("two graphs of {} sums of 2^18, 2^20 and 2^23 at once, {} rounds: all right\n", kCalls,
             kRounds);
}

/// Every kind of stream in every mode of capture: one that the default stream waits for, one that
/// it does not wait for, and the thread's own.
void capture_in_every_mode(Device& device, const Work& work, Watchdog& watchdog) {
  const CudaDriver& driver = CudaDriver::get();
  const Streams streams(device, 1);
  CUstream blocking = nullptr;
  check(driver.cuStreamCreate(&blocking, CU_STREAM_DEFAULT), "creating a stream");
  const std::array<std::pair<Stream, const char*>, 3> kinds{
      {{streams[0], "non-blocking"}, {blocking, "blocking"}, {CU_STREAM_PER_THREAD, "own"}}};
  for (const auto& [stream, stream_name] : kinds) {
    for (const auto& [mode, mode_name] : kModes) {
      const std::string what = fmt::format("a {} capture of a {} stream", mode_name, stream_name);
      watchdog.note(what);
      Calls calls(device, work.cases(0));
      const Graph graph(stream, mode, [&, at = stream] { calls.enqueue(at); });
      for (const Stream replayed_on : {stream, streams[0]}) {
        calls.forget(replayed_on);
        graph.launch(replayed_on);
        device.synchronize(replayed_on);
        calls.look(what);
      }
    }
  }
  driver.cuStreamDestroy(blocking);
  fmt::print("captures of every mode and kind of stream: all right\n");
}

/// Threads that capture and call at the same time.
void capture_in_threads(Device& device, const Work& work, Watchdog& watchdog) {
  constexpr int kCapturesOfThread = 50;
  const Streams streams(device, static_cast<int>(Work::kKinds));
  std::mutex mutex;
  std::exception_ptr failure;
  {
    std::vector<std::jthread> threads;
    for (std::size_t kind = 0; kind < Work::kKinds; ++kind) {
      threads.emplace_back([&, kind] {
        try {
          use_in_this_thread(device);
          for (int i = 0; i < kCapturesOfThread; ++i) {
            const std::string when = fmt::format("capture {} of thread {}", i, kind);
            watchdog.note(when);
            // Through the default stream, by one thread at a time.
            std::optional<Calls> calls;
            {
              const std::lock_guard lock(mutex);
              calls.emplace(device, work.cases(kind));
            }
            const Graph graph(streams[kind], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                              [&] { calls->enqueue(streams[kind]); });
            calls->forget(streams[kind]);
            graph.launch(streams[kind]);
            device.synchronize(streams[kind]);
            const std::lock_guard lock(mutex);
            calls->look(when);
            calls.reset();
          }
        } catch (...) {
          const std::lock_guard lock(mutex);
          failure = std::current_exception();
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);
  fmt::print("{} threads that capture, {} graphs each: all right\n", Work::kKinds,
             kCapturesOfThread);
}

/// What graphs had is used again when they are gone.
void capture_again_and_again(const std::shared_ptr<Device>& device, Watchdog& watchdog) {
  constexpr std::uint64_t kCount = 1 << 23;
  constexpr int kCaptures = 2000;
  constexpr std::uint64_t kMostBytes = 32 << 20;
  const Streams streams(*device, 1);
  const std::unique_ptr<Context> context = context_with(device, {.stage = FinalStage::two_pass});
  const Reducer sum = context->reducer({.op = Operator::sum, .type = ElementType::f32});
  const DeviceBuffer input(*device, kCount * sizeof(float));
  const DeviceBuffer output(*device, sizeof(float));
  const std::size_t bytes = sum.plan(kCount).scratch_bytes();
  const auto capture = [&] {
    const Graph graph(streams[0], CU_STREAM_CAPTURE_MODE_GLOBAL,
                      [&] { sum(input.data(), kCount, output.data(), streams[0]); });
    graph.launch(streams[0]);
    device->synchronize(streams[0]);
  };
  capture();
  const std::uint64_t before = *free_memory(*device);
  for (int i = 0; i < kCaptures; ++i) {
    watchdog.note(fmt::format("capture {} of a graph that is destroyed", i));
    capture();
  }
  const std::uint64_t after = *free_memory(*device);
  if (after + kMostBytes < before) {
    throw std::runtime_error(fmt::format("{} captures that need {} bytes each took {} bytes",
                                         kCaptures, bytes, before - after));
  }
  fmt::print("{} graphs one after another, {} bytes of scratch each: {} bytes less are free\n",
             kCaptures, bytes, before < after ? 0 : before - after);
}

/// A handle that goes with the process, long after its context.
void keep_a_handle(const std::shared_ptr<Device>& device) {
  static std::optional<Reducer> kept;
  kept = context_with(device, {})->reducer({.op = Operator::count_nonzero});
  const DeviceBuffer input(*device, 4 * Work::kCount);
  if (kept->value<std::uint64_t>(input.data(), Work::kCount) != 0) {
    throw std::runtime_error("a handle without its context is wrong");
  }
  fmt::print("a handle without its context: right\n");
}

}  // namespace

void run_captures(const CapturesOptions& options) {
  const std::shared_ptr<Device> device = open_device(options.device);
  if (!is_cuda(*device)) throw std::runtime_error("graphs are CUDA's: name a device cuda:N");
  use_in_this_thread(*device);
  Watchdog watchdog{std::chrono::seconds(options.patience_s)};
  replay_sums(device, watchdog);
  const Work work(device);
  watchdog.note("the first calls");
  for (std::size_t kind = 0; kind < Work::kKinds; ++kind) {
    const Streams streams(*device, 1);
    Calls calls(*device, work.cases(kind));
    calls.enqueue(streams[0]);
    device->synchronize(streams[0]);
    calls.look("a call outside of any capture");
  }
  replay_at_once(*device, work, options, watchdog);
  capture_in_every_mode(*device, work, watchdog);
  capture_in_threads(*device, work, watchdog);
  capture_again_and_again(device, watchdog);
  keep_a_handle(device);
}

}  // namespace foldtune::stress
