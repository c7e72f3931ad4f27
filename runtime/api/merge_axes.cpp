#include "runtime/api/merge_axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace foldtune {
namespace {

/// Some dimensions of the array that are as one.
struct Group {
  bool is_reduced;
  std::size_t place;  ///< in the array
  std::uint64_t extent;
  std::int64_t stride;
  std::int64_t output_stride;
};

using Mask = std::array<bool, ArrayLayout::kMaxRank>;

/// Which dimensions are reduced.
Mask reduced_axes(std::size_t rank, std::span<const int> axes, std::string& fault) {
  Mask mask{};
  for (const int axis : axes) {
    const auto count = static_cast<int>(rank);
    const int place = axis < 0 ? axis + count : axis;
    if (place < 0 || place >= count) {
      fault = rank == 0
                  ? fmt::format("there is no axis {}: a number has none", axis)
                  : fmt::format("there is no axis {}: there are {} to {}, or {} to -1 from the end",
                                axis, 0, count - 1, -count);
      return mask;
    }
    if (std::exchange(mask[static_cast<std::size_t>(place)], true)) {
      fault = fmt::format("axis {} is there twice", axis);
      return mask;
    }
  }
  return mask;
}

/// The dimensions of more than one element.
std::vector<Group> to_groups(const ArrayLayout& input, const Mask& mask,
                             const ArrayLayout& output) {
  std::vector<Group> groups;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < input.rank; ++i) {
    const std::int64_t output_stride = mask[i] ? 0 : output.strides[kept++];
    if (input.extents[i] != 1) {
      groups.push_back({mask[i], i, input.extents[i], input.strides[i], output_stride});
    }
  }
  return groups;
}

/// Kept dimensions that run backwards begin at their other end, and so do reduced ones whose order
/// is nothing to anybody.
void turn_forward(std::vector<Group>& groups, bool keeps_order, MergedAxes& merged) {
  for (Group& group : groups) {
    if (group.stride >= 0 || (group.is_reduced && keeps_order)) continue;
    const auto last = static_cast<std::int64_t>(group.extent) - 1;
    merged.input_start += last * group.stride;
    merged.output_start += last * group.output_stride;
    group.stride = -group.stride;
    group.output_stride = -group.output_stride;
  }
}

bool continues(const Group& outer, const Group& inner) {
  const auto extent = static_cast<std::int64_t>(inner.extent);
  return outer.is_reduced == inner.is_reduced && outer.stride == inner.stride * extent &&
         (outer.is_reduced || outer.output_stride == inner.output_stride * extent);
}

/// Those that follow one another as if they were one dimension become one.
void join_neighbours(std::vector<Group>& groups, bool keeps_order) {
  for (std::size_t i = 0; i + 1 < groups.size();) {
    Group& outer = groups[i];
    const Group& inner = groups[i + 1];
    const bool is_in_order = !outer.is_reduced || !keeps_order || outer.place < inner.place;
    if (!continues(outer, inner) || !is_in_order) {
      ++i;
      continue;
    }
    outer.extent *= inner.extent;
    outer.stride = inner.stride;
    outer.output_stride = inner.output_stride;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    i = i > 0 ? i - 1 : 0;
  }
}

void put(MergedAxes& merged, std::size_t extent, const Group& group) {
  merged.shape[extent] = group.extent;
  merged.strides.input[extent] = group.stride;
  if (!group.is_reduced) merged.strides.output[extent / 2] = group.output_stride;
}

}  // namespace

ArrayLayout kept_layout(const ArrayLayout& input, std::span<const int> axes) {
  std::string ignored;
  const Mask mask = reduced_axes(input.rank, axes, ignored);
  std::vector<std::uint64_t> extents;
  for (std::size_t i = 0; i < input.rank; ++i) {
    if (!mask[i]) extents.push_back(input.extents[i]);
  }
  return ArrayLayout(extents);
}

MergedAxes merge_axes(const ArrayLayout& input, std::span<const int> axes,
                      const ArrayLayout& output, bool keeps_order, std::string& fault) {
  MergedAxes merged{.shape = {{1, 1, 1, 1}}, .strides = {.input = {}, .output = {}}};
  const Mask mask = reduced_axes(input.rank, axes, fault);
  if (!fault.empty()) return merged;
  const ArrayLayout kept = kept_layout(input, axes);
  const bool is_alike = output.rank == kept.rank &&
                        std::equal(output.extents.begin(), output.extents.begin() + output.rank,
                                   kept.extents.begin());
  if (!is_alike) {
    fault = fmt::format("the results are {}, and not {}",
                        fmt::join(std::span(kept.extents).first(kept.rank), "x"),
                        fmt::join(std::span(output.extents).first(output.rank), "x"));
    return merged;
  }
  std::vector<Group> groups = to_groups(input, mask, output);
  turn_forward(groups, keeps_order, merged);
  // The outermost in memory first; what is repeated is read again and again, and comes before all.
  const auto distance = [](const Group& group) {
    return group.stride == 0 ? INT64_MAX : std::abs(group.stride);
  };
  std::ranges::stable_sort(groups, std::ranges::greater(), distance);
  join_neighbours(groups, keeps_order);

  std::vector<Group> kept_groups;
  std::vector<Group> reduced_groups;
  for (const Group& group : groups) {
    (group.is_reduced ? reduced_groups : kept_groups).push_back(group);
  }
  if (kept_groups.size() > 2 || reduced_groups.size() > 2) {
    fault = fmt::format(
        "after those that follow one another were merged, {} dimensions are kept and {} reduced, "
        "and a kernel has two of each: copy the array so that its elements follow one another",
        kept_groups.size(), reduced_groups.size());
    return merged;
  }
  if (kept_groups.size() == 2) put(merged, 0, kept_groups.front());
  if (!kept_groups.empty()) put(merged, 2, kept_groups.back());
  const bool ends_with_row = !groups.empty() && groups.back().is_reduced;
  if (reduced_groups.size() == 2) {
    const bool is_turned =
        keeps_order && reduced_groups.front().place > reduced_groups.back().place;
    put(merged, 1, is_turned ? reduced_groups.back() : reduced_groups.front());
    put(merged, 3, is_turned ? reduced_groups.front() : reduced_groups.back());
  } else if (!reduced_groups.empty()) {
    put(merged, ends_with_row ? 3 : 1, reduced_groups.front());
  }
  return merged;
}

}  // namespace foldtune
