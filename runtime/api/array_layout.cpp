#include "foldtune/array_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "foldtune/error.h"
#include "templates/axis/merge.h"

namespace foldtune {

static_assert(ArrayLayout::kMaxRank == kMaxRank);

ArrayLayout::ArrayLayout(std::initializer_list<std::uint64_t> extents_in_c_order)
    : ArrayLayout(std::span(extents_in_c_order.begin(), extents_in_c_order.size())) {}

ArrayLayout::ArrayLayout(std::span<const std::uint64_t> extents_in_c_order)
    : rank(extents_in_c_order.size()) {
  if (rank > kMaxRank) {
    throw InvalidArgument(
        fmt::format("an array of {} dimensions: there are at most {}", rank, kMaxRank));
  }
  const ArrayView view = c_order_view(extents_in_c_order);
  extents = view.extents;
  strides = view.strides;
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
