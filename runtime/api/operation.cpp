#include "runtime/api/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "foldtune/error.h"
#include "runtime/api/call_record.h"
#include "runtime/lookup/lookup.h"

namespace foldtune {
namespace {

/// `alignment` is a power of two: every call asks, and a division takes as long as all the rest.
bool is_aligned_to(const void* pointer, std::size_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(pointer) & (alignment - 1)) == 0;
}

/// Nothing is never tuned. A call of no elements shares its plan with those of the least shape.
Workload with_elements(Workload workload) {
  for (std::size_t i = 0; i < workload.problem.family().extents().size(); ++i) {
    workload.shape[i] = std::max<std::uint64_t>(workload.shape[i], 1);
  }
  return workload;
}

/// The command that tunes it; of an operator of one's own, as much of it as is known here.
std::string tune_command(const DeviceInfo& device, const Workload& workload) {
  return fmt::format("foldtune tune --device {}{}", device.id,
                     tune_options(with_elements(workload)));
}

}  // namespace

Operation::Operation(const OperationParts& parts, const Problem& problem)
    : device_(parts.device),
      configs_(parts.configs),
      kernels_(parts.kernels),
      settings_(parts.settings),
      problem_(problem),
      family_(problem_.family()),
      arguments_(family_.arguments(problem_)) {}

void Operation::call(const Call& call, Stream stream) {
  check_call(call);
  resolve(call, stream).enqueue(call, stream);
}

void Operation::call_and_wait(const Call& call, void* result, Stream stream) {
  check_shape(call.shape);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].access != Access::output) check_argument(call, i);
  }
  if (device_.is_capturing(stream)) {
    throw InvalidArgument(
        fmt::format("waiting for {} while its stream is being captured: nothing of it runs before "
                    "the graph does; capture the call that writes to an output instead",
                    to_string(problem_)));
  }
  resolve(call, stream).call_and_wait(call, result, stream);
}

void Operation::prepare(const Call& call, Stream stream) {
  check_shape(call.shape);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (argument.access == Access::input && !argument.is_table) check_argument(call, i);
  }
  resolve(call, stream).prepare(stream);
}

Explanation Operation::explain(const Shape& shape) {
  const Workload workload = this->workload(shape);
  if (const std::string fault = find_fault(workload); !fault.empty()) {
    throw InvalidArgument(fmt::format("explaining {}: {}", to_string(problem_), fault));
  }
  const std::lock_guard lock(mutex_);
  const Choice& choice = find_choice(workload);
  Explanation explanation{.source = choice.source(),
                          .config = to_json(choice.params),
                          .reason = choice.reason,
                          .expected_loss = choice.expected_loss,
                          .has_pins = choice.has_pins};
  if (choice.match) {
    explanation.tuned_shape = parse_shape(family_, choice.match->shape).value_or(Shape{});
    explanation.tuned_us = choice.match->median_us;
  }
  return explanation;
}

Operation::Key Operation::key_of(const Shape& shape, int layout) const {
  return {.classes = std::bit_cast<std::uint64_t>(family_.bucket(shape).classes),
          .layout = static_cast<std::uint64_t>(layout)};
}

Workload Operation::workload_of(const Shape& shape, int layout) const {
  return {
      .problem = problem_, .shape = shape, .layout = layout, .conditions = settings_.conditions};
}

void Operation::check_call(const Call& call) const {
  check_shape(call.shape);
  for (std::size_t i = 0; i < arguments_.size(); ++i) check_argument(call, i);
}

void Operation::check_shape(const Shape& shape) const {
  if (const std::string fault = family_.find_call_fault(problem_, shape); !fault.empty()) {
    throw InvalidArgument(fmt::format("calling {}: {}", to_string(problem_), fault));
  }
}

void Operation::check_argument(const Call& call, std::size_t i) const {
  const void* const address = call.arguments[i];
  const bool is_usual = address != nullptr && is_aligned_to(address, arguments_[i].alignment);
  if (!is_usual || settings_.check_pointers) check_odd_argument(call, i);
}

void Operation::check_odd_argument(const Call& call, std::size_t i) const {
  const Argument& argument = arguments_[i];
  const void* const address = call.arguments[i];
  const auto refuse = [&](const std::string& fault) {
    throw InvalidArgument(fmt::format("calling {}: the {} pointer {} {}", to_string(problem_),
                                      argument.name, address, fault));
  };
  const bool is_scalar = argument.access == Access::scalar;
  const bool is_needed = is_scalar || argument.access == Access::output ||
                         family_.elements(problem_, i, call.shape) > 0;
  if ((address == nullptr && is_needed) || !is_aligned_to(address, argument.alignment)) {
    refuse(argument.access == Access::output
               ? fmt::format("is not the address of a result, which is aligned to {} bytes",
                             argument.alignment)
               : fmt::format("is not the address of a {}", name(argument.type)));
  }
  if (!settings_.check_pointers || is_scalar || !is_needed) return;
  if (const std::string fault = device_.find_pointer_fault(address); !fault.empty()) refuse(fault);
}

ResolvedPlan& Operation::resolve(const Call& call, Stream stream) {
  const int layout = layout_of(call);
  if (ResolvedPlan* const known = plans_.find(key_of(call.shape, layout))) return *known;
  refuse_in_capture(device_, workload_of(call.shape, layout), stream);
  return resolve(call.shape, layout);
}

ResolvedPlan& Operation::resolve(const Shape& shape, int layout) {
  const Workload workload = workload_of(shape, layout);
  if (const std::string fault = find_fault(workload); !fault.empty()) {
    throw InvalidArgument(fmt::format("planning {}: {}", to_string(problem_), fault));
  }
  const Key key = key_of(shape, layout);
  const std::lock_guard lock(mutex_);
  if (ResolvedPlan* const known = plans_.find(key)) return *known;
  const bool has_elements = with_elements(workload).shape == workload.shape;
  if (settings_.record && has_elements) settings_.record(workload);
  return plans_.add(key, make_plan(workload, choose(workload)));
}

Choice& Operation::find_choice(const Workload& workload) {
  const Key key = key_of(workload.shape, workload.layout);
  if (const auto found = choices_.find(key); found != choices_.end()) return found->second;
  Choice choice = choose_with_kernel(device_, configs_, kernels_, workload);
  return choices_.emplace(key, std::move(choice)).first->second;
}

const Choice& Operation::choose(const Workload& workload) {
  Choice& choice = find_choice(workload);
  const bool is_miss = !choice.match && !choice.is_tuned_now;
  if (!is_miss || settings_.on_miss == OnMiss::use_default) return choice;
  if (settings_.on_miss == OnMiss::fail && choice.has_pins) {
    throw NotTuned(fmt::format("looking up {}: {}", to_string(workload), choice.reason));
  }
  if (settings_.on_miss == OnMiss::fail) {
    throw NotTuned(
        fmt::format("looking up {}: {}; tune it with `{}`, or allow the untuned default with "
                    "MissPolicy",
                    to_string(workload), choice.reason, tune_command(device_.info(), workload)));
  }
  if (choice.has_pins) return choice;  // later processes would not use what is tuned
  const Workload tunable = with_elements(workload);
  if (!find_fault(tunable).empty()) return choice;
  if (const Tuned tuned = settings_.tune(tunable); !tuned.config.empty()) {
    choice = tuned_now(workload, tuned.config);
  } else {
    choice.reason = fmt::format("tuning it gave no configuration: {}", tuned.reason);
  }
  return choice;
}

std::unique_ptr<ResolvedPlan> Operation::make_plan(const Workload& workload, const Choice& choice) {
  const Variant variant{.workload = workload, .params = choice.params};
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
