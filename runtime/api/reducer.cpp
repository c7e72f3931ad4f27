#include "foldtune/reducer.h"

#include <fmt/format.h>

#include <algorithm>

#include "foldtune/error.h"
#include "foldtune/reduce_plan.h"
#include "runtime/api/reducer_state.h"

namespace foldtune {
namespace {

/// What is asked of the scratch of a caller: a slot's own alignment, and a cache line.
constexpr std::uintptr_t kScratchAlignment = 128;

/// The places of a call's arguments: the output, then the inputs.
constexpr std::size_t kOutput = 0;
constexpr std::size_t kFirstInput = 1;

/// Of one input: the others are null.
Call make_call(const void* input, std::uint64_t count, void* output, bool inputs_ready = false) {
  Call call;
  call.inputs_ready = inputs_ready;
  call.shape[0] = count;
  call.arguments[kOutput] = output;
  call.arguments[kFirstInput] = const_cast<void*>(input);
  for (std::size_t i = 1; i < kMaxInputs; ++i) call.arguments[kFirstInput + i] = nullptr;
  return call;
}

Call make_call(std::initializer_list<const void*> inputs, std::uint64_t count, void* output,
               bool inputs_ready = false) {
  if (inputs.size() > kMaxInputs) {
    throw InvalidArgument(fmt::format("calling a reduction with {} inputs: {} are the most",
                                      inputs.size(), kMaxInputs));
  }
  Call call = make_call(nullptr, count, output, inputs_ready);
  std::ranges::transform(inputs, &call.arguments[kFirstInput],
                         [](const void* input) { return const_cast<void*>(input); });
  return call;
}

/// "f32", "{f32 value; u64 index}".
std::string describe(const ResultType& type) {
  switch (type.shape) {
    case ResultShape::indexed_value:
      return fmt::format("{{{} value; u64 index}}", name(type.type));
    case ResultShape::min_max:
      return fmt::format("{{{0} min; {0} max}}", name(type.type));
    case ResultShape::value:
      break;
  }
  return std::string(name(type.type));
}

}  // namespace

Reducer::State::State(const OperationParts& parts, const Reduction& reduction)
    : Operation(parts, Problem(reduction)),
      reduction_(reduction),
      input_count_(reduction.input_types().size()) {}

void Reducer::State::refuse_inputs(std::size_t inputs) const {
  throw InvalidArgument(fmt::format("calling {}: it takes {} input{}, not {}", to_string(problem()),
                                    input_count_, input_count_ == 1 ? "" : "s", inputs));
}

void Reducer::operator()(const void* input, std::uint64_t count, void* output,
                         Stream stream) const {
  state_->check_inputs(1);
  state_->call(make_call(input, count, output, inputs_ready_), stream);
}
void Reducer::operator()(std::initializer_list<const void*> inputs, std::uint64_t count,
                         void* output, Stream stream) const {
  const Call call = make_call(inputs, count, output, inputs_ready_);
  state_->check_inputs(inputs.size());
  state_->call(call, stream);
}
void Reducer::read_value(std::initializer_list<const void*> inputs, std::uint64_t count,
                         ResultType type, void* result, Stream stream) const {
  const Reduction& own = problem();
  const ResultType own_type{.shape = result_shape(own.op), .type = own.result_type()};
  if (type != own_type) {
    throw InvalidArgument(fmt::format("calling {}: its result is {}, not {}", name(own.op),
                                      describe(own_type), describe(type)));
  }
  call_and_wait(inputs, count, result, stream);
}
void Reducer::read_value(std::initializer_list<const void*> inputs, std::uint64_t count,
                         void* result, std::size_t bytes, Stream stream) const {
  const std::size_t own_bytes = problem().result_bytes();
  if (result == nullptr) {
    throw InvalidArgument(
        fmt::format("calling {}: the place for the result is null; give {} bytes of host memory",
                    name(problem().op), own_bytes));
  }
  if (bytes != own_bytes) {
    throw InvalidArgument(
        fmt::format("calling {}: the place for the result has {} bytes, and a result takes {} "
                    "bytes",
                    name(problem().op), bytes, own_bytes));
  }
  call_and_wait(inputs, count, result, stream);
}
void Reducer::call_and_wait(std::initializer_list<const void*> inputs, std::uint64_t count,
                            void* result, Stream stream) const {
  const Call call = make_call(inputs, count, nullptr, inputs_ready_);
  state_->check_inputs(inputs.size());
  state_->call_and_wait(call, result, stream);
}
void Reducer::prepare(const void* input, std::uint64_t count, Stream stream) const {
  prepare({input}, count, stream);
}
void Reducer::prepare(std::initializer_list<const void*> inputs, std::uint64_t count,
                      Stream stream) const {
  const Call call = make_call(inputs, count, nullptr);
  state_->check_inputs(inputs.size());
  state_->prepare(call, stream);
}
ReducePlan Reducer::plan(std::uint64_t count, Alignment alignment) const {
  return {state_, state_->resolve({{count}}, static_cast<int>(alignment)), alignment,
          inputs_ready_};
}
Reducer Reducer::with_inputs_ready() const {
  Reducer ready = *this;
  ready.inputs_ready_ = true;
  return ready;
}
Explanation Reducer::explain(std::uint64_t count) const { return state_->explain({{count}}); }
const Reduction& Reducer::problem() const { return state_->reduction(); }

void ReducePlan::operator()(const void* input, std::uint64_t count, void* output,
                            Stream stream) const {
  enqueue(make_call(input, count, output, inputs_ready_), 1, stream);
}
void ReducePlan::operator()(std::initializer_list<const void*> inputs, std::uint64_t count,
                            void* output, Stream stream) const {
  enqueue(make_call(inputs, count, output, inputs_ready_), inputs.size(), stream);
}

void ReducePlan::enqueue(const Call& call, std::size_t inputs, Stream stream) const {
  state_->check_inputs(inputs);
  state_->check_call(call);
  if (call.shape[0] > max_count()) {
    throw InvalidArgument(fmt::format(
        "calling {} on {} elements: this plan and its scratch are for {} at most; make one for "
        "this count",
        name(state_->reduction().op), call.shape[0], max_count()));
  }
  if (alignment_ == Alignment::vector &&
      state_->layout_of(call) != static_cast<int>(Alignment::vector)) {
    throw InvalidArgument(
        fmt::format("calling {}: this plan is for inputs at multiples of 16 bytes; make one with "
                    "Alignment::element",
                    name(state_->reduction().op)));
  }
  if (scratch_ != nullptr) {
    resolved_->enqueue(call, scratch_, stream);
  } else {
    resolved_->enqueue(call, stream);
  }
}

std::uint64_t ReducePlan::max_count() const { return resolved_->max_shape()[0]; }
std::size_t ReducePlan::scratch_bytes() const { return resolved_->scratch_bytes(); }

ReducePlan ReducePlan::with_scratch(void* scratch, std::size_t bytes) const {
  const bool is_fit = scratch != nullptr && bytes >= scratch_bytes() &&
                      reinterpret_cast<std::uintptr_t>(scratch) % kScratchAlignment == 0;
  if (!is_fit && scratch_bytes() > 0) {
    throw InvalidArgument(fmt::format(
        "planning {} with {} bytes of scratch at {}: it takes {} bytes, aligned to {}",
        name(state_->reduction().op), bytes, scratch, scratch_bytes(), kScratchAlignment));
  }
  ReducePlan plan = *this;
  plan.scratch_ = scratch;
  return plan;
}

}  // namespace foldtune
