/// What the histograms of the conformance suite are called with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/device/device.h"
#include "templates/histogram/range.h"
#include "templates/histogram/workload.h"

namespace foldtune::test {

/// An array of elements or edges on the host and on the device.
struct HistogramArray {
  HistogramArray(Device& device, std::vector<std::byte> bytes)
      : host(std::move(bytes)), buffer(device, host.size()) {
    device.copy(buffer.data(), host.data(), host.size());
  }
  std::vector<std::byte> host;
  DeviceBuffer buffer;
};

/// What all variants of a histogram are called with.
struct HistogramMaterial {
  std::vector<BinBounds> ranges;
  std::vector<HistogramArray> edges;   ///< for each range, of custom bins
  std::vector<HistogramArray> inputs;  ///< first those of special values, for each range
};

/// Arrays of `count` elements: on the edges of bins, beside them and special ones, and those of
/// every distribution.
HistogramMaterial make_histogram_material(Device& device, HistogramWorkload histogram,
                                          std::uint64_t count);

}  // namespace foldtune::test
