#include "bench/contender.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "bench/cub_calls.h"
#include "bench/cublas.h"
#include "bench/cuda.h"
#include "bench/report.h"
#include "foldtune/context.h"
#include "foldtune/error.h"
#include "runtime/lookup.h"
#include "runtime/variant.h"

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

/// As a program uses Foldtune, with the first call's work behind it.
Enqueue direct_call(const std::shared_ptr<Context>& context, const Problem& problem,
                    const InputPool::Pointers& inputs, bool inputs_ready) {
  if (problem.op == Operator::histogram) {
    Histogram histogram = context->histogram(histogram_options(problem));
    if (inputs_ready) histogram = histogram.with_inputs_ready();
    histogram.prepare(inputs[0], problem.count);
    return [context, histogram](const Call& call, Stream stream) {
      if (histogram.problem().histogram.binning == Binning::key) {
        histogram.count_keys(call.inputs[0], call.count, call.output, stream);
      } else {
        histogram(call.inputs[0], call.count, call.lower, call.upper, call.output, stream);
      }
    };
  }
  Reducer reducer = context->reducer(problem);
  if (inputs_ready) reducer = reducer.with_inputs_ready();
  if (problem.input_types().size() == 2) {
    reducer.prepare({inputs[0], inputs[1]}, problem.count);
    return [context, reducer](const Call& call, Stream stream) {
      reducer({call.inputs[0], call.inputs[1]}, call.count, call.output, stream);
    };
  }
  reducer.prepare(inputs[0], problem.count);
  return [context, reducer](const Call& call, Stream stream) {
    reducer(call.inputs[0], call.count, call.output, stream);
  };
}

/// The plan that the context would make, with more scratch.
struct OwnPlan {
  OwnPlan(Device& device, const Variant& variant)
      : plan(device, variant, device.compiler().compile(make_program(variant))),
        scratch(device, plan.scratch_bytes(variant.problem.count)) {}

  Plan plan;
  Areas scratch;
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
                      .in_graph = {},
                      .direct = direct_call(std::make_shared<Context>(device, store), problem,
                                            pool.slice(problem, 0), inputs_ready),
                      .config = to_json(choice.params),
                      .source = to_string(choice.source())};
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
  const auto storage = std::make_shared<Areas>(device, bytes);
  Contender contender{.name = std::string(kCub), .in_graph = {}, .direct = nullptr};
  for (int area = 0; area < storage->count(); ++area) {
    contender.in_graph.push_back([=](const Call& call, Stream stream) {
      std::size_t size = bytes;
      check_call(function(storage->at(area), size, arguments_of(call), stream));
    });
  }
  contender.direct = contender.in_graph.front();
  return contender;
}

std::optional<Contender> make_cublas(const Problem& problem, const InputPool& pool) {
  Contender contender{.name = std::string(kCublas), .in_graph = {}, .direct = nullptr};
  for (int handle = 0; handle < kCublasHandles; ++handle) {
    const CublasCall function = find_cublas_call(problem);
    if (!function) return std::nullopt;
    contender.in_graph.push_back([function](const Call& call, Stream stream) {
      function(static_cast<const float*>(call.inputs[0]), static_cast<const float*>(call.inputs[1]),
               static_cast<std::uint32_t>(call.count), call.output, stream);
    });
  }
  contender.direct = contender.in_graph.front();
  if (problem.op == Operator::argabsmax) {
    contender.translate = [elements = pool.host_slice(problem)[0]](std::vector<std::byte>& result) {
      translate_index(static_cast<const float*>(elements), result);
    };
  }
  return contender;
}

}  // namespace foldtune::bench
