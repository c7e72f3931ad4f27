/// From an array of any dimensions to the four extents of a call.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "foldtune/array_layout.h"
#include "templates/axis/strides.h"

namespace foldtune {

/// What a call of the family works on, and where its first element and result are.
struct MergedAxes {
  Shape shape{};
  AxisStrides strides{};
  std::int64_t input_start = 0;   ///< in elements from the array's first one
  std::int64_t output_start = 0;  ///< in results
};

/// Merges neighbouring dimensions that are all reduced, or all kept, and puts them in the order in
/// which memory is read best. `axes` are those that are reduced, counted from the end if they are
/// negative; `output` gives the strides of the results, of as many dimensions as are kept.
/// `keeps_order` says that elements are numbered along the axes in C order. On success `fault` is
/// empty, else it says what cannot be.
MergedAxes merge_axes(const ArrayLayout& input, std::span<const int> axes,
                      const ArrayLayout& output, bool keeps_order, std::string& fault);

/// The layout of dense results: the extents that are kept. Ignores axes that there are not.
ArrayLayout kept_layout(const ArrayLayout& input, std::span<const int> axes);

}  // namespace foldtune
