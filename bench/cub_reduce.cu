#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include "bench/cub_reduce.h"
#include "foldtune/error.h"

namespace foldtune::bench {
namespace {

template <class T>
cudaError_t reduce(Operator op, void* storage, std::size_t& storage_bytes, const void* input,
                   std::uint32_t count, void* output, Stream stream) {
  const T* in = static_cast<const T*>(input);
  T* out = static_cast<T*>(output);
  switch (op) {
    case Operator::sum:
      return cub::DeviceReduce::Sum(storage, storage_bytes, in, out, count, stream);
    case Operator::min:
      return cub::DeviceReduce::Min(storage, storage_bytes, in, out, count, stream);
    case Operator::max:
      return cub::DeviceReduce::Max(storage, storage_bytes, in, out, count, stream);
    default:
      throw InvalidArgument("calling CUB: it is compared for sum, min and max, not for " +
                            std::string(name(op)));
  }
}

/// With no storage it only writes how much of it there must be.
void reduce(Operator op, ElementType type, void* storage, std::size_t& storage_bytes,
            const void* input, std::uint32_t count, void* output, Stream stream) {
  cudaError_t error = cudaErrorInvalidValue;
  switch (type) {
    case ElementType::i32:
      error = reduce<std::int32_t>(op, storage, storage_bytes, input, count, output, stream);
      break;
    case ElementType::f32:
      error = reduce<float>(op, storage, storage_bytes, input, count, output, stream);
      break;
    case ElementType::f64:
      error = reduce<double>(op, storage, storage_bytes, input, count, output, stream);
      break;
    default:
      throw InvalidArgument("calling CUB: it is compared over i32, f32 and f64, not over " +
                            std::string(name(type)));
  }
  if (error != cudaSuccess) {
    throw DeviceError("calling cub::DeviceReduce for " + std::string(name(op)) + " " +
                      std::string(name(type)) + ": " + cudaGetErrorName(error) + ": " +
                      cudaGetErrorString(error));
  }
}

}  // namespace

std::size_t cub_storage_bytes(Operator op, ElementType type, std::uint32_t count) {
  std::size_t bytes = 0;
  reduce(op, type, nullptr, bytes, nullptr, count, nullptr, nullptr);
  return bytes;
}

void cub_reduce(Operator op, ElementType type, void* storage, std::size_t storage_bytes,
                const void* input, std::uint32_t count, void* output, Stream stream) {
  reduce(op, type, storage, storage_bytes, input, count, output, stream);
}

std::string cub_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace foldtune::bench
