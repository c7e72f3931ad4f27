#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "runtime/device/cuda/cuda_driver.h"
#include "runtime/device/device.h"
#include "tests/stress/streams.h"
#include "tests/stress/stress.h"

namespace foldtune::stress {
namespace {

constexpr std::uint64_t kCount = 100'000;
constexpr int kReplaysPerLook = 1000;

/// Two sums at the same time, and their sum: the other stream joins the capture before the last
/// call.
class Graph {
 public:
  Graph(const Reducer& reducer, const double* x, const double* y, double* partials, double* output,
        Stream first, Stream second) {
    reducer.prepare(x, kCount);
    reducer.prepare(y, kCount);
    reducer.prepare(partials, 2);
    CUevent fork = nullptr;
    CUevent join = nullptr;
    check(driver_.cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING), "creating an event");
    check(driver_.cuEventCreate(&join, CU_EVENT_DISABLE_TIMING), "creating an event");
    check(driver_.cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_GLOBAL),
          "beginning a capture");
    check(driver_.cuEventRecord(fork, first), "recording an event");
    check(driver_.cuStreamWaitEvent(second, fork, 0), "waiting for an event");
    reducer(x, kCount, partials, first);
    reducer(y, kCount, partials + 1, second);
    check(driver_.cuEventRecord(join, second), "recording an event");
    check(driver_.cuStreamWaitEvent(first, join, 0), "waiting for an event");
    reducer(partials, 2, output, first);
    CUgraph graph = nullptr;
    check(driver_.cuStreamEndCapture(first, &graph), "ending a capture");
    check(driver_.cuGraphInstantiateWithFlags(&executable_, graph, 0), "instantiating a graph");
    driver_.cuGraphDestroy(graph);
    driver_.cuEventDestroy(fork);
    driver_.cuEventDestroy(join);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { driver_.cuGraphExecDestroy(executable_); }

  void launch(Stream stream) { check(driver_.cuGraphLaunch(executable_, stream), "replaying"); }

 private:
  void check(CUresult result, const char* doing) const { driver_.check(result, doing); }

  const CudaDriver& driver_ = CudaDriver::get();
  CUgraphExec executable_ = nullptr;
};

}  // namespace

void run_graphs(const GraphsOptions& options) {
  const std::shared_ptr<Device> device = open_device(options.device);
  if (!is_cuda(*device)) throw std::runtime_error("graphs are CUDA's: name a device cuda:N");
  use_in_this_thread(*device);
  const Streams streams(*device, 3);
  Context context(device, nullptr);
  std::vector<double> values(kCount, 1);
  const DeviceBuffer x(*device, kCount * sizeof(double));
  const DeviceBuffer y(*device, kCount * sizeof(double));
  const DeviceBuffer partials(*device, 2 * sizeof(double));
  const DeviceBuffer output(*device, sizeof(double));
  device->copy(y.data(), values.data(), kCount * sizeof(double));
  Graph graph(context.reducer({.op = Operator::sum, .type = ElementType::f64}),
              static_cast<const double*>(x.data()), static_cast<const double*>(y.data()),
              static_cast<double*>(partials.data()), static_cast<double*>(output.data()),
              streams[0], streams[1]);
  const auto start = std::chrono::steady_clock::now();
  for (int replays = 0; replays < options.replays; replays += kReplaysPerLook) {
    const int round = replays / kReplaysPerLook;
    std::iota(values.begin(), values.end(), round);
    device->copy(x.data(), values.data(), kCount * sizeof(double));
    const Stream stream = streams[static_cast<std::size_t>(round) % streams.size()];
    for (int i = 0; i < kReplaysPerLook; ++i) graph.launch(stream);
    device->synchronize(stream);
    double sum = 0;
    device->copy(&sum, output.data(), sizeof(sum));
    const double n = kCount;
    const double expected = n * round + n * (n - 1) / 2 + n;
    if (sum != expected) {
      throw std::runtime_error(fmt::format("after {} replays the result is {}, not {}",
                                           replays + kReplaysPerLook, sum, expected));
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print("{} replays in {:.1f} s: the right result after every {}\n", options.replays,
             elapsed.count(), kReplaysPerLook);
}

}  // namespace foldtune::stress
