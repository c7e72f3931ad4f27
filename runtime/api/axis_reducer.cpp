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

ArrayView view_of(const ArrayLayout& layout) {
  return {.rank = layout.rank, .extents = layout.extents, .strides = layout.strides};
}

/// Null stays null.
void* shifted(const void* address, std::int64_t bytes) {
  if (address == nullptr) return nullptr;
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(bytes));
}

}  // namespace

AxisReducer::State::State(const OperationParts& parts, const AxisReduction& reduction)
    : Operation(parts, Problem(reduction)),
      row_(axis_reduction_of(problem()).row),
      result_bytes_(problem().family().arguments(problem()).front().element_bytes),
      keeps_order_(numbers_elements(row_.op)) {
  for (const ElementType type : row_.input_types()) input_bytes_.push_back(size_of(type));
}

MergedAxes AxisReducer::State::merge(const ArrayLayout& layout, std::span<const int> axes,
                                     const ArrayLayout* results) const {
  std::string fault;
  const ArrayView input = view_of(layout);
  MergedAxes merged =
      merge_axes(input, axes, results != nullptr ? view_of(*results) : results_of(input, axes),
                 keeps_order_, fault);
  if (fault.empty()) return merged;
  throw InvalidArgument(fmt::format("calling {}: {}", to_string(problem()), fault));
}

Call AxisReducer::State::make_call(const MergedAxes& merged, std::span<const void* const> inputs,
                                   void* output) const {
  if (inputs.size() != input_bytes_.size()) {
    throw InvalidArgument(fmt::format("calling {}: it takes {} input{}, not {}",
                                      to_string(problem()), input_bytes_.size(),
                                      input_bytes_.size() == 1 ? "" : "s", inputs.size()));
  }
  Call call;
  call.shape = merged.shape;
  call.arguments[kOutput] =
      shifted(output, merged.output_start * static_cast<std::int64_t>(result_bytes_));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    call.arguments[kFirstInput + i] =
        shifted(inputs[i], merged.input_start * static_cast<std::int64_t>(input_bytes_[i]));
  }
  call.arguments[kFirstInput + inputs.size()] = const_cast<AxisStrides*>(&merged.strides);
  return call;
}

void AxisReducer::State::refuse_overlap(const MergedAxes& merged, const Call& call) const {
  const AddressRange written =
      range_of(call.arguments[kOutput], std::array{merged.shape[0], merged.shape[2]},
               merged.strides.output, result_bytes_);
  for (std::size_t i = 0; i < input_bytes_.size(); ++i) {
    const AddressRange read = range_of(call.arguments[kFirstInput + i], merged.shape.extents,
                                       merged.strides.input, input_bytes_[i]);
    if (written.begin < read.end && read.begin < written.end) {
      throw InvalidArgument(fmt::format(
          "calling {}: the output lies within input {}: results could be written over elements "
          "that are still to be read",
          to_string(problem()), i + 1));
    }
  }
}

void AxisReducer::reduce(std::span<const void* const> inputs, const ArrayLayout& layout,
                         std::span<const int> axes, void* output, Stream stream,
                         const ArrayLayout* results) const {
  const MergedAxes merged = state_->merge(layout, axes, results);
  Call call = state_->make_call(merged, inputs, output);
  call.inputs_ready = inputs_ready_;
  if (merged.shape[0] * merged.shape[2] == 0) return;
  if (merged.shape[1] * merged.shape[3] > 0) state_->refuse_overlap(merged, call);
  state_->call(call, stream);
}

void AxisReducer::prepare(std::span<const void* const> inputs, const ArrayLayout& layout,
                          std::span<const int> axes, Stream stream) const {
  const MergedAxes merged = state_->merge(layout, axes, /*results=*/nullptr);
  const Call call = state_->make_call(merged, inputs, /*output=*/nullptr);
  if (merged.shape[0] * merged.shape[2] > 0) state_->prepare(call, stream);
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
