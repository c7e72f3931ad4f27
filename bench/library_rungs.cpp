#include "tuner/library_rungs.h"

#include <array>
#include <charconv>
#include <memory>
#include <string>

#include "bench/cub_histogram.h"
#include "bench/cub_reduce.h"
#include "bench/cublas.h"
#include "bench/cuda.h"
#include "foldtune/error.h"

namespace foldtune {
namespace {

/// Makes the device the current one of the CUDA runtime API, whose context is Foldtune's too.
void select(const Device& device) {
  const std::string& id = device.info().id;
  int ordinal = -1;
  const std::size_t colon = id.find(':');
  if (id.starts_with("cuda:")) {
    std::from_chars(id.data() + colon + 1, id.data() + id.size(), ordinal);
  }
  if (ordinal < 0) throw Unavailable("it runs on GPUs alone");
  bench::check(cudaSetDevice(ordinal), "selecting " + id);
}

std::uint32_t count_of(const Call& call) { return static_cast<std::uint32_t>(call.count); }

Enqueue prepare_reduce(Device& device, const Problem& problem) {
  select(device);
  const std::size_t bytes =
      bench::cub_storage_bytes(problem.op, problem.type, static_cast<std::uint32_t>(problem.count));
  const auto storage = std::make_shared<DeviceBuffer>(device, bytes);
  return [=](const Call& call, Stream stream) {
    bench::cub_reduce(problem.op, problem.type, storage->data(), storage->size(), call.inputs[0],
                      count_of(call), call.output, stream);
  };
}

Enqueue prepare_histogram(Device& device, const Problem& problem) {
  select(device);
  const std::size_t bytes =
      bench::cub_count_bytes_storage(static_cast<std::uint32_t>(problem.count));
  const auto storage = std::make_shared<DeviceBuffer>(device, bytes);
  return [=](const Call& call, Stream stream) {
    bench::cub_count_bytes(storage->data(), storage->size(),
                           static_cast<const std::uint8_t*>(call.inputs[0]), count_of(call),
                           static_cast<std::uint32_t*>(call.output), stream);
  };
}

Enqueue prepare_dot(Device& device, const Problem&) {
  select(device);
  return [sdot = bench::open_sdot()](const Call& call, Stream stream) {
    sdot(static_cast<const float*>(call.inputs[0]), static_cast<const float*>(call.inputs[1]),
         count_of(call), static_cast<float*>(call.output), stream);
  };
}

constexpr std::array kRungs{LibraryRung{"cub::DeviceReduce", prepare_reduce},
                            LibraryRung{"cub::DeviceHistogram", prepare_histogram},
                            LibraryRung{"cublasSdot", prepare_dot}};

}  // namespace

std::span<const LibraryRung> library_rungs() { return kRungs; }

}  // namespace foldtune
