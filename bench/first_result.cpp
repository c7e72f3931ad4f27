// How long a new process waits for its first result, from when it has a CUDA context.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>

#include "foldtune/foldtune.hpp"
#include "runtime/device/cuda/cuda_driver.h"

namespace foldtune::bench {
namespace {

constexpr const char* kDescription = R"(
Sums f32 once, and says how long each step took, in milliseconds. One process measures once: start
it several times. The CUDA context, the input and the output are there when the time begins.
)";

struct Arguments {
  int device = 0;
  std::uint64_t count = 1 << 20;
  std::string database;
  bool hide_nvrtc = false;
  double limit_ms = 0;
};

using Clock = std::chrono::steady_clock;

double ms_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - start).count();
}

/// The caller's own device memory, as a program has it that has nothing to do with Foldtune.
template <class T>
T* allocate(std::uint64_t count) {
  const CudaDriver& driver = CudaDriver::get();
  CUdeviceptr memory = 0;
  driver.check(driver.cuMemAlloc(&memory, count * sizeof(T)), "allocating");
  driver.check(driver.cuMemsetD8(memory, 0, count * sizeof(T)), "clearing");
  return reinterpret_cast<T*>(memory);
}

int measure(const Arguments& arguments) {
  // Where it is looked for and nothing is: as on a machine without the toolkit.
  if (arguments.hide_nvrtc) setenv("FOLDTUNE_NVRTC", "/dev/null/libnvrtc.so", 1);
  const CudaDriver& driver = CudaDriver::get();
  CUdevice cuda = 0;
  driver.check(driver.cuDeviceGet(&cuda, arguments.device), "finding the GPU");
  CUcontext cuda_context = nullptr;
  driver.check(driver.cuDevicePrimaryCtxRetain(&cuda_context, cuda), "making a context");
  driver.check(driver.cuCtxPushCurrent(cuda_context), "using a context");
  const auto* const input = allocate<float>(arguments.count);
  auto* const output = allocate<float>(1);
  driver.check(driver.cuStreamSynchronize(nullptr), "waiting");

  const Clock::time_point start = Clock::now();
  Context context(
      {.device = fmt::format("cuda:{}", arguments.device), .database = arguments.database});
  const Clock::time_point opened = Clock::now();
  const Reducer reducer = context.reducer({.op = Operator::sum, .type = ElementType::f32});
  reducer(input, arguments.count, output);
  const Clock::time_point enqueued = Clock::now();
  driver.check(driver.cuStreamSynchronize(nullptr), "waiting");
  const Clock::time_point end = Clock::now();

  float sum = -1;
  driver.check(driver.cuMemcpy(reinterpret_cast<CUdeviceptr>(&sum),
                               reinterpret_cast<CUdeviceptr>(output), sizeof(sum)),
               "copying the result");
  if (sum != 0) throw DeviceError(fmt::format("the sum of zeros is {}", sum));
  const double total = ms_between(start, end);
  fmt::print("context {:.3f} ms, call {:.3f} ms, result {:.3f} ms: {:.3f} ms in all ({}{})\n",
             ms_between(start, opened), ms_between(opened, enqueued), ms_between(enqueued, end),
             total, to_string(reducer.explain(arguments.count).source),
             arguments.hide_nvrtc ? ", NVRTC hidden" : "");
  return arguments.limit_ms > 0 && total > arguments.limit_ms ? 1 : 0;
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(kDescription, "foldtune_first_result");
  app.add_option("--device", arguments.device, "The GPU's number")->capture_default_str();
  app.add_option("--n", arguments.count, "Elements")->capture_default_str();
  app.add_option("--db", arguments.database, "The tuning database; else the default one");
  app.add_flag("--hide-nvrtc", arguments.hide_nvrtc, "Let it not be found");
  app.add_option("--limit-ms", arguments.limit_ms, "Exit with 1 if it takes longer");
  CLI11_PARSE(app, argc, argv);
  return measure(arguments);
}

}  // namespace
}  // namespace foldtune::bench

int main(int argc, char** argv) {
  try {
    return foldtune::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "foldtune_first_result: error: {}\n", error.what());
    return 2;
  }
}
