#include "foldtune/axis_reducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "foldtune/error.h"
#include "runtime/api/axis_reducer_state.h"
#include "templates/axis/merge.h"

namespace foldtune {
namespace {

// The arguments in the family's order: the output, the inputs, the strides.
constexpr std::size_t kOutput = 0;
constexpr std::size_t kFirstInput = 1;

/// The bytes that a call reads or writes of an array, from the first to after the last.
struct AddressRange {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/// Of the elements with these extents and strides. There is one at least.
template <class Extents, class Strides>
AddressRange range_of(const void* first, const Extents& extents, const Strides& strides,
                      std::size_t bytes) {
  auto begin = reinterpret_cast<std::uintptr_t>(first);
  std::uintptr_t end = begin + bytes;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::int64_t reach =
        (static_cast<std::int64_t>(extents[i]) - 1) * strides[i] * static_cast<std::int64_t>(bytes);
    (reach < 0 ? begin : end) += static_cast<std::uintptr_t>(reach);
  }
  return {begin, end};
}

/// Whether extents times strides stay far from what overflows: addresses of a device have 48 bits.
bool has_sane_strides(const MergedAxes& merged) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 50;
  const auto is_sane = [](std::uint64_t extent, std::int64_t stride) {
    return extent <= 1 || (stride < kFarthest && stride > -kFarthest &&
                           static_cast<std::int64_t>(extent) < kFarthest &&
                           std::abs(stride) < kFarthest / static_cast<std::int64_t>(extent));
  };
  for (std::size_t i = 0; i < Shape::kMaxExtents; ++i) {
    if (!is_sane(merged.shape[i], merged.strides.input[i])) return false;
    if (i % 2 == 0 && !is_sane(merged.shape[i], merged.strides.output[i / 2])) return false;
  }
  return true;
}

ArrayView view_of(const ArrayLayout& layout) {
  return {.rank = layout.rank, .extents = layout.extents, .strides = layout.strides};
}

void* shifted(const void* address, std::int64_t bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(bytes));
}

}  // namespace

AxisReducer::State::State(const OperationParts& parts, const AxisReduction& reduction)
    : Operation(parts, Problem(reduction)),
      row_(axis_reduction_of(problem()).row),
      result_bytes_(problem().family().arguments(problem()).front().element_bytes),
      finds_element_(result_shape(row_.op) == ResultShape::indexed_value) {
  for (const ElementType type : row_.input_types()) input_bytes_.push_back(size_of(type));
}

MergedAxes AxisReducer::State::merge(const ArrayLayout& layout, std::span<const int> axes,
                                     const ArrayLayout* results) const {
  std::string fault;
  const ArrayView input = view_of(layout);
  MergedAxes merged =
      merge_axes(input, axes, results != nullptr ? view_of(*results) : results_of(input, axes),
                 finds_element_, fault);
  if (fault.empty()) fault = problem().family().find_call_fault(problem(), merged.shape);
  if (fault.empty() && !has_sane_strides(merged)) fault = "its strides lead beyond all memory";
  if (fault.empty()) return merged;
  throw InvalidArgument(fmt::format("calling {}: {}", to_string(problem()), fault));
}

void AxisReducer::reduce(std::span<const void* const> inputs, const ArrayLayout& layout,
                         std::span<const int> axes, void* output, Stream stream,
                         const ArrayLayout* results) const {
  const MergedAxes merged = state_->merge(layout, axes, results);
  if (inputs.size() != state_->input_count()) {
    throw InvalidArgument(fmt::format("calling {}: it takes {} inputs, not {}",
                                      to_string(state_->problem()), state_->input_count(),
                                      inputs.size()));
  }
  if (merged.shape[0] * merged.shape[2] == 0) return;
  Call call;
  call.shape = merged.shape;
  call.inputs_ready = inputs_ready_;
  const auto result_bytes = static_cast<std::int64_t>(state_->result_bytes());
  call.arguments[kOutput] = shifted(output, merged.output_start * result_bytes);
  const AddressRange written =
      range_of(call.arguments[kOutput], std::array{merged.shape[0], merged.shape[2]},
               merged.strides.output, state_->result_bytes());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto bytes = static_cast<std::int64_t>(state_->input_bytes(i));
    void*& input = call.arguments[kFirstInput + i];
    input = inputs[i] == nullptr ? nullptr : shifted(inputs[i], merged.input_start * bytes);
    if (merged.shape[1] * merged.shape[3] == 0) continue;
    const AddressRange read =
        range_of(input, merged.shape.extents, merged.strides.input, state_->input_bytes(i));
    if (written.begin < read.end && read.begin < written.end) {
      throw InvalidArgument(fmt::format(
          "calling {}: the output lies within input {}: results would be written over elements "
          "that are still to be read",
          to_string(state_->problem()), i + 1));
    }
  }
  call.arguments[kFirstInput + inputs.size()] = const_cast<AxisStrides*>(&merged.strides);
  state_->call(call, stream);
}

void AxisReducer::prepare(std::span<const void* const> inputs, const ArrayLayout& layout,
                          std::span<const int> axes, Stream stream) const {
  const MergedAxes merged = state_->merge(layout, axes, /*results=*/nullptr);
  if (merged.shape[0] * merged.shape[2] == 0) return;
  Call call;
  call.shape = merged.shape;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    call.arguments[kFirstInput + i] =
        shifted(inputs[i], merged.input_start * static_cast<std::int64_t>(state_->input_bytes(i)));
  }
  call.arguments[kFirstInput + inputs.size()] = const_cast<AxisStrides*>(&merged.strides);
  state_->prepare(call, stream);
}

AxisReducer AxisReducer::with_inputs_ready() const {
  AxisReducer ready = *this;
  ready.inputs_ready_ = true;
  return ready;
}

Explanation AxisReducer::explain(const ArrayLayout& layout, std::span<const int> axes) const {
  return state_->explain(state_->merge(layout, axes, /*results=*/nullptr).shape);
}

Workload AxisReducer::workload(const ArrayLayout& layout, std::span<const int> axes) const {
  return state_->workload(state_->merge(layout, axes, /*results=*/nullptr).shape);
}

const Reduction& AxisReducer::problem() const { return state_->row(); }

}  // namespace foldtune
