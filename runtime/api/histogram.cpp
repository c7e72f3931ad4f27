#include "foldtune/histogram.h"

#include <fmt/format.h>

#include <algorithm>

#include "foldtune/error.h"
#include "runtime/api/histogram_state.h"
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

/// Of calls whose binning has no bounds: they are not read.
constexpr BinBound kNoLower = 0;
constexpr BinBound kNoUpper = 1;

/// The arguments in the family's order.
Call make_call(bool inputs_ready, const void* input, std::uint64_t count, void* counts,
               const void* edges = nullptr, const BinBound& lower = kNoLower,
               const BinBound& upper = kNoUpper) {
  Call call;
  call.inputs_ready = inputs_ready;
  call.shape[0] = count;
  const void* const arguments[] = {counts, input, edges, &lower, &upper};
  std::ranges::transform(arguments, call.arguments.begin(),
                         [](const void* argument) { return const_cast<void*>(argument); });
  return call;
}

}  // namespace

void Histogram::operator()(const void* input, std::uint64_t count, BinBound lower, BinBound upper,
                           void* counts, Stream stream) const {
  check_binning(Binning::even);
  const std::string fault = find_range_fault(make_workload(options()), {lower, upper});
  if (!fault.empty()) throw InvalidArgument(fmt::format("calling histogram: {}", fault));
  state_->call(make_call(inputs_ready_, input, count, counts, /*edges=*/nullptr, lower, upper),
               stream);
}

void Histogram::operator()(const void* input, std::uint64_t count, const void* edges, void* counts,
                           Stream stream) const {
  check_binning(Binning::custom);
  state_->call(make_call(inputs_ready_, input, count, counts, edges), stream);
}

void Histogram::count_keys(const void* input, std::uint64_t count, void* counts,
                           Stream stream) const {
  check_binning(Binning::key);
  state_->call(make_call(inputs_ready_, input, count, counts), stream);
}

void Histogram::prepare(const void* input, std::uint64_t count, Stream stream) const {
  state_->prepare(make_call(/*inputs_ready=*/false, input, count, /*counts=*/nullptr), stream);
}
Histogram Histogram::with_inputs_ready() const {
  Histogram ready = *this;
  ready.inputs_ready_ = true;
  return ready;
}
Explanation Histogram::explain(std::uint64_t count) const { return state_->explain({{count}}); }
const HistogramOptions& Histogram::options() const { return state_->options(); }

void Histogram::check_binning(Binning binning) const {
  const Binning own = options().binning;
  if (own == binning) return;
  throw InvalidArgument(fmt::format("calling histogram: its binning is '{}': call it {}, not {}",
                                    name(own), call_of(own), call_of(binning)));
}

}  // namespace foldtune
