#include <cub/device/device_histogram.cuh>

#include "bench/cub_calls.h"

namespace foldtune::bench {
namespace {

constexpr int kBins = 256;

/// CUB has no histograms of rows: a call for each.
/// Bins are from `lowest` to `end`.
template <class T, class Level>
int count_rows(void* storage, std::size_t& bytes, const CubArguments& arguments, Level lowest,
               Level end, Stream stream) {
  cudaError_t error = cudaSuccess;
  const std::int64_t rows = storage == nullptr ? 1 : arguments.segments;
  for (std::int64_t row = 0; row < rows && error == cudaSuccess; ++row) {
    error = cub::DeviceHistogram::HistogramEven(
        storage, bytes, static_cast<const T*>(arguments.inputs[0]) + row * arguments.count,
        static_cast<std::uint32_t*>(arguments.output) + row * kBins, kBins + 1, lowest, end,
        static_cast<int>(arguments.count), stream);
  }
  return error;
}

int count_keys(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
  return count_rows<std::uint8_t>(storage, bytes, arguments, 0, kBins, stream);
}

/// The range of what the cases count.
int count_from_zero_to_one(void* storage, std::size_t& bytes, const CubArguments& arguments,
                           Stream stream) {
  return count_rows<float>(storage, bytes, arguments, 0.0f, 1.0f, stream);
}

}  // namespace

CubCall find_cub_histogram(const HistogramWorkload& histogram) {
  if (histogram.bins != kBins || histogram.counter != ElementType::u32) return nullptr;
  if (histogram.type == ElementType::u8 && histogram.binning == Binning::key) return count_keys;
  if (histogram.type == ElementType::f32 && histogram.binning == Binning::even) {
    return count_from_zero_to_one;
  }
  return nullptr;
}

}  // namespace foldtune::bench
