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

/// What a call is given besides its shape; all of it outlives the call.
struct Given {
  const void* input = nullptr;
  void* counts = nullptr;
  const void* edges = nullptr;
  BinBound lower = 0;  // bounds that a binning has not are not read
  BinBound upper = 1;
  std::int64_t pitch = 0;
};

/// The arguments in the family's order.
Call make_call(bool inputs_ready, const Shape& shape, const Given& given) {
  Call call;
  call.inputs_ready = inputs_ready;
  call.shape = shape;
  const void* const arguments[] = {given.counts, given.input,  given.edges,
                                   &given.lower, &given.upper, &given.pitch};
  std::ranges::transform(arguments, call.arguments.begin(),
                         [](const void* argument) { return const_cast<void*>(argument); });
  return call;
}

Shape shape_of(std::uint64_t count) { return {{1, count}}; }
Shape shape_of(const HistogramRows& rows) { return {{rows.rows, rows.count}}; }
std::int64_t pitch_of(const HistogramRows& rows) {
  return rows.pitch.value_or(static_cast<std::int64_t>(rows.count));
}

/// Nothing is enqueued for no rows.
void call_rows(Operation& operation, const Call& call, Stream stream) {
  if (call.shape[histogram_extent::rows] == 0) return operation.check_shape(call.shape);
  operation.call(call, stream);
}

}  // namespace

void Histogram::operator()(const void* input, std::uint64_t count, BinBound lower, BinBound upper,
                           void* counts, Stream stream) const {
  check_bounds(lower, upper);
  const Given given{.input = input, .counts = counts, .lower = lower, .upper = upper};
  state_->call(make_call(inputs_ready_, shape_of(count), given), stream);
}
void Histogram::operator()(const void* input, const HistogramRows& rows, BinBound lower,
                           BinBound upper, void* counts, Stream stream) const {
  check_bounds(lower, upper);
  const Given given{
      .input = input, .counts = counts, .lower = lower, .upper = upper, .pitch = pitch_of(rows)};
  call_rows(*state_, make_call(inputs_ready_, shape_of(rows), given), stream);
}

void Histogram::operator()(const void* input, std::uint64_t count, const void* edges, void* counts,
                           Stream stream) const {
  check_binning(Binning::custom);
  const Given given{.input = input, .counts = counts, .edges = edges};
  state_->call(make_call(inputs_ready_, shape_of(count), given), stream);
}
void Histogram::operator()(const void* input, const HistogramRows& rows, const void* edges,
                           void* counts, Stream stream) const {
  check_binning(Binning::custom);
  const Given given{.input = input, .counts = counts, .edges = edges, .pitch = pitch_of(rows)};
  call_rows(*state_, make_call(inputs_ready_, shape_of(rows), given), stream);
}

void Histogram::count_keys(const void* input, std::uint64_t count, void* counts,
                           Stream stream) const {
  check_binning(Binning::key);
  const Given given{.input = input, .counts = counts};
  state_->call(make_call(inputs_ready_, shape_of(count), given), stream);
}
void Histogram::count_keys(const void* input, const HistogramRows& rows, void* counts,
                           Stream stream) const {
  check_binning(Binning::key);
  const Given given{.input = input, .counts = counts, .pitch = pitch_of(rows)};
  call_rows(*state_, make_call(inputs_ready_, shape_of(rows), given), stream);
}

void Histogram::prepare(const void* input, std::uint64_t count, Stream stream) const {
  const Given given{.input = input};
  state_->prepare(make_call(/*inputs_ready=*/false, shape_of(count), given), stream);
}
void Histogram::prepare(const void* input, const HistogramRows& rows, Stream stream) const {
  const Given given{.input = input, .pitch = pitch_of(rows)};
  const Call call = make_call(/*inputs_ready=*/false, shape_of(rows), given);
  if (rows.rows == 0) return state_->check_shape(call.shape);
  state_->prepare(call, stream);
}
Histogram Histogram::with_inputs_ready() const {
  Histogram ready = *this;
  ready.inputs_ready_ = true;
  return ready;
}
Explanation Histogram::explain(std::uint64_t count) const {
  return state_->explain(shape_of(count));
}
Explanation Histogram::explain(const HistogramRows& rows) const {
  return state_->explain(shape_of(rows));
}
const HistogramOptions& Histogram::options() const { return state_->options(); }

void Histogram::check_bounds(const BinBound& lower, const BinBound& upper) const {
  check_binning(Binning::even);
  const std::string fault = find_range_fault(make_workload(options()), {lower, upper});
  if (!fault.empty()) throw InvalidArgument(fmt::format("calling histogram: {}", fault));
}

void Histogram::check_binning(Binning binning) const {
  const Binning own = options().binning;
  if (own == binning) return;
  throw InvalidArgument(fmt::format("calling histogram: its binning is '{}': call it {}, not {}",
                                    name(own), call_of(own), call_of(binning)));
}

}  // namespace foldtune
