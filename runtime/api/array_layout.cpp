#include "foldtune/array_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "foldtune/error.h"

namespace foldtune {

ArrayLayout::ArrayLayout(std::initializer_list<std::uint64_t> extents_of_c_order)
    : ArrayLayout(std::span(extents_of_c_order.begin(), extents_of_c_order.size())) {}

ArrayLayout::ArrayLayout(std::span<const std::uint64_t> extents_of_c_order)
    : rank(extents_of_c_order.size()) {
  if (rank > kMaxRank) {
    throw InvalidArgument(
        fmt::format("an array of {} dimensions: there are at most {}", rank, kMaxRank));
  }
  std::ranges::copy(extents_of_c_order, extents.begin());
  std::uint64_t step = 1;  // it may overflow: whoever takes the layout says so
  for (std::size_t i = rank; i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(step);
    step *= extents[i];
  }
}

ArrayLayout::ArrayLayout(std::span<const std::uint64_t> all_extents,
                         std::span<const std::int64_t> all_strides)
    : ArrayLayout(all_extents) {
  if (all_strides.size() != rank) {
    throw InvalidArgument(
        fmt::format("an array of {} dimensions with {} strides", rank, all_strides.size()));
  }
  std::ranges::copy(all_strides, strides.begin());
}

}  // namespace foldtune
