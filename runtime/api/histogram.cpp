#include "foldtune/histogram.h"

#include <fmt/format.h>

#include "foldtune/error.h"
#include "runtime/api/reducer_state.h"
#include "templates/histogram/range.h"

namespace foldtune {
namespace {

std::string_view call_of(Binning binning) {
  switch (binning) {
    case Binning::even:
      return "with a lower and an upper bound";
    case Binning::custom:
      return "with edges";
    case Binning::key:
      break;
  }
  return "as count_keys";
}

}  // namespace

void Histogram::operator()(const void* input, std::uint64_t count, BinBound lower, BinBound upper,
                           void* counts, Stream stream) const {
  check_binning(Binning::even);
  if (const std::string fault = find_range_fault(problem(), {lower, upper}); !fault.empty()) {
    throw InvalidArgument(fmt::format("calling histogram: {}", fault));
  }
  state_->call({.inputs = {input},
                .count = count,
                .output = counts,
                .lower = lower,
                .upper = upper,
                .inputs_ready = inputs_ready_},
               1, stream);
}

void Histogram::operator()(const void* input, std::uint64_t count, const void* edges, void* counts,
                           Stream stream) const {
  check_binning(Binning::custom);
  const ElementType type = problem().type;
  if (edges == nullptr || reinterpret_cast<std::uintptr_t>(edges) % size_of(type) != 0) {
    throw InvalidArgument(
        fmt::format("calling histogram: the pointer {} to the edges is not the address of a {}",
                    edges, name(type)));
  }
  state_->call(
      {.inputs = {input, edges}, .count = count, .output = counts, .inputs_ready = inputs_ready_},
      1, stream);
}

void Histogram::count_keys(const void* input, std::uint64_t count, void* counts,
                           Stream stream) const {
  check_binning(Binning::key);
  state_->call({.inputs = {input}, .count = count, .output = counts, .inputs_ready = inputs_ready_},
               1, stream);
}

void Histogram::prepare(const void* input, std::uint64_t count, Stream stream) const {
  state_->prepare({.inputs = {input}, .count = count}, 1, stream);
}
Histogram Histogram::with_inputs_ready() const {
  Histogram ready = *this;
  ready.inputs_ready_ = true;
  return ready;
}
Explanation Histogram::explain(std::uint64_t count) const { return state_->explain(count); }
const Problem& Histogram::problem() const { return state_->problem(); }

void Histogram::check_binning(Binning binning) const {
  const Binning own = problem().histogram.binning;
  if (own == binning) return;
  throw InvalidArgument(fmt::format("calling histogram: its binning is '{}': call it {}, not {}",
                                    name(own), call_of(own), call_of(binning)));
}

}  // namespace foldtune
