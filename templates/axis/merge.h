/// From an array of any dimensions to the four extents of a call. Of the hot path: allocates
/// nothing unless something is wrong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "templates/axis/strides.h"

namespace foldtune {

/// Dimensions of an array at most.
inline constexpr std::size_t kMaxRank = 8;

/// An array's extents, the outermost first, and the strides between its elements.
struct ArrayView {
  std::size_t rank = 0;
  std::array<std::uint64_t, kMaxRank> extents{};
  std::array<std::int64_t, kMaxRank> strides{};

  std::span<const std::uint64_t> all_extents() const { return std::span(extents).first(rank); }
};

/// In C order, nothing between the elements; at most kMaxRank extents.
ArrayView c_order_view(std::span<const std::uint64_t> extents);

/// What a call of the family works on, and where its first element and result are.
struct MergedAxes {
  Shape shape{};
  AxisStrides strides{};
  std::int64_t input_start = 0;   ///< in elements from the array's first one
  std::int64_t output_start = 0;  ///< in results
};

/// Results in C order, of the dimensions that are kept. Ignores axes that there are not.
ArrayView results_of(const ArrayView& input, std::span<const int> axes);

/// Whether the operator knows elements by their number along the axes: one that finds an element,
/// or the user's own, whose map may use it.
bool numbers_elements(Operator op);

/// Merges neighbouring dimensions that are all reduced, or all kept, and puts them in the order in
/// which memory is read best. `axes` are those that are reduced, counted from the end if they are
/// negative; `results` are of the dimensions that are kept. `keeps_order` says that elements are
/// numbered along the axes in C order. If something cannot be, `fault` says what.
MergedAxes merge_axes(const ArrayView& input, std::span<const int> axes, const ArrayView& results,
                      bool keeps_order, std::string& fault);

}  // namespace foldtune
