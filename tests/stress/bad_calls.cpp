#include <fmt/format.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "runtime/device/cuda/cuda_driver.h"
#include "runtime/device/device.h"
#include "tests/stress/streams.h"
#include "tests/stress/stress.h"

namespace foldtune::stress {
namespace {

constexpr std::uint64_t kCount = 100'000;  // needs scratch

class BadCalls {
 public:
  explicit BadCalls(const std::string& id) : device_(open_device(id)) {
    use_in_this_thread(*device_);
    streams_ = std::make_unique<Streams>(*device_, 2);
    ContextOptions careful;
    careful.check_pointers = true;
    context_ = std::make_unique<Context>(device_, nullptr, careful);
    reducer_ = std::make_unique<Reducer>(
        context_->reducer({.op = Operator::sum, .type = ElementType::f32}));
    memory_ = DeviceBuffer(*device_, (kCount + 1) * sizeof(float));
    result_ = DeviceBuffer(*device_, 2 * sizeof(float));
    const std::vector<float> ones(kCount + 1, 1);
    device_->copy(memory_.data(), ones.data(), ones.size() * sizeof(float));
  }

  void run() {
    refuse_arguments();
    refuse_scratch();
    if (is_cuda(*device_)) {
      refuse_in_capture();
      refuse_memory();
    }
    fmt::print("{} bad calls on {}: each had its error, and the next call was right\n", calls_,
               device_->info().record.name);
  }

 private:
  const float* input() const { return static_cast<const float*>(memory_.data()); }
  float* output() const { return static_cast<float*>(result_.data()); }
  Stream stream() const { return (*streams_)[0]; }

  /// The call has to throw an `Expected`, and a good one has to work after it.
  template <class Expected>
  void refuse(const char* what, const std::function<void()>& call) {
    ++calls_;
    bool is_refused = false;
    try {
      call();
    } catch (const Expected& error) {
      is_refused = true;
      fmt::print("{}: {}\n", what, error.what());
    }
    if (!is_refused) throw std::runtime_error(fmt::format("{}: nothing was thrown", what));
    if (const float sum = reducer_->value<float>(input(), kCount, stream()); sum != kCount) {
      throw std::runtime_error(fmt::format("after {} the next call gave {}", what, sum));
    }
  }

  void refuse_arguments() {
    const auto* const bytes = static_cast<const char*>(memory_.data());
    auto* const out_bytes = static_cast<char*>(result_.data());
    const auto call = [&](const void* from, std::uint64_t count, void* to) {
      return [=, this] { (*reducer_)(from, count, to, stream()); };
    };
    refuse<InvalidArgument>("null input", call(nullptr, kCount, output()));
    refuse<InvalidArgument>("null output", call(input(), kCount, nullptr));
    refuse<InvalidArgument>("misaligned input", call(bytes + 2, kCount, output()));
    refuse<InvalidArgument>("misaligned output", call(input(), kCount, out_bytes + 1));
    refuse<InvalidArgument>("too many elements", call(input(), kMaxCount + 1, output()));
    refuse<InvalidArgument>("two inputs", [&] {
      (*reducer_)({input(), input()}, kCount, output(), stream());
    });
    refuse<InvalidArgument>("result type", [&] { reducer_->value<double>(input(), kCount); });
    refuse<InvalidArgument>("result shape",
                            [&] { reducer_->value<IndexedValue<float>>(input(), kCount); });
    refuse<InvalidArgument>("argmax of nothing", [&] {
      context_->reducer({.op = Operator::argmax, .type = ElementType::f32})(input(), 0, output());
    });
  }

  void refuse_scratch() {
    const ReducePlan plan = reducer_->plan(kCount);
    const DeviceBuffer scratch(*device_, plan.scratch_bytes());
    const ReducePlan with_scratch = plan.with_scratch(scratch.data(), scratch.size());
    refuse<InvalidArgument>("too little scratch",
                            [&] { plan.with_scratch(scratch.data(), scratch.size() - 1); });
    refuse<InvalidArgument>("misaligned scratch", [&] {
      plan.with_scratch(static_cast<char*>(scratch.data()) + 4, scratch.size());
    });
    refuse<InvalidArgument>("too many elements for the scratch", [&] {
      with_scratch(input(), plan.max_count() + 1, output(), stream());
    });
    refuse<InvalidArgument>("less aligned than the plan",
                            [&] { with_scratch(input() + 1, kCount, output(), stream()); });
    with_scratch(input(), kCount, output(), stream());
    device_->synchronize(stream());
    float sum = 0;
    device_->copy(&sum, output(), sizeof(sum));
    if (sum != kCount) throw std::runtime_error(fmt::format("with scratch the sum is {}", sum));
  }

  void refuse_in_capture() {
    const CudaDriver& driver = CudaDriver::get();
    const Stream captured = (*streams_)[1];
    driver.check(driver.cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL),
                 "beginning a capture");
    refuse<InvalidArgument>("a first call in a capture",
                            [&] { (*reducer_)(input(), 10, output(), captured); });
    refuse<InvalidArgument>("waiting in a capture",
                            [&] { reducer_->value<float>(input(), kCount, captured); });
    CUgraph graph = nullptr;  // the capture goes on all the while
    driver.check(driver.cuStreamEndCapture(captured, &graph), "ending a capture");
    driver.cuGraphDestroy(graph);
  }

  void refuse_memory() {
    const std::vector<float> host(kCount, 1);
    const std::string fault = device_->find_pointer_fault(host.data());
    if (fault.empty()) {
      fmt::print("this device reads all of the host's memory: not tried\n");
    } else {
      refuse<InvalidArgument>("the host's memory",
                              [&] { (*reducer_)(host.data(), kCount, output(), stream()); });
    }
    if (list_cuda_devices().size() < 2) {
      fmt::print("no second GPU: memory of another device was not tried\n");
      return;
    }
    const std::unique_ptr<Device> other =
        open_device(device_->info().id == "cuda:0" ? "cuda:1" : "cuda:0");
    const DeviceBuffer foreign(*other, kCount * sizeof(float));
    refuse<InvalidArgument>("another device's input",
                            [&] { (*reducer_)(foreign.data(), kCount, output(), stream()); });
    refuse<InvalidArgument>("another device's output",
                            [&] { (*reducer_)(input(), kCount, foreign.data(), stream()); });
  }

  std::shared_ptr<Device> device_;
  std::unique_ptr<Streams> streams_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Reducer> reducer_;
  DeviceBuffer memory_;
  DeviceBuffer result_;
  int calls_ = 0;
};

}  // namespace

void run_bad_calls(const std::string& device) { BadCalls(device).run(); }

}  // namespace foldtune::stress
