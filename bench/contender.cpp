#include "bench/contender.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "bench/cub.h"
#include "bench/cublas.h"
#include "bench/report.h"
#include "foldtune/axis_reducer.h"
#include "foldtune/axis_reduction.h"
#include "foldtune/error.h"
#include "foldtune/reduction.h"
#include "foldtune/segment_reducer.h"
#include "foldtune/segment_reduction.h"
#include "runtime/lookup/lookup.h"
#include "templates/axis/space.h"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "templates/reduce/space.h"
#include "templates/segments/space.h"

namespace foldtune::bench {
namespace {

/// cuBLAS has its temporary memory with its handle.
constexpr int kCublasHandles = 4;

bool is_of(const Family& family, const Workload& workload) {
  return &workload.problem.family() == &family;
}

HistogramOptions histogram_options(const HistogramWorkload& histogram) {
  return {.type = histogram.type,
          .bins = histogram.bins,
          .binning = histogram.binning,
          .counter = histogram.counter,
          .distribution = histogram.distribution};
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
/// added up in their places, so that they stay on the device; so do results along axes and of
/// segments, of which there are many.
void add_waited(Contender& contender, Device& device, const Workload& workload) {
  if (!is_of(reduce_family(), workload)) {
    contender.waited = [&device, direct = contender.direct](const Call& call, Stream stream) {
      direct(call, stream);
      device.synchronize(stream);
    };
    return;
  }
  const auto place = std::make_shared<HostPlace>(device, output_bytes(workload));
  contender.waited_result = place->bytes();
  contender.waited = [&device, direct = contender.direct, place](Call call, Stream stream) {
    call.arguments[0] = place->data();
    direct(call, stream);
    device.synchronize(stream);
  };
}

// As a program uses Foldtune, with the first call's work behind it.

void add_histogram_calls(Contender& contender, Device& device, Context& context,
                         const Workload& workload, const void* input, bool inputs_ready) {
  const HistogramWorkload typed = histogram_of(workload);
  Histogram histogram = context.histogram(histogram_options(typed));
  if (inputs_ready) histogram = histogram.with_inputs_ready();
  histogram.prepare(input, {.rows = typed.rows, .count = typed.count});
  contender.direct = [histogram, binning = typed.binning](const Call& call, Stream stream) {
    const auto bound = [&](std::size_t i) {
      return *static_cast<const BinBound*>(call.arguments[i]);
    };
    const HistogramRows rows{.rows = call.shape[histogram_extent::rows],
                             .count = call.shape[histogram_extent::n]};
    if (binning == Binning::key) {
      histogram.count_keys(call.arguments[1], rows, call.arguments[0], stream);
    } else {
      histogram(call.arguments[1], rows, bound(3), bound(4), call.arguments[0], stream);
    }
  };
  add_waited(contender, device, workload);
}

void add_reducer_calls(Contender& contender, Context& context, const Reduction& reduction,
                       const InputPool::Arguments& arguments, bool inputs_ready) {
  Reducer reducer = context.reducer(reduction);
  if (inputs_ready) reducer = reducer.with_inputs_ready();
  const auto result = std::make_shared<std::vector<std::byte>>(reduction.result_bytes());
  contender.waited_result = *result;
  if (reduction.input_types().size() == 2) {
    reducer.prepare({arguments[1], arguments[2]}, reduction.count);
    contender.direct = [reducer](const Call& call, Stream stream) {
      reducer({call.arguments[1], call.arguments[2]}, call.shape[0], call.arguments[0], stream);
    };
    contender.waited = [reducer, result](const Call& call, Stream stream) {
      reducer.read_value({call.arguments[1], call.arguments[2]}, call.shape[0], result->data(),
                         result->size(), stream);
    };
    return;
  }
  reducer.prepare(arguments[1], reduction.count);
  contender.direct = [reducer](const Call& call, Stream stream) {
    reducer(call.arguments[1], call.shape[0], call.arguments[0], stream);
  };
  contender.waited = [reducer, result](const Call& call, Stream stream) {
    reducer.read_value({call.arguments[1]}, call.shape[0], result->data(), result->size(), stream);
  };
}

void add_axis_calls(Contender& contender, Device& device, Context& context,
                    const Workload& workload, const void* input, bool inputs_ready) {
  static constexpr std::initializer_list<int> kReduced{1, 3};  // of the family's extents
  AxisReducer reducer = context.axis_reducer(axis_reduction_of(workload));
  if (inputs_ready) reducer = reducer.with_inputs_ready();
  const ArrayLayout layout(workload.shape.extents);
  reducer.prepare({&input, 1}, layout, kReduced);
  contender.direct = [reducer, layout](const Call& call, Stream stream) {
    reducer(call.arguments[1], layout, kReduced, call.arguments[0], stream);
  };
  add_waited(contender, device, workload);
}

void add_segment_calls(Contender& contender, Device& device, Context& context,
                       const Workload& workload, const void* input, bool inputs_ready) {
  const SegmentReduction reduction = segment_reduction_of(workload);
  SegmentReducer reducer = context.segment_reducer(reduction);
  if (inputs_ready) reducer = reducer.with_inputs_ready();
  reducer.prepare({&input, 1}, reduction.elements, reduction.segments);
  contender.direct = [reducer, elements = reduction.elements, segments = reduction.segments](
                         const Call& call, Stream stream) {
    const void* const one = call.arguments[1];
    reducer.reduce({&one, 1}, elements, call.arguments[2], call.arguments[3], segments,
                   call.arguments[0], stream);
  };
  add_waited(contender, device, workload);
}

/// The plan that the context would make, with more scratch.
struct OwnPlan {
  OwnPlan(Device& device, const Variant& variant)
      : plan(device, variant, device.compiler().compile(make_program(variant))),
        scratch(device, plan.scratch_bytes(variant.workload.shape)) {}

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
                        const std::shared_ptr<const ConfigStore>& store, const Workload& workload,
                        const InputPool& pool, bool inputs_ready) {
  const Choice choice =
      choose_config(store.get(), device->info().record, device->compiler().version(), workload);
  const auto own =
      std::make_shared<OwnPlan>(*device, Variant{.workload = workload, .params = choice.params});
  Contender contender{.name = std::string(name),
                      .context = std::make_shared<Context>(device, store),
                      .config = to_json(choice.params),
                      .source = to_string(choice.source())};
  const InputPool::Arguments arguments = pool.slices(workload).at(0);
  if (is_of(histogram_family(), workload)) {
    add_histogram_calls(contender, *device, *contender.context, workload, arguments[1],
                        inputs_ready);
  } else if (is_of(axis_family(), workload)) {
    add_axis_calls(contender, *device, *contender.context, workload, arguments[1], inputs_ready);
  } else if (is_of(segments_family(), workload)) {
    add_segment_calls(contender, *device, *contender.context, workload, arguments[1], inputs_ready);
  } else {
    add_reducer_calls(contender, *contender.context, reduction_of(workload), arguments,
                      inputs_ready);
  }
  for (const Enqueue& enqueue : enqueues_of(own->plan, own->scratch)) {
    contender.in_graph.push_back([own, enqueue, inputs_ready](Call call, Stream stream) {
      call.inputs_ready = inputs_ready;
      enqueue(call, stream);
    });
  }
  return contender;
}

std::optional<Contender> make_cub(Device& device, const Workload& workload) {
  Contender contender{.name = std::string(kCub), .in_graph = make_cub_enqueues(device, workload)};
  if (contender.in_graph.empty()) return std::nullopt;
  contender.direct = contender.in_graph.front();
  add_waited(contender, device, workload);
  return contender;
}

std::optional<Contender> make_cublas(Device& device, const Workload& workload,
                                     const InputPool& pool) {
  Contender contender{.name = std::string(kCublas)};
  for (int handle = 0; handle < kCublasHandles; ++handle) {
    const Enqueue enqueue = make_cublas_enqueue(workload);
    if (!enqueue) return std::nullopt;
    contender.in_graph.push_back(enqueue);
  }
  contender.direct = contender.in_graph.front();
  add_waited(contender, device, workload);
  if (reduction_of(workload).op == Operator::argabsmax) {
    contender.translate = [elements =
                               pool.host_slice(workload)[1]](std::vector<std::byte>& result) {
      translate_index(static_cast<const float*>(elements), result);
    };
  }
  return contender;
}

}  // namespace foldtune::bench
