#include "bench/contender.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "bench/cub_calls.h"
#include "bench/cublas.h"
#include "bench/cuda.h"
#include "bench/report.h"
#include "foldtune/error.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"

namespace foldtune::bench {
namespace {

/// cuBLAS has its temporary memory with its handle.
constexpr int kCublasHandles = 4;

HistogramOptions histogram_options(const Problem& problem) {
  return {.type = problem.type,
          .bins = problem.histogram.bins,
          .binning = problem.histogram.binning,
          .counter = problem.accumulator_type(),
          .distribution = problem.histogram.distribution};
}

/// Pinned memory of the host.
class HostPlace {
 public:
  HostPlace(Device& device, std::size_t bytes)
      : device_(device), bytes_(bytes), memory_(device.allocate_host(bytes)) {}
  HostPlace(const HostPlace&) = delete;
  HostPlace& operator=(const HostPlace&) = delete;
  ~HostPlace() { device_.deallocate_host(memory_); }

  void* data() const { return memory_; }
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(memory_), bytes_};
  }

 private:
  Device& device_;
  std::size_t bytes_;
  void* memory_;
};

/// Adds the direct call, waited for: its result is in the host's memory then. Counts of bins are
/// added up in their places, so that they stay on the device.
void add_waited(Contender& contender, Device& device, const Problem& problem) {
  if (problem.op == Operator::histogram) {
    contender.waited = [&device, direct = contender.direct](const Call& call, Stream stream) {
      direct(call, stream);
      device.synchronize(stream);
    };
    return;
  }
  const auto place = std::make_shared<HostPlace>(device, problem.result_bytes());
  contender.waited_result = place->bytes();
  contender.waited = [&device, direct = contender.direct, place](Call call, Stream stream) {
    call.output = place->data();
    direct(call, stream);
    device.synchronize(stream);
  };
}

// As a program uses Foldtune, with the first call's work behind it.

void add_histogram_calls(Contender& contender, Device& device, Context& context,
                         const Problem& problem, const InputPool::Pointers& inputs,
                         bool inputs_ready) {
  Histogram histogram = context.histogram(histogram_options(problem));
  if (inputs_ready) histogram = histogram.with_inputs_ready();
  histogram.prepare(inputs[0], problem.count);
  contender.direct = [histogram](const Call& call, Stream stream) {
    if (histogram.problem().histogram.binning == Binning::key) {
      histogram.count_keys(call.inputs[0], call.count, call.output, stream);
    } else {
      histogram(call.inputs[0], call.count, call.lower, call.upper, call.output, stream);
    }
  };
  add_waited(contender, device, problem);
}

void add_reducer_calls(Contender& contender, Context& context, const Problem& problem,
                       const InputPool::Pointers& inputs, bool inputs_ready) {
  Reducer reducer = context.reducer(problem);
  if (inputs_ready) reducer = reducer.with_inputs_ready();
  const auto result = std::make_shared<std::vector<std::byte>>(problem.result_bytes());
  contender.waited_result = *result;
  if (problem.input_types().size() == 2) {
    reducer.prepare({inputs[0], inputs[1]}, problem.count);
    contender.direct = [reducer](const Call& call, Stream stream) {
      reducer({call.inputs[0], call.inputs[1]}, call.count, call.output, stream);
    };
    contender.waited = [reducer, result](const Call& call, Stream stream) {
      reducer.read_value({call.inputs[0], call.inputs[1]}, call.count, result->data(),
                         result->size(), stream);
    };
    return;
  }
  reducer.prepare(inputs[0], problem.count);
  contender.direct = [reducer](const Call& call, Stream stream) {
    reducer(call.inputs[0], call.count, call.output, stream);
  };
  contender.waited = [reducer, result](const Call& call, Stream stream) {
    reducer.read_value({call.inputs[0]}, call.count, result->data(), result->size(), stream);
  };
}

/// The plan that the context would make, with more scratch.
struct OwnPlan {
  OwnPlan(Device& device, const Variant& variant)
      : plan(device, variant, device.compiler().compile(make_program(variant))),
        scratch(device, plan.scratch_bytes(variant.problem.count)) {}

  Plan plan;
  BufferRotation scratch;
};

/// Of cublasIsamax: an index from 1 on, of 32 bits. The value that it does not give is taken from
/// the elements.
void translate_index(const float* elements, std::vector<std::byte>& result) {
  std::int32_t from_one = 0;
  std::memcpy(&from_one, result.data(), sizeof(from_one));
  const auto index = static_cast<std::uint64_t>(from_one) - 1;
  const float value = std::fabs(elements[index]);
  std::memcpy(result.data(), &value, sizeof(value));
  std::memcpy(result.data() + sizeof(index), &index, sizeof(index));
}

}  // namespace

Contender make_foldtune(std::string_view name, const std::shared_ptr<Device>& device,
                        const std::shared_ptr<const ConfigStore>& store, const Problem& problem,
                        const InputPool& pool, bool inputs_ready) {
  const Choice choice =
      choose_config(store.get(), device->info().record, device->compiler().version(), problem);
  const auto own =
      std::make_shared<OwnPlan>(*device, Variant{.problem = problem, .params = choice.params});
  Contender contender{.name = std::string(name),
                      .context = std::make_shared<Context>(device, store),
                      .config = to_json(choice.params),
                      .source = to_string(choice.source())};
  const InputPool::Pointers inputs = pool.slice(problem, 0);
  if (problem.op == Operator::histogram) {
    add_histogram_calls(contender, *device, *contender.context, problem, inputs, inputs_ready);
  } else {
    add_reducer_calls(contender, *contender.context, problem, inputs, inputs_ready);
  }
  for (const Enqueue& enqueue : enqueues_of(own->plan, own->scratch)) {
    contender.in_graph.push_back([own, enqueue, inputs_ready](Call call, Stream stream) {
      call.inputs_ready = inputs_ready;
      enqueue(call, stream);
    });
  }
  return contender;
}

std::optional<Contender> make_cub(Device& device, const Problem& problem) {
  const CubCall function = find_cub_call(problem);
  if (function == nullptr) return std::nullopt;
  const auto arguments_of = [](const Call& call) {
    return CubArguments{.inputs = {call.inputs[0], call.inputs[1]},
                        .count = static_cast<std::uint32_t>(call.count),
                        .output = call.output};
  };
  const auto check_call = [](int error) { check(static_cast<cudaError_t>(error), "calling CUB"); };
  std::size_t bytes = 0;
  check_call(function(nullptr, bytes, arguments_of({.count = problem.count}), nullptr));
  const auto storage = std::make_shared<BufferRotation>(device, bytes);
  Contender contender{.name = std::string(kCub)};
  for (int area = 0; area < storage->count(); ++area) {
    contender.in_graph.push_back([=](const Call& call, Stream stream) {
      std::size_t size = bytes;
      check_call(function(storage->at(area), size, arguments_of(call), stream));
    });
  }
  contender.direct = contender.in_graph.front();
  add_waited(contender, device, problem);
  return contender;
}

std::optional<Contender> make_cublas(Device& device, const Problem& problem,
                                     const InputPool& pool) {
  Contender contender{.name = std::string(kCublas)};
  for (int handle = 0; handle < kCublasHandles; ++handle) {
    const CublasCall function = find_cublas_call(problem);
    if (!function) return std::nullopt;
    contender.in_graph.push_back([function](const Call& call, Stream stream) {
      function(static_cast<const float*>(call.inputs[0]), static_cast<const float*>(call.inputs[1]),
               static_cast<std::uint32_t>(call.count), call.output, stream);
    });
  }
  contender.direct = contender.in_graph.front();
  add_waited(contender, device, problem);
  if (problem.op == Operator::argabsmax) {
    contender.translate = [elements = pool.host_slice(problem)[0]](std::vector<std::byte>& result) {
      translate_index(static_cast<const float*>(elements), result);
    };
  }
  return contender;
}

}  // namespace foldtune::bench
