#include "bench/cub.h"

#include <cstdint>
#include <memory>

#include "bench/cub_calls.h"
#include "bench/cuda.h"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"

namespace foldtune::bench {
namespace {

CubCall find_cub_call(const Workload& workload) {
  const Family& family = workload.problem.family();
  if (&family == &histogram_family()) return find_cub_histogram(histogram_of(workload));
  if (&family != &reduce_family()) return nullptr;
  const Reduction reduction = reduction_of(workload);
  for (const auto find : {find_cub_fold, find_cub_index, find_cub_statistic, find_cub_pair}) {
    if (const CubCall call = find(reduction)) return call;
  }
  return nullptr;
}

void call(CubCall function, void* storage, std::size_t& bytes, const Call& call, Stream stream) {
  const int error = function(storage, bytes,
                             {.inputs = {call.arguments[1], call.arguments[2]},
                              .count = static_cast<std::uint32_t>(call.shape[0]),
                              .output = call.arguments[0]},
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
