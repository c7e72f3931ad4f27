#include "tuner/commands/run_call.h"

#include <initializer_list>

namespace foldtune {
namespace {

/// Passes addresses on as the reducer takes them.
template <class Function>
void with_list(const std::vector<const void*>& inputs, const Function& function) {
  switch (inputs.size()) {
    case 1:
      return function({inputs[0]});
    case 2:
      return function({inputs[0], inputs[1]});
    case 3:
      return function({inputs[0], inputs[1], inputs[2]});
    default:
      return function({inputs[0], inputs[1], inputs[2], inputs[3]});
  }
}

using List = std::initializer_list<const void*>;

RunCall make_reduction(Context& context, const Problem& problem,
                       const std::vector<const void*>& inputs, void* output) {
  const Reducer reducer = context.reducer(problem);
  const std::uint64_t count = problem.count;
  return {.prepare = [=] { with_list(inputs, [&](List list) { reducer.prepare(list, count); }); },
          .enqueue = [=] { with_list(inputs, [&](List list) { reducer(list, count, output); }); },
          .explain = [=] { return reducer.explain(count); }};
}

RunCall make_histogram(Context& context, const Problem& problem,
                       const std::vector<const void*>& inputs, const BinBounds& bounds,
                       void* output) {
  const HistogramShape& shape = problem.histogram;
  const Histogram histogram = context.histogram({.type = problem.type,
                                                 .bins = shape.bins,
                                                 .binning = shape.binning,
                                                 .counter = problem.accumulator_type(),
                                                 .distribution = shape.distribution});
  const std::uint64_t count = problem.count;
  RunCall call{.prepare = [=] { histogram.prepare(inputs[0], count); },
               .enqueue = nullptr,
               .explain = [=] { return histogram.explain(count); }};
  switch (shape.binning) {
    case Binning::even:
      call.enqueue = [=] { histogram(inputs[0], count, bounds.lower, bounds.upper, output); };
      break;
    case Binning::custom:
      call.enqueue = [=] { histogram(inputs[0], count, inputs[1], output); };
      break;
    case Binning::key:
      call.enqueue = [=] { histogram.count_keys(inputs[0], count, output); };
      break;
  }
  return call;
}

}  // namespace

RunCall make_run_call(Context& context, const Problem& problem,
                      const std::vector<const void*>& inputs, const BinBounds& bounds,
                      void* output) {
  return problem.op == Operator::histogram
             ? make_histogram(context, problem, inputs, bounds, output)
             : make_reduction(context, problem, inputs, output);
}

}  // namespace foldtune
