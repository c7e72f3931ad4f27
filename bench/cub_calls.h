/// What CUB computes, behind plain C++, so that nvcc compiles few small files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "foldtune/reduction.h"
#include "foldtune/segment_reduction.h"
#include "foldtune/stream.h"
#include "templates/histogram/workload.h"

namespace foldtune::bench {

struct CubArguments {
  const void* inputs[2] = {};
  std::uint32_t count = 0;  ///< CUB is fastest with offsets of 32 bits
  void* output = nullptr;   ///< a result as Foldtune's
  /// Of `count` elements each, one after another, with a result each; or else from begins[i] up to
  /// ends[i].
  std::int64_t segments = 1;
  const void* begins = nullptr;
  const void* ends = nullptr;
};

/// Enqueues the calls, and returns their cudaError_t. Without storage it only writes how much of it
/// there must be. Calls of one stream may share the storage.
using CubCall = int (*)(void* storage, std::size_t& storage_bytes, const CubArguments& arguments,
                        Stream stream);

// As a user of CUB would write it: one call of DeviceReduce, DeviceSegmentedReduce or
// DeviceHistogram, with the accumulator that is asked for. Null for what is not compared. By file.
CubCall find_cub_fold(const Reduction& reduction);       ///< sum, min, max
CubCall find_cub_index(const Reduction& reduction);      ///< argmin, argmax, argabsmax
CubCall find_cub_statistic(const Reduction& reduction);  ///< what maps, or has several words
CubCall find_cub_pair(const Reduction& reduction);       ///< two inputs
CubCall find_cub_histogram(const HistogramWorkload& histogram);
CubCall find_cub_segmented(const Reduction& row);  ///< sum, max and argmax of segments of one size
CubCall find_cub_by_offsets(const SegmentReduction& reduction);  ///< the same of any segments

/// "3.0.1".
std::string cub_version();

}  // namespace foldtune::bench
