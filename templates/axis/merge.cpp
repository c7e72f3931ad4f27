#include "templates/axis/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "templates/axes.h"

namespace foldtune {
namespace {

/// Some dimensions of the array that are as one.
struct Group {
  bool is_reduced;
  std::size_t first;  ///< in C order, among those that are kept, or reduced
  std::size_t last;
  std::uint64_t extent;
  std::int64_t stride;
  std::int64_t output_stride;
};

/// A vector without memory of its own.
class Groups {
 public:
  void add(const Group& group) { groups_[size_++] = group; }
  void erase(std::size_t i) {
    std::move(begin() + i + 1, end(), begin() + i);
    --size_;
  }
  std::size_t size() const { return size_; }
  Group& operator[](std::size_t i) { return groups_[i]; }
  const Group& operator[](std::size_t i) const { return groups_[i]; }
  Group* begin() { return groups_.data(); }
  Group* end() { return groups_.data() + size_; }

 private:
  std::array<Group, kMaxRank> groups_;  // NOLINT(*-member-init): set as far as it is used
  std::size_t size_ = 0;
};

using Mask = std::array<bool, kMaxRank>;

/// Which dimensions are reduced.
Mask reduced_axes(std::size_t rank, std::span<const int> axes, std::string& fault) {
  Mask mask{};
  fault = find_axes_fault(axes, rank);
  if (!fault.empty()) return mask;
  for (const int axis : axes) mask[place_of_axis(axis, rank)] = true;
  return mask;
}

/// Whether a stride leads to memory that there can be: addresses have 48 bits.
bool is_sane(std::uint64_t extent, std::int64_t stride) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 50;
  return extent <= 1 || (stride > -kFarthest && stride < kFarthest &&
                         std::abs(stride) < kFarthest / static_cast<std::int64_t>(extent));
}

/// What is wrong with an array; nothing overflows afterwards.
std::string find_array_fault(const ArrayView& array) {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : array.all_extents()) {
    if (extent > 0 && product > kMaxCount / extent) {
      return fmt::format("({}) are more than the most, 2^40 elements",
                         fmt::join(array.all_extents(), ", "));
    }
    product *= std::max<std::uint64_t>(extent, 1);
  }
  for (std::size_t i = 0; i < array.rank; ++i) {
    if (!is_sane(array.extents[i], array.strides[i])) {
      return fmt::format("the stride {} of {} elements leads beyond all memory", array.strides[i],
                         array.extents[i]);
    }
  }
  return {};
}

/// The dimensions of more than one element.
Groups to_groups(const ArrayView& input, const Mask& mask, const ArrayView& results) {
  Groups groups;
  std::size_t kept = 0;
  std::array<std::size_t, 2> counts{};  // of groups that are kept, and reduced
  for (std::size_t i = 0; i < input.rank; ++i) {
    const std::int64_t output_stride = mask[i] ? 0 : results.strides[kept++];
    if (input.extents[i] == 1) continue;
    const std::size_t number = counts[mask[i] ? 1 : 0]++;
    groups.add({mask[i], number, number, input.extents[i], input.strides[i], output_stride});
  }
  return groups;
}

/// Whether results lie over one another: of two groups the inner one has to fit between the outer
/// one's steps.
bool overlap(const Groups& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].extent == 0) return false;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::int64_t step = std::abs(results[i].output_stride);
    if (step == 0) return true;
    for (std::size_t j = 0; j < results.size(); ++j) {
      const std::int64_t other = std::abs(results[j].output_stride);
      if (j == i || other > step || (other == step && j < i)) continue;
      if (step < other * static_cast<std::int64_t>(results[j].extent)) return true;
    }
  }
  return false;
}

/// Kept dimensions that run backwards begin at their other end, and so do reduced ones whose order
/// is nothing to anybody.
void turn_forward(Groups& groups, bool keeps_order, MergedAxes& merged) {
  for (Group& group : groups) {
    if (group.stride >= 0 || (group.is_reduced && keeps_order)) continue;
    const auto last = static_cast<std::int64_t>(group.extent) - 1;
    merged.input_start += last * group.stride;
    merged.output_start += last * group.output_stride;
    group.stride = -group.stride;
    group.output_stride = -group.output_stride;
  }
}

/// The outermost in memory first; what is repeated is read again and again, and comes before all.
void sort_by_stride(Groups& groups) {
  const auto distance = [](const Group& group) {
    return group.stride == 0 ? INT64_MAX : std::abs(group.stride);
  };
  for (std::size_t i = 1; i < groups.size(); ++i) {  // few, and in order already, as a rule
    for (std::size_t j = i; j > 0 && distance(groups[j - 1]) < distance(groups[j]); --j) {
      std::swap(groups[j - 1], groups[j]);
    }
  }
}

/// Whether the two are as one dimension.
bool continues(const Group& outer, const Group& inner, bool keeps_order) {
  const auto extent = static_cast<std::int64_t>(inner.extent);
  if (outer.is_reduced != inner.is_reduced || outer.stride != inner.stride * extent) return false;
  if (outer.is_reduced) return !keeps_order || outer.last + 1 == inner.first;
  return outer.output_stride == inner.output_stride * extent;
}

void join_neighbours(Groups& groups, bool keeps_order) {
  for (std::size_t i = groups.size(); i-- > 1;) {
    Group& outer = groups[i - 1];
    const Group& inner = groups[i];
    if (!continues(outer, inner, keeps_order)) continue;
    outer.extent *= inner.extent;
    outer.stride = inner.stride;
    outer.output_stride = inner.output_stride;
    outer.last = inner.last;
    groups.erase(i);
  }
}

void put(MergedAxes& merged, std::size_t extent, const Group& group) {
  merged.shape[extent] = group.extent;
  merged.strides.input[extent] = group.stride;
  if (!group.is_reduced) merged.strides.output[extent / 2] = group.output_stride;
}

}  // namespace

ArrayView c_order_view(std::span<const std::uint64_t> extents) {
  ArrayView view{.rank = extents.size()};
  std::ranges::copy(extents, view.extents.begin());
  std::uint64_t step = 1;  // it may overflow: whoever takes the view says so
  for (std::size_t i = view.rank; i-- > 0;) {
    view.strides[i] = static_cast<std::int64_t>(step);
    step *= extents[i];
  }
  return view;
}

ArrayView results_of(const ArrayView& input, std::span<const int> axes) {
  std::string ignored;
  const Mask mask = reduced_axes(input.rank, axes, ignored);
  std::array<std::uint64_t, kMaxRank> kept{};
  std::size_t rank = 0;
  for (std::size_t i = 0; i < input.rank; ++i) {
    if (!mask[i]) kept[rank++] = input.extents[i];
  }
  return c_order_view(std::span(kept).first(rank));
}

bool numbers_elements(Operator op) {
  return op == Operator::custom || result_shape(op) == ResultShape::indexed_value;
}

MergedAxes merge_axes(const ArrayView& input, std::span<const int> axes, const ArrayView& results,
                      bool keeps_order, std::string& fault) {
  MergedAxes merged{.shape = {{1, 1, 1, 1}}, .strides = {.input = {}, .output = {}}};
  const Mask mask = reduced_axes(input.rank, axes, fault);
  if (fault.empty()) fault = find_array_fault(input);
  if (!fault.empty()) return merged;
  const ArrayView kept = results_of(input, axes);
  if (!std::ranges::equal(results.all_extents(), kept.all_extents())) {
    fault = fmt::format("the results are ({}), and not ({})", fmt::join(kept.all_extents(), ", "),
                        fmt::join(results.all_extents(), ", "));
    return merged;
  }
  fault = find_array_fault(results);
  if (!fault.empty()) {
    fault = "of the results: " + fault;
    return merged;
  }
  Groups groups = to_groups(input, mask, results);
  turn_forward(groups, keeps_order, merged);
  sort_by_stride(groups);
  join_neighbours(groups, keeps_order);

  Groups of_results;
  Groups of_rows;
  for (const Group& group : groups) (group.is_reduced ? of_rows : of_results).add(group);
  if (of_results.size() > 2 || of_rows.size() > 2) {
    fault = fmt::format(
        "after those that follow one another were merged, {} dimensions are kept and {} reduced, "
        "and a kernel has two of each: copy the array so that its elements follow one another",
        of_results.size(), of_rows.size());
    return merged;
  }
  if (overlap(of_results)) {
    fault = "results lie over one another: give them strides that keep them apart";
    return merged;
  }
  if (of_results.size() == 2) put(merged, 0, of_results[0]);
  if (of_results.size() > 0) put(merged, 2, of_results[of_results.size() - 1]);
  if (of_rows.size() == 2) {
    const bool is_turned = keeps_order && of_rows[0].first > of_rows[1].first;
    put(merged, 1, of_rows[is_turned ? 1 : 0]);
    put(merged, 3, of_rows[is_turned ? 0 : 1]);
  } else if (of_rows.size() == 1) {
    const bool ends_with_row = groups[groups.size() - 1].is_reduced;
    put(merged, ends_with_row ? 3 : 1, of_rows[0]);
  }
  return merged;
}

}  // namespace foldtune
