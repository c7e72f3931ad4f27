/// What is to be counted: the problems of the family `histogram`, typed.
#pragma once

#include <cstdint>
#include <string>

#include "foldtune/catalog.h"
#include "foldtune/histogram_options.h"
#include "foldtune/workload.h"

namespace foldtune {

namespace histogram_extent {
/// The extents' places in a shape.
enum Place : std::size_t { rows, n };
}  // namespace histogram_extent

/// A histogram of `count` elements, or one of each of several rows of so many. A value type.
struct HistogramWorkload {
  ElementType type = ElementType::f32;                ///< of the elements
  std::uint32_t bins = 256;                           ///< from 2 to kMaxBins
  Binning binning = Binning::even;                    ///< how an element finds its bin
  ElementType counter = ElementType::u64;             ///< of the counts: u64 or u32
  Distribution distribution = Distribution::uniform;  ///< what the elements are expected to be
  std::uint64_t rows = 1;                             ///< each with a histogram of its own
  std::uint64_t count = 0;                            ///< elements of a row
  Alignment alignment = Alignment::vector;

  bool has_many_rows() const { return rows > 1; }
  std::uint64_t input_bytes() const { return rows * count * size_of(type); }
  std::size_t result_bytes() const { return rows * bins * size_of(counter); }  ///< of all counters

  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): the same, as data
  operator Problem() const;
  operator Workload() const;
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)
};

/// @{
/// The inverse, of a problem of the family `histogram`; of another one it throws std::logic_error.
HistogramWorkload histogram_of(const Problem& problem);
HistogramWorkload histogram_of(const Workload& workload);
/// @}

/// @{
/// Those of Workload.
std::string to_string(const HistogramWorkload& histogram);
std::string find_fault(const HistogramWorkload& histogram);
/// @}

}  // namespace foldtune
