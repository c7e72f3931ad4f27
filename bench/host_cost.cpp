// What a call costs the host: a plan's and a reducer's beside the bare launch of the same kernels,
// and CUB's where the bench has it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/bare_launch.h"
#ifdef FOLDTUNE_BENCH_CUB
#include "bench/cub_calls.h"
#endif
#include "foldtune/foldtune.hpp"
#include "runtime/device/cuda/cuda_driver.h"

namespace foldtune::bench {
namespace {

constexpr const char* kDescription = R"(
Sums f32: the same few elements in every call, more elements, for which calls need scratch, and
counts that vary at random. Nanoseconds of the host per call: the median over batches, all
contenders in turns. A batch is enqueued on an idle stream, and fewer calls than the driver lets
wait, so that the host never waits for the GPU. Then the same from many threads at a time, each on a
stream of its own, until their streams are idle: the mean over the threads.
)";

struct Arguments {
  std::string device = "cuda:0";
  std::uint64_t count = 4096;  ///< of the calls that are all alike: of one block, no scratch
  std::uint64_t with_scratch = 1 << 17;  ///< of those that are alike and need scratch
  std::uint64_t largest = 1 << 20;       ///< of those that vary
  int batches = 301;
  int threads = 16;
  bool check = false;
};

constexpr int kBatch = 200;  ///< calls
constexpr int kCallsOfThread = 10000;

// What --check asks for, in nanoseconds over the bare launch.
constexpr double kMostOfPlan = 100;
constexpr double kMostOfReducer = 150;

struct Contender {
  std::string name;
  std::function<void()> batch{};  ///< enqueues kBatch calls
  int bare = -1;                  ///< the contender that is bare; -1: none
  double max_ns = 0;              ///< over that one; 0: nothing is asked
  std::vector<double> ns{};       ///< per call
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// As many counts of each size class.
std::vector<std::uint64_t> random_counts(std::uint64_t largest) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> counts;
  while (counts.size() < kBatch) {
    const std::uint64_t limit = std::max<std::uint64_t>(1, largest >> random() % 12);
    counts.push_back(1 + random() % limit);
  }
  return counts;
}

CUcontext retain_context(const std::string& device) {
  const CudaDriver& driver = CudaDriver::get();
  CUdevice cuda = 0;
  driver.check(driver.cuDeviceGet(&cuda, std::stoi(device.substr(device.find(':') + 1))),
               "finding the GPU");
  CUcontext context = nullptr;
  driver.check(driver.cuDevicePrimaryCtxRetain(&context, cuda), "making a context");
  return context;
}

#ifdef FOLDTUNE_BENCH_CUB
/// CUB's sum of each of the counts, with its storage.
class CubSums {
 public:
  CubSums(Device& device, const Reduction& reduction, const std::vector<std::uint64_t>& counts,
          const void* input, void* output)
      : function_(find_cub_fold(reduction)) {
    std::size_t most = 0;
    for (const std::uint64_t count : counts) {
      arguments_.push_back({.inputs = {input, nullptr},
                            .count = static_cast<std::uint32_t>(count),
                            .output = output});
      std::size_t bytes = 0;
      function_(nullptr, bytes, arguments_.back(), nullptr);
      most = std::max(most, bytes);
    }
    storage_ = DeviceBuffer(device, most);
  }

  void call(std::size_t i, Stream stream) {
    std::size_t bytes = storage_.size();
    function_(storage_.data(), bytes, arguments_[i], stream);
  }

 private:
  CubCall function_;
  std::vector<CubArguments> arguments_;
  DeviceBuffer storage_;
};
#endif

int report(const std::vector<Contender>& contenders, bool check) {
  bool holds = true;
  fmt::print("{:<40} {:>9} {:>12}\n", "call", "ns", "over bare");
  for (const Contender& contender : contenders) {
    const double ns = median(contender.ns);
    std::string over;
    if (contender.bare >= 0) {
      const double more = ns - median(contenders[contender.bare].ns);
      over = fmt::format("{:+.0f}", more);
      if (contender.max_ns > 0 && more > contender.max_ns) {
        holds = false;
        fmt::print(stderr, "check: {} costs {:.0f} ns over the bare launch, more than {:.0f}\n",
                   contender.name, more, contender.max_ns);
      }
    }
    fmt::print("{:<40} {:>9.0f} {:>12}\n", contender.name, ns, over);
  }
  return holds || !check ? 0 : 1;
}

/// Nanoseconds of a thread for one of its calls, where as many threads call at a time as there are
/// streams.
double time_threads(Device& device, CUcontext context, const std::vector<CUstream>& streams,
                    const std::function<void(std::size_t thread)>& call) {
  std::vector<double> ns(streams.size());
  std::barrier together(static_cast<std::ptrdiff_t>(streams.size()));
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < streams.size(); ++thread) {
    threads.emplace_back([&, thread] {
      const CudaDriver& driver = CudaDriver::get();
      driver.check(driver.cuCtxPushCurrent(context), "using a context");
      for (int i = 0; i < kBatch; ++i) call(thread);
      device.synchronize(streams[thread]);
      together.arrive_and_wait();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kCallsOfThread; ++i) call(thread);
      device.synchronize(streams[thread]);
      const std::chrono::duration<double, std::nano> elapsed =
          std::chrono::steady_clock::now() - start;
      ns[thread] = elapsed.count() / kCallsOfThread;
    });
  }
  threads.clear();
  return std::accumulate(ns.begin(), ns.end(), 0.0) / static_cast<double>(ns.size());
}

/// Adds calls on `count` elements from many threads: the bare launch, and a plan that they share.
void add_threads(std::vector<Contender>& contenders, Device& device, CUcontext context,
                 const ReducePlan& plan, std::uint64_t count, const Reduction& reduction,
                 const Arguments& arguments, const void* input, void* output) {
  const CudaDriver& driver = CudaDriver::get();
  std::vector<CUstream> streams(static_cast<std::size_t>(arguments.threads));
  std::vector<std::unique_ptr<BareLauncher>> bare;
  for (CUstream& stream : streams) {
    driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
    bare.push_back(std::make_unique<BareLauncher>(
        device, reduction, std::vector<std::uint64_t>{count}, input, output));
  }
  const int first = static_cast<int>(contenders.size());
  const std::string which = fmt::format("n = {}, {} threads", count, arguments.threads);
  contenders.push_back({.name = "bare launch, " + which});
  contenders.push_back({.name = "plan, " + which, .bare = first});
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    contenders[first].ns.push_back(time_threads(
        device, context, streams, [&](std::size_t i) { bare[i]->launch(0, streams[i]); }));
    contenders[first + 1].ns.push_back(time_threads(
        device, context, streams, [&](std::size_t i) { plan(input, count, output, streams[i]); }));
  }
  for (CUstream const stream : streams) driver.cuStreamDestroy(stream);
}

int measure(const Arguments& arguments) {
  const CudaDriver& driver = CudaDriver::get();
  CUcontext const cuda_context = retain_context(arguments.device);
  driver.check(driver.cuCtxPushCurrent(cuda_context), "using a context");
  const std::shared_ptr<Device> device = open_device(arguments.device);
  Context context(device, nullptr);
  const Reduction reduction{.op = Operator::sum, .type = ElementType::f32};
  const std::uint64_t largest =
      std::max({arguments.count, arguments.with_scratch, arguments.largest});
  const DeviceBuffer memory(*device, largest * sizeof(float));
  const DeviceBuffer result(*device, sizeof(float));
  const void* const input = memory.data();
  void* const output = result.data();
  CUstream stream = nullptr;
  driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");

  const std::vector<std::uint64_t> same(kBatch, arguments.count);
  const std::vector<std::uint64_t> mixed = random_counts(arguments.largest);
  const Reducer reducer = context.reducer(reduction);
  const ReducePlan plan = reducer.plan(arguments.count);
  const DeviceBuffer scratch(*device, plan.scratch_bytes());
  const ReducePlan with_scratch = plan.with_scratch(scratch.data(), scratch.size());
  const std::vector<std::uint64_t> larger(kBatch, arguments.with_scratch);
  const ReducePlan larger_plan = reducer.plan(arguments.with_scratch);
  if (larger_plan.scratch_bytes() == 0) {
    throw InvalidArgument(
        fmt::format("--with-scratch {}: such calls need no scratch", arguments.with_scratch));
  }
  const DeviceBuffer larger_scratch(*device, larger_plan.scratch_bytes());
  const ReducePlan larger_with_scratch =
      larger_plan.with_scratch(larger_scratch.data(), larger_scratch.size());
  BareLauncher bare_same(*device, reduction, same, input, output);
  BareLauncher bare_mixed(*device, reduction, mixed, input, output);
  BareLauncher bare_larger(*device, reduction, larger, input, output);

  const auto of_all = [](auto call) {
    return [call] {
      for (std::size_t i = 0; i < kBatch; ++i) call(i);
    };
  };
  std::vector<Contender> contenders{
      {.name = fmt::format("bare launch, n = {}", arguments.count),
       .batch = of_all([&](std::size_t i) { bare_same.launch(i, stream); })},
      {.name = "plan",
       .batch = of_all([&](std::size_t i) { plan(input, same[i], output, stream); }),
       .bare = 0,
       .max_ns = kMostOfPlan},
      {.name = "plan with the caller's scratch",
       .batch = of_all([&](std::size_t i) { with_scratch(input, same[i], output, stream); }),
       .bare = 0,
       .max_ns = kMostOfPlan},
      {.name = fmt::format("bare launch, n up to {}", arguments.largest),
       .batch = of_all([&](std::size_t i) { bare_mixed.launch(i, stream); })},
      {.name = "reducer, n at random",
       .batch = of_all([&](std::size_t i) { reducer(input, mixed[i], output, stream); }),
       .bare = 3,
       .max_ns = kMostOfReducer},
      {.name = "foldtune::sum, n at random",
       .batch = of_all([&](std::size_t i) {
         foldtune::sum(context, static_cast<const float*>(input), mixed[i],
                       static_cast<float*>(output), stream);
       }),
       .bare = 3},
      {.name = fmt::format("bare launch, n = {}", arguments.with_scratch),
       .batch = of_all([&](std::size_t i) { bare_larger.launch(i, stream); })},
      {.name = "plan with the library's scratch",
       .batch = of_all([&](std::size_t i) { larger_plan(input, larger[i], output, stream); }),
       .bare = 6,
       .max_ns = kMostOfPlan},
      {.name = "plan with the caller's scratch",
       .batch =
           of_all([&](std::size_t i) { larger_with_scratch(input, larger[i], output, stream); }),
       .bare = 6,
       .max_ns = kMostOfPlan},
      {.name = "reducer with the library's scratch",
       .batch = of_all([&](std::size_t i) { reducer(input, larger[i], output, stream); }),
       .bare = 6,
       .max_ns = kMostOfReducer}};
#ifdef FOLDTUNE_BENCH_CUB
  CubSums cub_same(*device, reduction, same, input, output);
  CubSums cub_mixed(*device, reduction, mixed, input, output);
  contenders.push_back({.name = fmt::format("CUB {}, n = {}", cub_version(), arguments.count),
                        .batch = of_all([&](std::size_t i) { cub_same.call(i, stream); }),
                        .bare = 0});
  contenders.push_back({.name = fmt::format("CUB {}, n at random", cub_version()),
                        .batch = of_all([&](std::size_t i) { cub_mixed.call(i, stream); }),
                        .bare = 3});
#endif

  constexpr int kWarmUp = 3;
  for (int batch = -kWarmUp; batch < arguments.batches; ++batch) {
    for (Contender& contender : contenders) {
      device->synchronize(stream);
      const auto start = std::chrono::steady_clock::now();
      contender.batch();
      const std::chrono::duration<double, std::nano> elapsed =
          std::chrono::steady_clock::now() - start;
      if (batch >= 0) contender.ns.push_back(elapsed.count() / kBatch);
    }
  }
  device->synchronize(stream);
  driver.cuStreamDestroy(stream);
  add_threads(contenders, *device, cuda_context, plan, arguments.count, reduction, arguments, input,
              output);
  add_threads(contenders, *device, cuda_context, larger_plan, arguments.with_scratch, reduction,
              arguments, input, output);
  fmt::print("{}\n", device->info().record.name);
  return report(contenders, arguments.check);
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(kDescription, "foldtune_host_cost");
  app.add_option("--device", arguments.device, "cuda:N")->capture_default_str();
  app.add_option("--n", arguments.count, "Elements of the calls that are all alike")
      ->capture_default_str();
  app.add_option("--with-scratch", arguments.with_scratch,
                 "Elements of calls that are all alike and need scratch")
      ->capture_default_str();
  app.add_option("--largest", arguments.largest, "Elements, at most, of those that vary")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--batches", arguments.batches)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--threads", arguments.threads, "That call at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_flag("--check", arguments.check,
               "Exit with 1 where a plan costs more than 100 ns over the bare launch, or a reducer "
               "more than 150");
  CLI11_PARSE(app, argc, argv);
  return measure(arguments);
}

}  // namespace
}  // namespace foldtune::bench

int main(int argc, char** argv) {
  try {
    return foldtune::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "foldtune_host_cost: error: {}\n", error.what());
    return 2;
  }
}
