#include "runtime/launch/resolved_plan.h"

#include <fmt/format.h>

#include <cstring>

#include "foldtune/error.h"

namespace foldtune {

ResolvedPlan::ResolvedPlan(Device& device, const Variant& variant, const CompiledKernel& compiled)
    : device_(device),
      plan_(device, variant, compiled),
      max_shape_(variant.workload.problem.family().max_shape(bucket_of(variant.workload))),
      scratch_bytes_(plan_.max_scratch_bytes(max_shape_)),
      output_place_(output_place(variant.workload.problem)),
      output_(
          variant.workload.problem.family().arguments(variant.workload.problem).at(output_place_)),
      stores_result_once_(stores_result_once(variant.params)),
      scratch_(device, scratch_bytes_),
      outputs_(device, output_bytes(max_shape_)),
      results_(device, output_bytes(max_shape_), output_.alignment) {}

std::size_t ResolvedPlan::output_bytes(const Shape& shape) const {
  const Problem& problem = plan_.variant().workload.problem;
  return problem.family().elements(problem, output_place_, shape) * output_.element_bytes;
}

void ResolvedPlan::call_and_wait(Call call, void* result, Stream stream) {
  const std::size_t bytes = output_bytes(call.shape);
  // After an error it is not given back, for a kernel may still write to it.
  void* const place = results_.take(bytes);
  call.arguments[output_place_] = place;
  if (stores_result_once_) {
    enqueue(call, stream);
  } else {
    enqueue_and_copy(call, stream);
  }
  device_.await(stream, [&] { return results_.is_complete(place, bytes); });
  std::memcpy(result, place, bytes);
  results_.give_back(place);
}

// The output is read and written by every block, which would each time be a trip to the host: of
// 2^30 elements some 70 ms on an H200, in the place of 1.
void ResolvedPlan::enqueue_and_copy(const Call& call, Stream stream) {
  StreamScratch& output = outputs_.make(stream);
  Call on_device = call;
  on_device.arguments[output_place_] = output.memory.data();
  const std::lock_guard lock(output.enqueuing);
  enqueue(on_device, stream);
  device_.copy_to_host(stream, call.arguments[output_place_], output.memory.data(),
                       output_bytes(call.shape));
}

void ResolvedPlan::enqueue(const Call& call, Stream stream) {
  if (scratch_bytes_ == 0) return plan_.enqueue(call, /*scratch=*/nullptr, stream);
  if (device_.is_capturing(stream)) return enqueue_captured(call, stream);
  StreamScratch* scratch = scratch_.find(stream);
  if (scratch == nullptr) scratch = &scratch_.make(stream);
  plan_.enqueue(call, scratch->memory.data(), stream, &scratch->enqueuing);
}

// Nothing keeps a replay apart from other graphs and from the stream's calls outside of graphs. Nor
// are the calls of one graph kept apart by being captured on one stream: what they depend on can be
// changed there. So each has scratch of its own.
void ResolvedPlan::enqueue_captured(const Call& call, Stream stream) const {
  plan_.enqueue(call, device_.allocate_in_capture(stream, scratch_bytes_), stream);
}

void ResolvedPlan::prepare(Stream stream) {
  if (scratch_bytes_ > 0 && !device_.is_capturing(stream)) scratch_.make(stream);
}

void refuse_in_capture(const Device& device, const Workload& workload, Stream stream) {
  if (!device.is_capturing(stream)) return;
  throw InvalidArgument(
      fmt::format("calling {} while its stream is being captured: nothing may be compiled now; "
                  "call prepare() for this shape before the capture",
                  to_string(workload)));
}

}  // namespace foldtune
