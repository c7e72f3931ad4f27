#include "runtime/launch/resolved_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foldtune/error.h"

namespace foldtune {
namespace {

/// The most elements of a size class.
std::uint64_t largest_count(int size_class) {
  return std::min(kMaxCount, static_cast<std::uint64_t>(std::exp2(size_class + 0.5)));
}

}  // namespace

ResolvedPlan::ResolvedPlan(Device& device, const Variant& variant, const CompiledKernel& compiled)
    : device_(device),
      plan_(device, variant, compiled),
      max_count_(largest_count(size_class(variant.problem.count))),
      scratch_bytes_(plan_.max_scratch_bytes(max_count_)),
      stores_result_once_(stores_result_once(variant.params)),
      scratch_(device, scratch_bytes_),
      outputs_(device, variant.problem.result_bytes()) {}

void ResolvedPlan::call_and_wait(const Call& call, Stream stream,
                                 const std::function<bool()>& is_there) {
  if (stores_result_once_) {
    enqueue(call, stream);
  } else {
    enqueue_and_copy(call, stream);
  }
  device_.await(stream, is_there);
}

// The output is read and written by every block, which would each time be a trip to the host: of
// 2^30 elements some 70 ms on an H200, in the place of 1.
void ResolvedPlan::enqueue_and_copy(const Call& call, Stream stream) {
  StreamScratch& output = outputs_.make(stream);
  Call on_device = call;
  on_device.output = output.memory.data();
  const std::lock_guard lock(output.enqueuing);
  enqueue(on_device, stream);
  device_.copy_to_host(stream, call.output, on_device.output, output.memory.size());
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

void refuse_in_capture(const Device& device, const Problem& problem, Stream stream) {
  if (!device.is_capturing(stream)) return;
  throw InvalidArgument(
      fmt::format("calling {} while its stream is being captured: nothing may be compiled now; "
                  "call prepare() for this count before the capture",
                  to_string(problem)));
}

}  // namespace foldtune
