#include "foldtune/reducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foldtune/error.h"
#include "runtime/custom_errors.h"
#include "runtime/reducer_state.h"
#include "templates/space.h"

namespace foldtune {
namespace {

constexpr std::uintptr_t kVectorAlignment = 16;

bool is_aligned(const void* pointer, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

Call make_call(std::initializer_list<const void*> inputs, std::uint64_t count, void* output) {
  if (inputs.size() > kMaxInputs) {
    throw InvalidArgument(fmt::format("calling a reduction with {} inputs: {} are the most",
                                      inputs.size(), kMaxInputs));
  }
  Call call{.count = count, .output = output};
  std::ranges::copy(inputs, call.inputs.begin());
  return call;
}

/// The most elements of a size class.
std::uint64_t largest_count(int size_class) {
  return static_cast<std::uint64_t>(std::ceil(std::exp2(size_class + 0.5)));
}

}  // namespace

const char* to_string(ConfigSource source) {
  switch (source) {
    case ConfigSource::exact:
      return "exact";
    case ConfigSource::near_size:
      return "near size";
    case ConfigSource::untuned_default:
      break;
  }
  return "default";
}

void Reducer::operator()(const void* input, std::uint64_t count, void* output,
                         Stream stream) const {
  state_->call({.inputs = {input}, .count = count, .output = output, .inputs_ready = inputs_ready_},
               1, stream);
}
void Reducer::operator()(std::initializer_list<const void*> inputs, std::uint64_t count,
                         void* output, Stream stream) const {
  Call call = make_call(inputs, count, output);
  call.inputs_ready = inputs_ready_;
  state_->call(call, inputs.size(), stream);
}
void Reducer::prepare(const void* input, std::uint64_t count, Stream stream) const {
  state_->prepare({.inputs = {input}, .count = count}, 1, stream);
}
void Reducer::prepare(std::initializer_list<const void*> inputs, std::uint64_t count,
                      Stream stream) const {
  state_->prepare(make_call(inputs, count, nullptr), inputs.size(), stream);
}
Reducer Reducer::with_inputs_ready() const {
  Reducer ready = *this;
  ready.inputs_ready_ = true;
  return ready;
}
Explanation Reducer::explain(std::uint64_t count) const { return state_->explain(count); }
const Problem& Reducer::problem() const { return state_->problem(); }

void Reducer::State::call(const Call& call, std::size_t inputs, Stream stream) {
  const std::size_t alignment = problem_.output_alignment();
  if (call.output == nullptr || !is_aligned(call.output, alignment)) {
    throw InvalidArgument(
        fmt::format("calling {}: the output pointer {} is not the address of a result, which is "
                    "aligned to {} bytes",
                    name(problem_.op), call.output, alignment));
  }
  check_inputs(call, inputs);
  const auto [plan, scratch] = resolve(call, stream);
  plan->enqueue(call, scratch, stream);
}

void Reducer::State::prepare(const Call& call, std::size_t inputs, Stream stream) {
  check_inputs(call, inputs);
  resolve(call, stream);
}

Explanation Reducer::State::explain(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  const Choice& choice = find_entry(problem_of(count, Alignment::vector)).choice;
  Explanation explanation{
      .source = choice.source(), .config = to_json(choice.params), .reason = choice.reason};
  if (choice.match) {
    explanation.tuned_count = choice.match->result.measurement.count;
    explanation.tuned_us = choice.match->result.measurement.median_us;
  }
  return explanation;
}

Problem Reducer::State::problem_of(std::uint64_t count, Alignment alignment) const {
  Problem problem = problem_;
  problem.count = count;
  problem.alignment = alignment;
  return problem;
}

void Reducer::State::check_inputs(const Call& call, std::size_t inputs) const {
  if (inputs != input_types_.size()) {
    throw InvalidArgument(fmt::format("calling {}: it takes {} inputs, not {}", name(problem_.op),
                                      input_types_.size(), inputs));
  }
  if (call.count > kMaxCount) {
    throw InvalidArgument(fmt::format("calling {}: {}", name(problem_.op),
                                      find_fault(problem_of(call.count, Alignment::element))));
  }
  if (call.count == 0 && !has_empty_result(problem_.op)) {
    throw InvalidArgument(fmt::format(
        "calling {} on an empty input: there is no {} of nothing; check the count before the call",
        name(problem_.op), name(problem_.op)));
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    const void* const input = call.inputs.at(i);
    if ((input == nullptr && call.count > 0) || !is_aligned(input, size_of(input_types_[i]))) {
      throw InvalidArgument(
          fmt::format("calling {}: the input pointer {} is not the address of a {}",
                      name(problem_.op), input, name(input_types_[i])));
    }
  }
}

Reducer::State::Entry& Reducer::State::find_entry(const Problem& problem) {
  const std::pair key{size_class(problem.count), problem.alignment};
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  Choice choice = configs_.choose(device_.info().record, device_.compiler().version(), problem);
  return entries_.emplace(key, Entry{.choice = std::move(choice), .plan = nullptr, .scratch = {}})
      .first->second;
}

std::shared_ptr<const CompiledKernel> Reducer::State::compile(const Variant& variant) {
  try {
    return kernels_.get(device_.compiler(), make_program(variant));
  } catch (const CompileError& error) {
    throw explain_compile_error(problem_, error);
  }
}

std::pair<const Plan*, void*> Reducer::State::resolve(const Call& call, Stream stream) {
  // Beside its inputs, a call of a histogram may have edges.
  const bool aligned =
      std::all_of(call.inputs.begin(), call.inputs.begin() + input_types_.size(),
                  [](const void* input) { return is_aligned(input, kVectorAlignment); });
  const Problem problem = problem_of(call.count, aligned ? Alignment::vector : Alignment::element);
  // The driver tells the id of no stream that is being captured; such a one lives, so its handle
  // is enough.
  const bool capturing = device_.is_capturing(stream);
  const std::uint64_t stream_id = capturing ? 0 : device_.stream_id(stream);

  const std::lock_guard lock(mutex_);
  Entry& entry = find_entry(problem);
  const auto known = entry.scratch.find(stream);
  if (entry.plan != nullptr && known != entry.scratch.end() &&
      (capturing || known->second.stream_id == stream_id)) {
    return {entry.plan.get(), known->second.memory.data()};
  }
  if (capturing) {
    throw InvalidArgument(
        fmt::format("calling {} while its stream is being captured: nothing may be compiled or "
                    "allocated now; call prepare() for this count and stream before the capture",
                    to_string(problem)));
  }
  if (entry.plan == nullptr) {
    const Variant variant{.problem = problem, .params = entry.choice.params};
    entry.plan = std::make_unique<Plan>(device_, variant, *compile(variant));
  }
  // Enough for every count of the size class.
  const std::size_t bytes = entry.plan->scratch_bytes(largest_count(size_class(call.count)));
  StreamScratch& scratch = entry.scratch[stream];
  scratch = {.stream_id = stream_id, .memory = DeviceBuffer(device_, bytes)};
  return {entry.plan.get(), scratch.memory.data()};
}

}  // namespace foldtune
