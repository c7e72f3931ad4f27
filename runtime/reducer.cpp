#include "foldtune/reducer.h"

#include <fmt/format.h>

#include <cmath>

#include "foldtune/error.h"
#include "runtime/reducer_state.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

constexpr std::uintptr_t kVectorAlignment = 16;

bool is_aligned(const void* pointer, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
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
  state_->call(input, count, output, stream);
}
void Reducer::prepare(const void* input, std::uint64_t count, Stream stream) const {
  state_->prepare(input, count, stream);
}
Explanation Reducer::explain(std::uint64_t count) const { return state_->explain(count); }
const Problem& Reducer::problem() const { return state_->problem(); }

void Reducer::State::call(const void* input, std::uint64_t count, void* output, Stream stream) {
  const std::size_t result_size = size_of(problem_.accumulator_type());
  if (output == nullptr || !is_aligned(output, result_size)) {
    throw InvalidArgument(
        fmt::format("calling {}: the output pointer {} is not the address of a {}",
                    name(problem_.op), output, name(problem_.accumulator_type())));
  }
  check_input(input, count);
  const auto [plan, scratch] = resolve(input, count, stream);
  plan->enqueue(input, count, output, scratch, stream);
}

void Reducer::State::prepare(const void* input, std::uint64_t count, Stream stream) {
  check_input(input, count);
  resolve(input, count, stream);
}

Explanation Reducer::State::explain(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  const Choice& choice = find_entry(problem_of(count, Alignment::vector)).choice;
  Explanation explanation{.config = to_json(choice.params), .reason = choice.reason};
  if (choice.match) {
    explanation.source = choice.match->quality == MatchQuality::exact ? ConfigSource::exact
                                                                      : ConfigSource::near_size;
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

void Reducer::State::check_input(const void* input, std::uint64_t count) const {
  if (count > kMaxCount) {
    throw InvalidArgument(fmt::format("calling {}: {}", name(problem_.op),
                                      find_fault(problem_of(count, Alignment::element))));
  }
  if ((input == nullptr && count > 0) || !is_aligned(input, size_of(problem_.type))) {
    throw InvalidArgument(fmt::format("calling {}: the input pointer {} is not the address of a {}",
                                      name(problem_.op), input, name(problem_.type)));
  }
}

Reducer::State::Entry& Reducer::State::find_entry(const Problem& problem) {
  const std::pair key{size_class(problem.count), problem.alignment};
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  Choice choice =
      choose_config(store_, device_.info().record, device_.compiler().version(), problem);
  return entries_.emplace(key, Entry{.choice = std::move(choice), .plan = nullptr, .scratch = {}})
      .first->second;
}

std::pair<const Plan*, void*> Reducer::State::resolve(const void* input, std::uint64_t count,
                                                      Stream stream) {
  const Problem problem = problem_of(
      count, is_aligned(input, kVectorAlignment) ? Alignment::vector : Alignment::element);
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
    entry.plan = std::make_unique<Plan>(device_, variant,
                                        *kernels_.get(device_.compiler(), make_program(variant)));
  }
  // Enough for every count of the size class.
  const std::size_t bytes = entry.plan->scratch_bytes(largest_count(size_class(count)));
  StreamScratch& scratch = entry.scratch[stream];
  scratch = {.stream_id = stream_id, .memory = DeviceBuffer(device_, bytes)};
  return {entry.plan.get(), scratch.memory.data()};
}

}  // namespace foldtune
