#include "bench/cub.h"

#include <cstdint>
#include <memory>

#include "bench/cub_calls.h"
#include "bench/cuda.h"
#include "foldtune/axis_reduction.h"
#include "foldtune/segment_reduction.h"
#include "templates/axis/space.h"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"
#include "templates/segments/space.h"

namespace foldtune::bench {
namespace {

/// Of the family `axis`: rows that follow one another, which are segments.
bool is_rows(const Shape& shape) { return shape[0] == 1 && shape[1] == 1; }

// What CUB is called with, of a call of Foldtune.

CubArguments arguments_of_all(const Call& call) {
  return {.inputs = {call.arguments[1], call.arguments[2]},
          .count = static_cast<std::uint32_t>(call.shape[0]),
          .output = call.arguments[0]};
}

CubArguments arguments_of_rows(const Call& call) {
  return {.inputs = {call.arguments[1]},
          .count = static_cast<std::uint32_t>(call.shape[3]),
          .output = call.arguments[0],
          .segments = static_cast<std::int64_t>(call.shape[2])};
}

CubArguments arguments_of_histogram(const Call& call) {
  return {.inputs = {call.arguments[1]},
          .count = static_cast<std::uint32_t>(call.shape[histogram_extent::n]),
          .output = call.arguments[0],
          .segments = static_cast<std::int64_t>(call.shape[histogram_extent::rows])};
}

CubArguments arguments_of_segments(const Call& call) {
  return {.inputs = {call.arguments[1]},
          .output = call.arguments[0],
          .segments = static_cast<std::int64_t>(call.shape[segment_extent::segments]),
          .begins = call.arguments[2],
          .ends = call.arguments[3]};
}

struct CubFunction {
  CubCall call = nullptr;  ///< null: the workload is not compared
  CubArguments (*arguments_of)(const Call& call) = arguments_of_all;
};

CubFunction find_cub_function(const Workload& workload) {
  const Family& family = workload.problem.family();
  if (&family == &histogram_family()) {
    return {find_cub_histogram(histogram_of(workload)), arguments_of_histogram};
  }
  if (&family == &axis_family()) {
    if (!is_rows(workload.shape)) return {};
    return {find_cub_segmented(axis_reduction_of(workload).row), arguments_of_rows};
  }
  if (&family == &segments_family()) {
    return {find_cub_by_offsets(segment_reduction_of(workload)), arguments_of_segments};
  }
  if (&family != &reduce_family()) return {};
  const Reduction reduction = reduction_of(workload);
  for (const auto find : {find_cub_fold, find_cub_index, find_cub_statistic, find_cub_pair}) {
    if (const CubCall call = find(reduction)) return {call};
  }
  return {};
}

void enqueue(const CubFunction& function, void* storage, std::size_t& bytes, const Call& call,
             Stream stream) {
  const int error = function.call(storage, bytes, function.arguments_of(call), stream);
  check(static_cast<cudaError_t>(error), "calling CUB");
}

}  // namespace

Enqueues make_cub_enqueues(Device& device, const Workload& workload) {
  const CubFunction function = find_cub_function(workload);
  if (function.call == nullptr) return {};
  select(device);
  std::size_t bytes = 0;
  enqueue(function, nullptr, bytes, {.shape = workload.shape, .arguments = {}}, nullptr);
  const auto storage = std::make_shared<BufferRotation>(device, bytes);
  Enqueues enqueues;
  for (int area = 0; area < storage->count(); ++area) {
    enqueues.push_back([=](const Call& call, Stream stream) {
      std::size_t size = bytes;
      enqueue(function, storage->at(area), size, call, stream);
    });
  }
  return enqueues;
}

}  // namespace foldtune::bench
