#include "bench/cub.h"

#include <cstdint>
#include <memory>

#include "bench/cub_calls.h"
#include "bench/cuda.h"
#include "foldtune/axis_reduction.h"
#include "templates/axis/space.h"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"

namespace foldtune::bench {
namespace {

/// Of the family `axis`: rows that follow one another, which are segments.
bool is_rows(const Shape& shape) { return shape[0] == 1 && shape[1] == 1; }

CubCall find_cub_call(const Workload& workload) {
  const Family& family = workload.problem.family();
  if (&family == &histogram_family()) return find_cub_histogram(histogram_of(workload));
  if (&family == &axis_family()) {
    return is_rows(workload.shape) ? find_cub_segmented(axis_reduction_of(workload).row) : nullptr;
  }
  if (&family != &reduce_family()) return nullptr;
  const Reduction reduction = reduction_of(workload);
  for (const auto find : {find_cub_fold, find_cub_index, find_cub_statistic, find_cub_pair}) {
    if (const CubCall call = find(reduction)) return call;
  }
  return nullptr;
}

void call(CubCall function, void* storage, std::size_t& bytes, const Call& call, Stream stream) {
  const Shape& shape = call.shape;
  const bool has_segments = shape[3] > 0;  // extents that a family has not are 0
  const int error = function(storage, bytes,
                             {.inputs = {call.arguments[1], call.arguments[2]},
                              .count = static_cast<std::uint32_t>(shape[has_segments ? 3 : 0]),
                              .output = call.arguments[0],
                              .segments = has_segments ? static_cast<std::int64_t>(shape[2]) : 1},
                             stream);
  check(static_cast<cudaError_t>(error), "calling CUB");
}

}  // namespace

Enqueues make_cub_enqueues(Device& device, const Workload& workload) {
  const CubCall function = find_cub_call(workload);
  if (function == nullptr) return {};
  select(device);
  std::size_t bytes = 0;
  call(function, nullptr, bytes, {.shape = workload.shape, .arguments = {}}, nullptr);
  const auto storage = std::make_shared<BufferRotation>(device, bytes);
  Enqueues enqueues;
  for (int area = 0; area < storage->count(); ++area) {
    enqueues.push_back([=](const Call& one, Stream stream) {
      std::size_t size = bytes;
      call(function, storage->at(area), size, one, stream);
    });
  }
  return enqueues;
}

}  // namespace foldtune::bench
