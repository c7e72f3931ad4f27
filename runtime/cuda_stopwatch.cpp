#include "runtime/cuda_stopwatch.h"

#include <fmt/format.h>

#include <chrono>
#include <type_traits>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "runtime/cuda_context.h"

namespace foldtune {
namespace {

/// A driver's handle with the function that destroys it. The context must be current then; where it
/// is gone, so is what the handle named.
template <class Handle, auto kDestroy>
struct Destroy {
  void operator()(Handle handle) const { (CudaDriver::get().*kDestroy)(handle); }
};
template <class Handle, auto kDestroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle, kDestroy>>;
using OwnedStream = Owned<CUstream, &CudaDriver::cuStreamDestroy>;
using OwnedEvent = Owned<CUevent, &CudaDriver::cuEventDestroy>;
using OwnedGraph = Owned<CUgraph, &CudaDriver::cuGraphDestroy>;
using OwnedExecutable = Owned<CUgraphExec, &CudaDriver::cuGraphExecDestroy>;

class CudaStopwatch final : public Stopwatch {
 public:
  CudaStopwatch(CUcontext context, TimingRequest request, GpuMonitor& monitor, ThrottleGuard& guard)
      : context_(context), request_(std::move(request)), monitor_(monitor), guard_(guard) {
    const ContextScope scope(context_);
    CUstream stream = nullptr;
    driver_.check(driver_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
    stream_.reset(stream);
    if (request_.launching != Launching::graph) return;
    try {
      capture();
    } catch (...) {
      stream_.reset();  // as long as the context is current
      throw;
    }
  }

  ~CudaStopwatch() override {
    try {
      const ContextScope scope(context_);
      // After an error, calls may still be running that read what the caller is about to free.
      driver_.cuStreamSynchronize(stream_.get());
      executable_.reset();
      events_.clear();
      stream_.reset();
    } catch (const Error&) {  // the context is gone, and everything of it
      (void)executable_.release();
      for (OwnedEvent& event : events_) (void)event.release();
      (void)stream_.release();
    }
  }

  Samples take(int samples) override {
    const ContextScope scope(context_);
    return guard_.take([&] {
      return request_.launching == Launching::latency ? take_latencies(samples) : take_all(samples);
    });
  }

 private:
  /// The calls as a graph, so that the host's cost of a launch is not in the figure.
  void capture() {
    driver_.check(driver_.cuStreamBeginCapture(stream_.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                  "beginning a capture");
    CUgraph graph = nullptr;
    try {
      enqueue_calls();
    } catch (...) {
      driver_.cuStreamEndCapture(stream_.get(), &graph);
      const OwnedGraph destroyed(graph);
      throw;
    }
    driver_.check(driver_.cuStreamEndCapture(stream_.get(), &graph), "ending a capture");
    const OwnedGraph captured(graph);
    CUgraphExec executable = nullptr;
    driver_.check(driver_.cuGraphInstantiateWithFlags(&executable, graph, 0),
                  fmt::format("instantiating a graph of {} calls", request_.calls));
    executable_.reset(executable);
  }

  void enqueue_calls() {
    for (int call = 0; call < request_.calls; ++call) request_.enqueue(call, stream_.get());
  }

  void enqueue_sample() {
    if (executable_ == nullptr) return enqueue_calls();
    driver_.check(driver_.cuGraphLaunch(executable_.get(), stream_.get()), "launching a graph");
  }

  /// Everything is enqueued without a wait, behind an untimed sample. So the device is at work when
  /// the first event comes, and the host, which takes milliseconds to launch a graph of thousands
  /// of calls, is ahead of it; where calls are so short that it is not, launching them one by one,
  /// this is what is to be measured.
  ThrottleGuard::Reading take_all(int samples) {
    while (events_.size() < 2 * static_cast<std::size_t>(samples)) add_event();
    enqueue_sample();
    for (int sample = 0; sample < samples; ++sample) {
      if (request_.before_sample) request_.before_sample(stream_.get());
      record(2 * sample);
      enqueue_sample();
      record(2 * sample + 1);
    }
    const DeviceState state = monitor_.state();
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
    synchronize();
    for (int sample = 0; sample < samples; ++sample) {
      if (request_.before_sample) request_.before_sample(stream_.get());
      synchronize();
      const Clock::time_point begin = Clock::now();
      for (int call = 0; call < request_.calls; ++call) {
        request_.enqueue(call, stream_.get());
        synchronize();
      }
      const std::chrono::duration<double, std::micro> elapsed = Clock::now() - begin;
      reading.us.push_back(elapsed.count() / request_.calls);
    }
    reading.state = monitor_.state();  // not earlier: it would be in the figure
    return reading;
  }

  void add_event() {
    CUevent event = nullptr;
    driver_.check(driver_.cuEventCreate(&event, CU_EVENT_DEFAULT), "creating an event");
    events_.emplace_back(event);
  }

  CUevent event(int index) const { return events_[static_cast<std::size_t>(index)].get(); }

  void record(int index) {
    driver_.check(driver_.cuEventRecord(event(index), stream_.get()), "recording an event");
  }

  double elapsed_us(int first) const {
    float milliseconds = 0;
    driver_.check(driver_.cuEventElapsedTime(&milliseconds, event(first), event(first + 1)),
                  "reading a timing");
    return 1e3 * milliseconds;
  }

  void synchronize() {
    driver_.check(driver_.cuStreamSynchronize(stream_.get()), "running the calls of a timing");
  }

  const CudaDriver& driver_ = CudaDriver::get();
  CUcontext context_;
  TimingRequest request_;
  GpuMonitor& monitor_;
  ThrottleGuard& guard_;
  OwnedStream stream_;
  std::vector<OwnedEvent> events_;  ///< two for each sample: its begin and its end
  OwnedExecutable executable_;      ///< null unless the calls are in a graph
};

}  // namespace

std::unique_ptr<Stopwatch> make_cuda_stopwatch(CUcontext context, TimingRequest request,
                                               GpuMonitor& monitor, ThrottleGuard& guard) {
  return std::make_unique<CudaStopwatch>(context, std::move(request), monitor, guard);
}

}  // namespace foldtune
