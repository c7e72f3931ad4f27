#include "runtime/device/cuda/cuda_stopwatch.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/cuda/cuda_context.h"

namespace foldtune {
namespace {

/// What is timed runs in the default stream, where the device's other work runs, too: once kernels
/// of two streams have taken turns a few times, short kernels take 0.2 to 0.4 us longer in every
/// stream of the process, for good (H200, driver 580), and what is timed later seems slower.
constexpr CUstream kStream = nullptr;

/// Calls the driver's function that destroys a handle. The context must be current then; where it
/// is gone, so is what the handle named.
template <class Handle, auto kDestroy>
struct DestroyHandle {
  void operator()(Handle handle) const { (CudaDriver::get().*kDestroy)(handle); }
};
template <class Handle, auto kDestroy>
using OwnedHandle = std::unique_ptr<std::remove_pointer_t<Handle>, DestroyHandle<Handle, kDestroy>>;

using OwnedEvent = OwnedHandle<CUevent, &CudaDriver::cuEventDestroy>;
using OwnedGraph = OwnedHandle<CUgraph, &CudaDriver::cuGraphDestroy>;
using OwnedGraphExec = OwnedHandle<CUgraphExec, &CudaDriver::cuGraphExecDestroy>;

class CudaStopwatch final : public Stopwatch {
 public:
  CudaStopwatch(CudaTimer& timer, TimingRequest request)
      : timer_(timer), request_(std::move(request)) {
    const ContextScope scope(timer_.context());
    if (request_.launching == Launching::graph) capture();
  }

  ~CudaStopwatch() override {
    try {
      const ContextScope scope(timer_.context());
      // After an error, calls may still be running that read what the caller is about to free.
      driver_.cuStreamSynchronize(kStream);
      executable_.reset();
      events_.clear();
    } catch (const Error&) {  // the context is gone, and everything of it
      (void)executable_.release();
      for (OwnedEvent& event : events_) (void)event.release();
    }
  }

  Samples take(int samples) override {
    const ContextScope scope(timer_.context());
    return timer_.take([&] {
      return request_.launching == Launching::latency ? take_latencies(samples) : take_all(samples);
    });
  }

 private:
  /// The calls as a graph, so that the host's cost of a launch is not in the figure.
  void capture() {
    const CUstream stream = timer_.capture_stream();
    driver_.check(driver_.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                  "beginning a capture");
    CUgraph graph = nullptr;
    try {
      enqueue_calls(stream);
    } catch (...) {
      driver_.cuStreamEndCapture(stream, &graph);
      const OwnedGraph destroyed(graph);
      throw;
    }
    driver_.check(driver_.cuStreamEndCapture(stream, &graph), "ending a capture");
    const OwnedGraph captured(graph);
    CUgraphExec executable = nullptr;
    driver_.check(driver_.cuGraphInstantiateWithFlags(&executable, graph, 0),
                  fmt::format("instantiating a graph of {} calls", request_.calls));
    executable_.reset(executable);
  }

  void enqueue_calls(CUstream stream) {
    for (int call = 0; call < request_.calls; ++call) request_.enqueue(call, stream);
  }

  void enqueue_sample() {
    if (executable_ == nullptr) return enqueue_calls(kStream);
    driver_.check(driver_.cuGraphLaunch(executable_.get(), kStream), "launching a graph");
  }

  /// Everything is enqueued without a wait, behind an untimed sample. So the device is at work when
  /// the first event comes, and the host, which takes milliseconds to launch a graph of thousands
  /// of calls, is ahead of it; where calls are so short that it is not, launching them one by one,
  /// this is what is to be measured.
  ThrottleGuard::Reading take_all(int samples) {
    while (events_.size() < 2 * static_cast<std::size_t>(samples)) add_event();
    enqueue_sample();
    for (int sample = 0; sample < samples; ++sample) {
      if (request_.before_sample) request_.before_sample(kStream);
      record(2 * sample);
      enqueue_sample();
      record(2 * sample + 1);
    }
    const DeviceState state = timer_.state();
    synchronize();
    ThrottleGuard::Reading reading{.us = {}, .state = state};
    for (int sample = 0; sample < samples; ++sample) {
      reading.us.push_back(elapsed_us(2 * sample) / request_.calls);
    }
    return reading;
  }

  ThrottleGuard::Reading take_latencies(int samples) {
    using Clock = std::chrono::steady_clock;
    ThrottleGuard::Reading reading;
    enqueue_sample();
    for (int sample = 0; sample < samples; ++sample) {
      if (request_.before_sample) request_.before_sample(kStream);
      synchronize();
      const Clock::time_point begin = Clock::now();
      enqueue_sample();
      const std::chrono::duration<double, std::micro> elapsed = Clock::now() - begin;
      reading.us.push_back(elapsed.count() / request_.calls);
    }
    reading.state = timer_.state();  // not earlier: it would be in the figure
    return reading;
  }

  void add_event() {
    CUevent event = nullptr;
    driver_.check(driver_.cuEventCreate(&event, CU_EVENT_DEFAULT), "creating an event");
    events_.emplace_back(event);
  }

  CUevent event(int index) const { return events_[static_cast<std::size_t>(index)].get(); }

  void record(int index) {
    driver_.check(driver_.cuEventRecord(event(index), kStream), "recording an event");
  }

  double elapsed_us(int first) const {
    float milliseconds = 0;
    driver_.check(driver_.cuEventElapsedTime(&milliseconds, event(first), event(first + 1)),
                  "reading a timing");
    return 1e3 * milliseconds;
  }

  void synchronize() {
    driver_.check(driver_.cuStreamSynchronize(kStream), "running the calls of a timing");
  }

  const CudaDriver& driver_ = CudaDriver::get();
  CudaTimer& timer_;
  TimingRequest request_;
  std::vector<OwnedEvent> events_;  ///< two for each sample: its begin and its end
  OwnedGraphExec executable_;       ///< null unless the calls are in a graph
};

}  // namespace

CudaTimer::CudaTimer(CUcontext context, std::string pci_bus_id)
    : context_(context), monitor_(std::move(pci_bus_id)) {}

CudaTimer::~CudaTimer() {
  if (capture_stream_ == nullptr) return;
  try {
    const ContextScope scope(context_);
    CudaDriver::get().cuStreamDestroy(capture_stream_);
  } catch (const Error&) {  // the context is gone, and the stream with it
  }
}

CUstream CudaTimer::capture_stream() {
  if (capture_stream_ == nullptr) {
    const CudaDriver& driver = CudaDriver::get();
    driver.check(driver.cuStreamCreate(&capture_stream_, CU_STREAM_NON_BLOCKING),
                 "creating a stream");
  }
  return capture_stream_;
}

std::unique_ptr<Stopwatch> CudaTimer::prepare(TimingRequest request) {
  return std::make_unique<CudaStopwatch>(*this, std::move(request));
}

}  // namespace foldtune
