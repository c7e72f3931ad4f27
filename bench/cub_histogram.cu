#include <cub/device/device_histogram.cuh>

#include "bench/cub_calls.h"

namespace foldtune::bench {
namespace {

constexpr int kBins = 256;

int count_keys(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
  return cub::DeviceHistogram::HistogramEven(
      storage, bytes, static_cast<const std::uint8_t*>(arguments.inputs[0]),
      static_cast<std::uint32_t*>(arguments.output), kBins + 1, /*lower_level=*/0,
      /*upper_level=*/kBins, static_cast<int>(arguments.count), stream);
}

/// The range of what the cases count.
int count_from_zero_to_one(void* storage, std::size_t& bytes, const CubArguments& arguments,
                           Stream stream) {
  return cub::DeviceHistogram::HistogramEven(
      storage, bytes, static_cast<const float*>(arguments.inputs[0]),
      static_cast<std::uint32_t*>(arguments.output), kBins + 1, /*lower_level=*/0.0f,
      /*upper_level=*/1.0f, static_cast<int>(arguments.count), stream);
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
