#include "tests/conformance/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "foldtune/error.h"
#include "templates/fold/judge/reference_row.h"
#include "templates/reduce/judge/error_bound.h"
#include "templates/reduce/scratch.cuh"
#include "templates/reduce/space.h"
#include "templates/space.h"

namespace foldtune::test {
namespace {

/// A result lies in the middle of its slot, between guards.
constexpr std::size_t kSlotBytes = 32;
constexpr std::size_t kResultOffset = 8;
/// Results that are read back at once.
constexpr std::size_t kSlots = 6 * 1024;
constexpr std::size_t kCallsPerCase = 3;

/// Zeros after the scratch, which no kernel may touch.
constexpr std::size_t kScratchGuardBytes = 64;

/// Whether the result is a sum of elements or of their products: exact for small integers.
bool is_sum(Operator op) {
  const ErrorBound bound = reference_row(op).bound;
  return bound == sum_bound || bound == sum_of_products_bound;
}

}  // namespace

Checker::Checker(Device& device, Tally& tally)
    : device_(device),
      tally_(tally),
      slots_(kSlots * kSlotBytes),
      device_slots_(device, slots_.size()) {
  poison();
}

void Checker::poison() {
  std::ranges::fill(slots_, kPoison);
  device_.copy(device_slots_.data(), slots_.data(), slots_.size());
}

void Checker::run(std::unique_ptr<Plan> plan, const std::vector<Case>& cases) {
  std::size_t scratch_bytes = 0;
  for (const Case& one : cases) {
    scratch_bytes = std::max(scratch_bytes, plan->scratch_bytes({{one.window.count}}));
  }
  running_.push_back({.plan = std::move(plan),
                      .scratch = DeviceBuffer(device_, scratch_bytes + kScratchGuardBytes),
                      .scratch_bytes = scratch_bytes});
  for (const Case& one : cases) enqueue(one);
  ++tally_.variants;
  tally_.cases += cases.size();
}

void Checker::enqueue(const Case& one) {
  if (calls_.size() + kCallsPerCase > kSlots) check();
  enqueue(*one.first, one.window, false);
  enqueue(*one.second, one.window, false);
  enqueue(*one.first, one.window, true);
}

void Checker::enqueue(const Input& input, const Window& window, bool repeats) {
  void* const output =
      static_cast<std::byte*>(device_slots_.data()) + calls_.size() * kSlotBytes + kResultOffset;
  const Running& running = running_.back();
  // The repeated call makes the promise, which is to change no bit.
  foldtune::Call call = input.call(window, output);
  call.inputs_ready = repeats;
  running.plan->enqueue(call, running.scratch.data(), nullptr);
  calls_.push_back(
      {.plan = running_.size() - 1, .input = &input, .window = window, .repeats = repeats});
}

std::string Checker::finish() {
  check();
  for (const Running& running : running_) check_scratch(running);
  running_.clear();
  if (failures_ == 0) return {};
  return fmt::format("{} of {} results are wrong:\n{}", failures_, tally_.calls, messages_);
}

void Checker::check() {
  device_.synchronize(nullptr);
  device_.copy(slots_.data(), device_slots_.data(), calls_.size() * kSlotBytes);
  for (std::size_t i = 0; i < calls_.size(); ++i) check(calls_[i], slots_.data() + i * kSlotBytes);
  tally_.calls += calls_.size();
  calls_.clear();
  // All plans but the last have done all their calls.
  while (running_.size() > 1) {
    check_scratch(running_.front());
    running_.erase(running_.begin());
  }
  poison();
}

void Checker::check(const Call& call, const std::byte* slot) {
  const Plan& plan = *running_[call.plan].plan;
  Reduction reduction = reduction_of(plan.variant().workload);
  reduction.count = call.window.count;
  const std::size_t result_bytes = reduction.result_bytes();
  const std::byte* const result = slot + kResultOffset;
  const auto where = [&] {
    return fmt::format("n = {} from element {} of the input '{}'{}", call.window.count,
                       call.window.start, call.input->name(), call.repeats ? ", repeated" : "");
  };

  const Reference& reference = call.input->reference(call.window);
  const long double exact_below =
      reduction.accumulator_type() == ElementType::f32 ? 0x1p24L : 0x1p53L;
  const bool exact = is_sum(reduction.op) &&
                     reduction.result_type() == reduction.accumulator_type() &&
                     reference.sum_of_magnitudes < exact_below && call.input->has_integers();
  const long double bound = exact ? 0
                                  : error_bound(reduction, plan.variant().params,
                                                plan.grid_size({{reduction.count}}), reference);
  const std::string difference = find_difference(reduction, result, reference, bound);
  if (!difference.empty()) fail(plan, fmt::format("{}: {}", where(), difference));

  const auto is_poison = [](std::byte byte) { return byte == kPoison; };
  if (!std::all_of(slot, result, is_poison) ||
      !std::all_of(result + result_bytes, slot + kSlotBytes, is_poison)) {
    fail(plan, fmt::format("{}: wrote outside the output", where()));
  }

  // `Determinism::any` allows more configurations, but promises nothing less for the others.
  reduction.determinism = Determinism::run_to_run;
  const std::byte* const earlier = result - 2 * kSlotBytes;
  if (call.repeats && Space(reduction).contains(plan.variant().params) &&
      std::memcmp(result, earlier, result_bytes) != 0) {
    fail(plan, fmt::format("{}: the same call gave other bits: {}, then {}", where(),
                           format_result(reduction, earlier), format_result(reduction, result)));
  }
}

void Checker::check_scratch(const Running& running) {
  const auto is_clean = [&](std::size_t begin, std::size_t end) {
    std::vector<std::byte> bytes(end - begin);
    device_.copy(bytes.data(), static_cast<const std::byte*>(running.scratch.data()) + begin,
                 bytes.size());
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; });
  };
  if (!is_clean(running.scratch_bytes, running.scratch.size())) {
    fail(*running.plan, "wrote beyond its scratch");
  }
  const FinalStage stage = reduce_params(running.plan->variant().params).final_stage;
  // On devices without clusters their blocks poll.
  const bool has_flags = stage == FinalStage::polling || stage == FinalStage::cluster;
  const std::size_t header = std::min<std::size_t>(running.scratch_bytes, kScratchHeaderBytes);
  if (!is_clean(0, has_flags ? running.scratch_bytes : header)) {
    fail(*running.plan, has_flags ? "left flags in its scratch" : "left its ticket taken");
  }
}

void Checker::fail(const Plan& plan, const std::string& what) {
  if (++failures_ > kMessages) return;
  messages_ += fmt::format("  {}, {}: {}\n", describe(reduction_of(plan.variant().workload)),
                           to_json(plan.variant().params), what);
}

}  // namespace foldtune::test
