#include "runtime/api/reducer_state.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "foldtune/error.h"
#include "templates/space.h"

namespace foldtune {
namespace {

constexpr std::uintptr_t kVectorAlignment = 16;

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// `alignment` is a power of two: every call asks, and a division takes as long as all the rest.
bool is_aligned_to(const void* pointer, std::size_t alignment) {
  return (address(pointer) & (alignment - 1)) == 0;
}

}  // namespace

Reducer::State::State(Device& device, const ConfigLookup& configs, KernelCache& kernels,
                      const Problem& problem, ReducerSettings settings)
    : device_(device),
      configs_(configs),
      kernels_(kernels),
      problem_(problem),
      settings_(std::move(settings)),
      output_alignment_(problem.output_alignment()),
      results_(device, problem.result_bytes(), output_alignment_) {
  for (const ElementType type : problem.input_types()) {
    input_alignments_.at(input_count_++) = size_of(type);
  }
}

void Reducer::State::call(const Call& call, std::size_t inputs, Stream stream) {
  check_call(call, inputs);
  resolve(call, stream).enqueue(call, stream);
}

void Reducer::State::call_and_wait(Call call, std::size_t inputs, void* result, Stream stream) {
  check_inputs(call, inputs);
  if (device_.is_capturing(stream)) {
    throw InvalidArgument(
        fmt::format("waiting for {} while its stream is being captured: nothing of it runs before "
                    "the graph does; capture the call that writes to an output instead",
                    name(problem_.op)));
  }
  ResolvedPlan& plan = resolve(call, stream);
  // After an error it is not given back, for a kernel may still write to it.
  call.output = results_.take();
  plan.call_and_wait(call, stream, [&] { return results_.is_complete(call.output); });
  std::memcpy(result, call.output, results_.bytes());
  results_.give_back(call.output);
}

void Reducer::State::prepare(const Call& call, std::size_t inputs, Stream stream) {
  check_inputs(call, inputs);
  resolve(call, stream).prepare(stream);
}

Explanation Reducer::State::explain(std::uint64_t count) {
  if (count > kMaxCount) {
    throw InvalidArgument(fmt::format("explaining {}: {}", name(problem_.op),
                                      find_fault(problem_of(count, Alignment::vector))));
  }
  const std::lock_guard lock(mutex_);
  const Choice& choice = find_choice(problem_of(count, Alignment::vector));
  Explanation explanation{.source = choice.source(),
                          .config = to_json(choice.params),
                          .reason = choice.reason,
                          .expected_loss = choice.expected_loss};
  if (choice.match) {
    explanation.tuned_count = choice.match->count;
    explanation.tuned_us = choice.match->median_us;
  }
  return explanation;
}

Problem Reducer::State::problem_of(std::uint64_t count, Alignment alignment) const {
  Problem problem = problem_;
  problem.count = count;
  problem.alignment = alignment;
  return problem;
}

bool Reducer::State::is_plain(const Call& call, std::size_t inputs) const {
  if (inputs != input_count_ || settings_.check_pointers) return false;
  if (call.count == 0 || call.count > kMaxCount || call.output == nullptr) return false;
  bool is_good = is_aligned_to(call.output, output_alignment_);
  for (std::size_t i = 0; i < input_count_; ++i) {
    is_good &= call.inputs[i] != nullptr && is_aligned_to(call.inputs[i], input_alignments_[i]);
  }
  return is_good;
}

void Reducer::State::check_call(const Call& call, std::size_t inputs) const {
  if (is_plain(call, inputs)) return;
  if (call.output == nullptr || !is_aligned_to(call.output, output_alignment_)) {
    throw InvalidArgument(
        fmt::format("calling {}: the output pointer {} is not the address of a result, which is "
                    "aligned to {} bytes",
                    name(problem_.op), call.output, output_alignment_));
  }
  check_inputs(call, inputs);
  if (!settings_.check_pointers) return;
  check_pointer(call.output, "output");
  // Beside its inputs, a call of a histogram may have edges.
  const bool has_edges =
      problem_.op == Operator::histogram && problem_.histogram.binning == Binning::custom;
  if (has_edges) check_pointer(call.inputs.at(inputs), "edges");
}

void Reducer::State::check_inputs(const Call& call, std::size_t inputs) const {
  if (inputs != input_count_) {
    throw InvalidArgument(fmt::format("calling {}: it takes {} inputs, not {}", name(problem_.op),
                                      input_count_, inputs));
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
    if ((input == nullptr && call.count > 0) || !is_aligned_to(input, input_alignments_[i])) {
      throw InvalidArgument(
          fmt::format("calling {}: the input pointer {} is not the address of a {}",
                      name(problem_.op), input, name(problem_.input_types()[i])));
    }
    if (settings_.check_pointers && call.count > 0) check_pointer(input, "input");
  }
}

void Reducer::State::check_pointer(const void* pointer, const char* what) const {
  const std::string fault = device_.find_pointer_fault(pointer);
  if (fault.empty()) return;
  throw InvalidArgument(
      fmt::format("calling {}: the {} pointer {} {}", name(problem_.op), what, pointer, fault));
}

bool Reducer::State::is_aligned(const Call& call) const {
  // Whatever the edges of a histogram are.
  std::uintptr_t bits = 0;
  for (std::size_t i = 0; i < input_count_; ++i) bits |= address(call.inputs[i]);
  return bits % kVectorAlignment == 0;
}

ResolvedPlan& Reducer::State::resolve(const Call& call, Stream stream) {
  const Alignment alignment = is_aligned(call) ? Alignment::vector : Alignment::element;
  ResolvedPlan* const known =
      resolved_[place_of(call.count, alignment)].load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  refuse_in_capture(device_, problem_of(call.count, alignment), stream);
  return resolve(call.count, alignment);
}

ResolvedPlan& Reducer::State::resolve(std::uint64_t count, Alignment alignment) {
  const Problem problem = problem_of(count, alignment);
  if (const std::string fault = find_fault(problem); !fault.empty()) {
    throw InvalidArgument(fmt::format("planning {}: {}", name(problem_.op), fault));
  }
  const std::lock_guard lock(mutex_);
  std::atomic<ResolvedPlan*>& place = resolved_[place_of(count, alignment)];
  if (ResolvedPlan* const known = place.load(std::memory_order_relaxed)) return *known;
  plans_.push_back(make_plan(problem, choose(problem)));
  place.store(plans_.back().get(), std::memory_order_release);
  return *plans_.back();
}

Choice& Reducer::State::find_choice(const Problem& problem) {
  const Place place = place_of(problem.count, problem.alignment);
  if (const auto found = choices_.find(place); found != choices_.end()) return found->second;
  Choice choice = choose_with_kernel(device_, configs_, kernels_, problem);
  return choices_.emplace(place, std::move(choice)).first->second;
}

const Choice& Reducer::State::choose(const Problem& problem) {
  Choice& choice = find_choice(problem);
  const bool is_miss = !choice.match && !choice.is_tuned_now;
  if (!is_miss || settings_.miss.action == OnMiss::use_default) return choice;
  if (settings_.miss.action == OnMiss::fail) {
    throw NotTuned(
        fmt::format("looking up {}: {}; tune it with `foldtune tune`, or allow the "
                    "untuned default with MissPolicy",
                    to_string(problem), choice.reason));
  }
  if (const std::string config = settings_.miss.tune(problem); !config.empty()) {
    choice = tuned_now(problem, config);
  }
  return choice;
}

std::unique_ptr<ResolvedPlan> Reducer::State::make_plan(const Problem& problem,
                                                        const Choice& choice) {
  const Variant variant{.problem = problem, .params = choice.params};
  const Program program = make_program(variant);
  const std::string compiler = compiler_of(choice);
  const std::shared_ptr<const CompiledKernel> kernel = kernels_.get(device_, program, compiler);
  try {
    return std::make_unique<ResolvedPlan>(device_, variant, *kernel);
  } catch (const DeviceError&) {
    // A kept kernel may be made for a newer driver than this.
    if (!kernels_.reject(device_.quick_info().record, program)) throw;
  }
  return std::make_unique<ResolvedPlan>(device_, variant,
                                        *kernels_.get(device_, program, compiler));
}

}  // namespace foldtune
