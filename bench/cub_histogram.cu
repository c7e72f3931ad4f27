#include <cub/device/device_histogram.cuh>

#include "bench/cub_histogram.h"
#include "foldtune/error.h"

namespace foldtune::bench {
namespace {

/// With no storage it only writes how much of it there must be.
void count_bytes(void* storage, std::size_t& storage_bytes, const std::uint8_t* input,
                 std::uint32_t count, std::uint32_t* output, Stream stream) {
  constexpr int kBins = 256;
  const cudaError_t error = cub::DeviceHistogram::HistogramEven(
      storage, storage_bytes, input, output, kBins + 1, /*lower_level=*/0, /*upper_level=*/kBins,
      static_cast<int>(count), stream);
  if (error != cudaSuccess) {
    throw DeviceError(std::string("calling cub::DeviceHistogram: ") + cudaGetErrorName(error) +
                      ": " + cudaGetErrorString(error));
  }
}

}  // namespace

std::size_t cub_count_bytes_storage(std::uint32_t count) {
  std::size_t bytes = 0;
  count_bytes(nullptr, bytes, nullptr, count, nullptr, nullptr);
  return bytes;
}

void cub_count_bytes(void* storage, std::size_t storage_bytes, const std::uint8_t* input,
                     std::uint32_t count, std::uint32_t* output, Stream stream) {
  count_bytes(storage, storage_bytes, input, count, output, stream);
}

}  // namespace foldtune::bench
