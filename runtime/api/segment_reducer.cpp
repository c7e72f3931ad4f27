#include "foldtune/segment_reducer.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "foldtune/error.h"
#include "runtime/api/segment_reducer_state.h"
#include "templates/segments/space.h"

namespace foldtune {
namespace {

// The arguments in the family's order: the output, the inputs, begins and ends.
constexpr std::size_t kOutput = 0;
constexpr std::size_t kFirstInput = 1;

Shape shape_of(std::uint64_t elements, std::uint64_t segments) {
  Shape shape;
  shape[segment_extent::segments] = segments;
  shape[segment_extent::elements] = elements;
  return shape;
}

}  // namespace

SegmentReducer::State::State(const OperationParts& parts, const SegmentReduction& reduction)
    : Operation(parts, Problem(reduction)),
      reduction_(segment_reduction_of(problem())),
      input_count_(reduction_.segment.input_types().size()) {
  for (const Argument& argument : problem().family().arguments(problem())) {
    bytes_.push_back(argument.element_bytes);
  }
}

Call SegmentReducer::State::make_call(std::span<const void* const> inputs, std::uint64_t elements,
                                      std::uint64_t segments) const {
  if (inputs.size() != input_count_) {
    throw InvalidArgument(fmt::format("calling {}: it takes {} input{}, not {}",
                                      to_string(problem()), input_count_,
                                      input_count_ == 1 ? "" : "s", inputs.size()));
  }
  Call call;
  call.shape = shape_of(elements, segments);
  call.arguments[kOutput] = nullptr;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    call.arguments[kFirstInput + i] = const_cast<void*>(inputs[i]);
  }
  call.arguments[kFirstInput + input_count_] = nullptr;
  call.arguments[kFirstInput + input_count_ + 1] = nullptr;
  return call;
}

void SegmentReducer::State::refuse_overlap(const Call& call) const {
  const auto range_of = [&](std::size_t i) {
    const bool is_input = i >= kFirstInput && i < kFirstInput + input_count_;
    const std::uint64_t count =
        call.shape[is_input ? segment_extent::elements : segment_extent::segments];
    const auto begin = reinterpret_cast<std::uintptr_t>(call.arguments[i]);
    return std::pair{begin, begin + count * bytes_[i]};
  };
  const auto written = range_of(kOutput);
  for (std::size_t i = kFirstInput; i < bytes_.size(); ++i) {
    const auto read = range_of(i);
    const bool is_empty = read.first == read.second;
    if (is_empty || written.first >= read.second || read.first >= written.second) continue;
    throw InvalidArgument(fmt::format(
        "calling {}: the output lies within {}: results could be written over what is still to be "
        "read",
        to_string(problem()),
        i <= input_count_ ? fmt::format("input {}", i) : std::string("the offsets")));
  }
}

void SegmentReducer::reduce(std::span<const void* const> inputs, std::uint64_t elements,
                            const void* begins, const void* ends, std::uint64_t segments,
                            void* output, Stream stream) const {
  Call call = state_->make_call(inputs, elements, segments);
  state_->check_shape(call.shape);
  if (segments == 0) return;
  call.arguments[kOutput] = output;
  call.arguments[kFirstInput + inputs.size()] = const_cast<void*>(begins);
  call.arguments[kFirstInput + inputs.size() + 1] = const_cast<void*>(ends);
  call.inputs_ready = inputs_ready_;
  state_->refuse_overlap(call);
  state_->call(call, stream);
}

void SegmentReducer::operator()(const void* input, std::uint64_t elements, const void* offsets,
                                std::uint64_t segments, void* output, Stream stream) const {
  const auto* const begins = static_cast<const std::byte*>(offsets);
  reduce({&input, 1}, elements, begins,
         begins == nullptr ? nullptr : begins + state_->offset_bytes(), segments, output, stream);
}

void SegmentReducer::prepare(std::span<const void* const> inputs, std::uint64_t elements,
                             std::uint64_t segments, Stream stream) const {
  const Call call = state_->make_call(inputs, elements, segments);
  state_->check_shape(call.shape);
  if (segments > 0) state_->prepare(call, stream);
}

SegmentReducer SegmentReducer::with_inputs_ready() const {
  SegmentReducer ready = *this;
  ready.inputs_ready_ = true;
  return ready;
}

Explanation SegmentReducer::explain(std::uint64_t elements, std::uint64_t segments) const {
  return state_->explain(shape_of(elements, segments));
}

Workload SegmentReducer::workload(std::uint64_t elements, std::uint64_t segments) const {
  return state_->workload(shape_of(elements, segments));
}

const SegmentReduction& SegmentReducer::problem() const { return state_->reduction(); }

}  // namespace foldtune
