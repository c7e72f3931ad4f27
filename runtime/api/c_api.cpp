#include <fmt/format.h>

#include <new>
#include <span>

#include "foldtune/error.h"
#include "foldtune/foldtune.h"
#include "runtime/api/c_arguments.h"
#include "runtime/api/histogram_state.h"

// The names of C. NOLINTBEGIN(readability-identifier-naming)

// Handles of C++ share what their context has, so that they may be destroyed in any order, as
// garbage collectors do.
struct foldtune_context {
  foldtune::Context context;
};
struct foldtune_reducer {
  foldtune::Reducer reducer;
};
struct foldtune_plan {
  foldtune::ReducePlan plan;
};
struct foldtune_axis_reducer {
  foldtune::AxisReducer reducer;
};
struct foldtune_segment_reducer {
  foldtune::SegmentReducer reducer;
};
struct foldtune_histogram {
  foldtune::Histogram histogram;
};

// NOLINTEND(readability-identifier-naming)

namespace foldtune {
namespace {

thread_local std::string last_error;
thread_local Explanation last_explanation;
thread_local std::string last_problem;

foldtune_status fail(foldtune_status status, const char* text) noexcept {
  try {
    last_error = Error(text).what();  // what is thrown may be none
  } catch (...) {
    last_error.clear();  // No memory for the text.
  }
  return status;
}

/// Runs `call`, and makes a status of what it throws: nothing passes this border.
template <class Call>
foldtune_status guarded(const Call& call) noexcept {
  try {
    call();
    return FOLDTUNE_OK;
  } catch (const InvalidArgument& error) {
    return fail(FOLDTUNE_INVALID_ARGUMENT, error.what());
  } catch (const Unavailable& error) {
    return fail(FOLDTUNE_UNAVAILABLE, error.what());
  } catch (const NotTuned& error) {
    return fail(FOLDTUNE_NOT_TUNED, error.what());
  } catch (const CompileError& error) {
    return fail(FOLDTUNE_COMPILE_ERROR, error.what());
  } catch (const OutOfMemory& error) {
    return fail(FOLDTUNE_OUT_OF_MEMORY, error.what());
  } catch (const DeviceError& error) {
    return fail(FOLDTUNE_DEVICE_ERROR, error.what());
  } catch (const DatabaseError& error) {
    return fail(FOLDTUNE_DATABASE_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return fail(FOLDTUNE_OUT_OF_MEMORY, "the host has no memory left");
  } catch (const std::exception& error) {
    return fail(FOLDTUNE_FAILED, error.what());
  } catch (...) {
    return fail(FOLDTUNE_FAILED, "something was thrown that is no std::exception");
  }
}

/// What a pointer of the caller's refers to.
template <class T>
T& checked(T* pointer, const char* what) {
  if (pointer != nullptr) return *pointer;
  throw InvalidArgument(fmt::format("reading the arguments: {} is NULL", what));
}

const Reducer& reducer_behind(const foldtune_reducer* handle) {
  return checked(handle, "the reducer").reducer;
}
const ReducePlan& plan_behind(const foldtune_plan* handle) {
  return checked(handle, "the plan").plan;
}
const AxisReducer& axis_reducer_behind(const foldtune_axis_reducer* handle) {
  return checked(handle, "the reducer along axes").reducer;
}
const SegmentReducer& segment_reducer_behind(const foldtune_segment_reducer* handle) {
  return checked(handle, "the reducer of segments").reducer;
}
const Histogram& histogram_behind(const foldtune_histogram* handle) {
  return checked(handle, "the histogram").histogram;
}

Stream stream_of(foldtune_stream stream) { return static_cast<Stream>(stream); }

/// Calls `call` with the inputs as the list that the C++ API takes.
template <class Call>
void with_inputs(const void* const* inputs, std::size_t count, const Call& call) {
  using Inputs = std::initializer_list<const void*>;
  const void* const* const in = count == 0 ? nullptr : &checked(inputs, "the list of inputs");
  switch (count) {
    case 1:
      return call(Inputs{in[0]});
    case 2:
      return call(Inputs{in[0], in[1]});
    case 3:
      return call(Inputs{in[0], in[1], in[2]});
    case 4:
      return call(Inputs{in[0], in[1], in[2], in[3]});
    default:
      throw InvalidArgument(
          fmt::format("calling a reduction with {} inputs: it takes 1 to {}", count, kMaxInputs));
  }
}

std::span<const int> axes_of(const int* axes, std::size_t count) {
  return count == 0 ? std::span<const int>() : std::span(&checked(axes, "the list of axes"), count);
}
std::span<const void* const> inputs_of(const void* const* inputs, std::size_t count) {
  if (count == 0) return {};
  return {&checked(inputs, "the list of inputs"), count};
}

std::uint64_t elements_of(const Workload& workload, const Shape& shape) {
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < workload.problem.family().extents().size(); ++i) elements *= shape[i];
  return elements;
}

/// Keeps what the C struct refers to for the thread.
foldtune_explanation keep(Explanation explanation, const Workload& workload) {
  last_explanation = std::move(explanation);
  last_problem = to_string(workload);
  return {.problem = last_problem.c_str(),
          .source = to_string(last_explanation.source),
          .config = last_explanation.config.c_str(),
          .reason = last_explanation.reason.c_str(),
          .tuned_count = elements_of(workload, last_explanation.tuned_shape),
          .tuned_us = last_explanation.tuned_us,
          .expected_loss = last_explanation.expected_loss};
}
foldtune_explanation explain(const Reducer& reducer, std::uint64_t count) {
  Reduction reduction = reducer.problem();
  reduction.count = count;
  return keep(reducer.explain(count), reduction);
}
foldtune_explanation explain(const AxisReducer& reducer, const ArrayLayout& layout,
                             std::span<const int> axes) {
  return keep(reducer.explain(layout, axes), reducer.workload(layout, axes));
}
foldtune_explanation explain(const SegmentReducer& reducer, std::uint64_t elements,
                             std::uint64_t segments) {
  return keep(reducer.explain(elements, segments), reducer.workload(elements, segments));
}
HistogramRows rows_of(const foldtune_histogram_rows* rows) {
  const foldtune_histogram_rows& given = checked(rows, "the rows");
  HistogramRows result{.rows = given.rows, .count = given.count};
  if (given.pitch != 0) result.pitch = given.pitch;
  return result;
}

foldtune_explanation explain(const Histogram& histogram, const HistogramRows& rows) {
  HistogramWorkload workload = make_workload(histogram.options());
  workload.rows = rows.rows;
  workload.count = rows.count;
  return keep(histogram.explain(rows), workload);
}

}  // namespace
}  // namespace foldtune

using foldtune::axis_reducer_behind;
using foldtune::checked;
using foldtune::guarded;
using foldtune::histogram_behind;
using foldtune::plan_behind;
using foldtune::reducer_behind;
using foldtune::rows_of;
using foldtune::segment_reducer_behind;
using foldtune::stream_of;

const char* foldtune_status_name(foldtune_status status) {
  switch (status) {
    case FOLDTUNE_OK:
      return "ok";
    case FOLDTUNE_INVALID_ARGUMENT:
      return "invalid argument";
    case FOLDTUNE_UNAVAILABLE:
      return "unavailable";
    case FOLDTUNE_COMPILE_ERROR:
      return "compile error";
    case FOLDTUNE_DEVICE_ERROR:
      return "device error";
    case FOLDTUNE_OUT_OF_MEMORY:
      return "out of memory";
    case FOLDTUNE_DATABASE_ERROR:
      return "database error";
    case FOLDTUNE_NOT_TUNED:
      return "not tuned";
    case FOLDTUNE_FAILED:
      return "failed";
  }
  return "unknown status";
}

const char* foldtune_last_error(void) { return foldtune::last_error.c_str(); }

const char* foldtune_version(void) { return FOLDTUNE_VERSION; }

foldtune_status foldtune_context_create(const foldtune_context_options* options,
                                        foldtune_context** context) {
  return guarded([&] {
    checked(context, "the place for the context") = nullptr;
    const foldtune_context_options given =
        options == nullptr ? foldtune_context_options{} : *options;
    *context = new foldtune_context{foldtune::Context(foldtune::read(given))};
  });
}

void foldtune_context_destroy(foldtune_context* context) { delete context; }

const char* foldtune_context_device_name(const foldtune_context* context) {
  return context == nullptr ? "" : context->context.device_name().c_str();
}

foldtune_status foldtune_reducer_create(foldtune_context* context, const foldtune_problem* problem,
                                        foldtune_reducer** reducer) {
  return guarded([&] {
    checked(reducer, "the place for the reducer") = nullptr;
    foldtune::Context& owner = checked(context, "the context").context;
    *reducer = new foldtune_reducer{owner.reducer(foldtune::read(checked(problem, "the problem")))};
  });
}

void foldtune_reducer_destroy(foldtune_reducer* reducer) { delete reducer; }

size_t foldtune_reducer_input_count(const foldtune_reducer* reducer) {
  return reducer == nullptr ? 0 : reducer->reducer.problem().input_types().size();
}

size_t foldtune_reducer_result_bytes(const foldtune_reducer* reducer) {
  return reducer == nullptr ? 0 : reducer->reducer.problem().result_bytes();
}

foldtune_status foldtune_reduce(const foldtune_reducer* reducer, const void* const* inputs,
                                size_t input_count, uint64_t count, void* output,
                                foldtune_stream stream) {
  return guarded([&] {
    foldtune::with_inputs(inputs, input_count, [&](std::initializer_list<const void*> list) {
      reducer_behind(reducer)(list, count, output, stream_of(stream));
    });
  });
}

foldtune_status foldtune_reduce_value(const foldtune_reducer* reducer, const void* const* inputs,
                                      size_t input_count, uint64_t count, void* result,
                                      size_t result_bytes, foldtune_stream stream) {
  return guarded([&] {
    foldtune::with_inputs(inputs, input_count, [&](std::initializer_list<const void*> list) {
      reducer_behind(reducer).read_value(list, count, result, result_bytes, stream_of(stream));
    });
  });
}

foldtune_status foldtune_reducer_prepare(const foldtune_reducer* reducer, const void* const* inputs,
                                         size_t input_count, uint64_t count,
                                         foldtune_stream stream) {
  return guarded([&] {
    foldtune::with_inputs(inputs, input_count, [&](std::initializer_list<const void*> list) {
      reducer_behind(reducer).prepare(list, count, stream_of(stream));
    });
  });
}

foldtune_status foldtune_reducer_explain(const foldtune_reducer* reducer, uint64_t count,
                                         foldtune_explanation* explanation) {
  return guarded([&] {
    checked(explanation, "the explanation") = foldtune::explain(reducer_behind(reducer), count);
  });
}

foldtune_status foldtune_reducer_with_inputs_ready(const foldtune_reducer* reducer,
                                                   foldtune_reducer** ready) {
  return guarded([&] {
    checked(ready, "the place for the reducer") = nullptr;
    *ready = new foldtune_reducer{reducer_behind(reducer).with_inputs_ready()};
  });
}

foldtune_status foldtune_plan_create(const foldtune_reducer* reducer, uint64_t count, int aligned,
                                     foldtune_plan** plan) {
  return guarded([&] {
    checked(plan, "the place for the plan") = nullptr;
    const auto alignment =
        aligned != 0 ? foldtune::Alignment::vector : foldtune::Alignment::element;
    *plan = new foldtune_plan{reducer_behind(reducer).plan(count, alignment)};
  });
}

void foldtune_plan_destroy(foldtune_plan* plan) { delete plan; }

uint64_t foldtune_plan_max_count(const foldtune_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.max_count();
}

size_t foldtune_plan_scratch_bytes(const foldtune_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.scratch_bytes();
}

foldtune_status foldtune_plan_with_scratch(const foldtune_plan* plan, void* scratch, size_t bytes,
                                           foldtune_plan** with_scratch) {
  return guarded([&] {
    checked(with_scratch, "the place for the plan") = nullptr;
    *with_scratch = new foldtune_plan{plan_behind(plan).with_scratch(scratch, bytes)};
  });
}

foldtune_status foldtune_plan_reduce(const foldtune_plan* plan, const void* const* inputs,
                                     size_t input_count, uint64_t count, void* output,
                                     foldtune_stream stream) {
  return guarded([&] {
    foldtune::with_inputs(inputs, input_count, [&](std::initializer_list<const void*> list) {
      plan_behind(plan)(list, count, output, stream_of(stream));
    });
  });
}

foldtune_status foldtune_axis_reducer_create(foldtune_context* context,
                                             const foldtune_problem* problem,
                                             foldtune_axis_reducer** reducer) {
  return guarded([&] {
    checked(reducer, "the place for the reducer") = nullptr;
    foldtune::Context& owner = checked(context, "the context").context;
    const foldtune::AxisReduction reduction{.row = foldtune::read(checked(problem, "the problem"))};
    *reducer = new foldtune_axis_reducer{owner.axis_reducer(reduction)};
  });
}

void foldtune_axis_reducer_destroy(foldtune_axis_reducer* reducer) { delete reducer; }

foldtune_status foldtune_axis_reduce(const foldtune_axis_reducer* reducer,
                                     const void* const* inputs, size_t input_count,
                                     const foldtune_array_layout* layout, const int* axes,
                                     size_t axis_count, void* output,
                                     const foldtune_array_layout* results, foldtune_stream stream) {
  return guarded([&] {
    const foldtune::ArrayLayout input = foldtune::read(checked(layout, "the layout"));
    foldtune::ArrayLayout written;
    if (results != nullptr) written = foldtune::read(*results);
    axis_reducer_behind(reducer).reduce(foldtune::inputs_of(inputs, input_count), input,
                                        foldtune::axes_of(axes, axis_count), output,
                                        stream_of(stream), results != nullptr ? &written : nullptr);
  });
}

foldtune_status foldtune_axis_reducer_prepare(const foldtune_axis_reducer* reducer,
                                              const void* const* inputs, size_t input_count,
                                              const foldtune_array_layout* layout, const int* axes,
                                              size_t axis_count, foldtune_stream stream) {
  return guarded([&] {
    axis_reducer_behind(reducer).prepare(foldtune::inputs_of(inputs, input_count),
                                         foldtune::read(checked(layout, "the layout")),
                                         foldtune::axes_of(axes, axis_count), stream_of(stream));
  });
}

foldtune_status foldtune_axis_reducer_explain(const foldtune_axis_reducer* reducer,
                                              const foldtune_array_layout* layout, const int* axes,
                                              size_t axis_count,
                                              foldtune_explanation* explanation) {
  return guarded([&] {
    checked(explanation, "the explanation") = foldtune::explain(
        axis_reducer_behind(reducer), foldtune::read(checked(layout, "the layout")),
        foldtune::axes_of(axes, axis_count));
  });
}

foldtune_status foldtune_axis_reducer_with_inputs_ready(const foldtune_axis_reducer* reducer,
                                                        foldtune_axis_reducer** ready) {
  return guarded([&] {
    checked(ready, "the place for the reducer") = nullptr;
    *ready = new foldtune_axis_reducer{axis_reducer_behind(reducer).with_inputs_ready()};
  });
}

foldtune_status foldtune_segment_reducer_create(foldtune_context* context,
                                                const foldtune_problem* problem,
                                                const char* offsets,
                                                foldtune_segment_reducer** reducer) {
  return guarded([&] {
    checked(reducer, "the place for the reducer") = nullptr;
    foldtune::Context& owner = checked(context, "the context").context;
    *reducer = new foldtune_segment_reducer{
        owner.segment_reducer(foldtune::read_segments(checked(problem, "the problem"), offsets))};
  });
}

void foldtune_segment_reducer_destroy(foldtune_segment_reducer* reducer) { delete reducer; }

foldtune_status foldtune_segment_reduce(const foldtune_segment_reducer* reducer,
                                        const void* const* inputs, size_t input_count,
                                        uint64_t elements, const void* begins, const void* ends,
                                        uint64_t segments, void* output, foldtune_stream stream) {
  return guarded([&] {
    segment_reducer_behind(reducer).reduce(foldtune::inputs_of(inputs, input_count), elements,
                                           begins, ends, segments, output, stream_of(stream));
  });
}

foldtune_status foldtune_segment_reducer_prepare(const foldtune_segment_reducer* reducer,
                                                 const void* const* inputs, size_t input_count,
                                                 uint64_t elements, uint64_t segments,
                                                 foldtune_stream stream) {
  return guarded([&] {
    segment_reducer_behind(reducer).prepare(foldtune::inputs_of(inputs, input_count), elements,
                                            segments, stream_of(stream));
  });
}

foldtune_status foldtune_segment_reducer_explain(const foldtune_segment_reducer* reducer,
                                                 uint64_t elements, uint64_t segments,
                                                 foldtune_explanation* explanation) {
  return guarded([&] {
    checked(explanation, "the explanation") =
        foldtune::explain(segment_reducer_behind(reducer), elements, segments);
  });
}

foldtune_status foldtune_segment_reducer_with_inputs_ready(const foldtune_segment_reducer* reducer,
                                                           foldtune_segment_reducer** ready) {
  return guarded([&] {
    checked(ready, "the place for the reducer") = nullptr;
    *ready = new foldtune_segment_reducer{segment_reducer_behind(reducer).with_inputs_ready()};
  });
}

foldtune_status foldtune_histogram_create(foldtune_context* context,
                                          const foldtune_histogram_options* options,
                                          foldtune_histogram** histogram) {
  return guarded([&] {
    checked(histogram, "the place for the histogram") = nullptr;
    foldtune::Context& owner = checked(context, "the context").context;
    const foldtune_histogram_options given =
        options == nullptr ? foldtune_histogram_options{} : *options;
    *histogram = new foldtune_histogram{owner.histogram(foldtune::read(given))};
  });
}

void foldtune_histogram_destroy(foldtune_histogram* histogram) { delete histogram; }

foldtune_status foldtune_histogram_even(const foldtune_histogram* histogram, const void* input,
                                        uint64_t count, double lower, double upper, void* counts,
                                        foldtune_stream stream) {
  return guarded(
      [&] { histogram_behind(histogram)(input, count, lower, upper, counts, stream_of(stream)); });
}

foldtune_status foldtune_histogram_even_i64(const foldtune_histogram* histogram, const void* input,
                                            uint64_t count, int64_t lower, int64_t upper,
                                            void* counts, foldtune_stream stream) {
  return guarded(
      [&] { histogram_behind(histogram)(input, count, lower, upper, counts, stream_of(stream)); });
}

foldtune_status foldtune_histogram_even_u64(const foldtune_histogram* histogram, const void* input,
                                            uint64_t count, uint64_t lower, uint64_t upper,
                                            void* counts, foldtune_stream stream) {
  return guarded(
      [&] { histogram_behind(histogram)(input, count, lower, upper, counts, stream_of(stream)); });
}

foldtune_status foldtune_histogram_edges(const foldtune_histogram* histogram, const void* input,
                                         uint64_t count, const void* edges, void* counts,
                                         foldtune_stream stream) {
  return guarded(
      [&] { histogram_behind(histogram)(input, count, edges, counts, stream_of(stream)); });
}

foldtune_status foldtune_histogram_keys(const foldtune_histogram* histogram, const void* input,
                                        uint64_t count, void* counts, foldtune_stream stream) {
  return guarded(
      [&] { histogram_behind(histogram).count_keys(input, count, counts, stream_of(stream)); });
}

foldtune_status foldtune_histogram_even_of_rows(const foldtune_histogram* histogram,
                                                const void* input,
                                                const foldtune_histogram_rows* rows, double lower,
                                                double upper, void* counts,
                                                foldtune_stream stream) {
  return guarded([&] {
    histogram_behind(histogram)(input, rows_of(rows), lower, upper, counts, stream_of(stream));
  });
}

foldtune_status foldtune_histogram_even_i64_of_rows(const foldtune_histogram* histogram,
                                                    const void* input,
                                                    const foldtune_histogram_rows* rows,
                                                    int64_t lower, int64_t upper, void* counts,
                                                    foldtune_stream stream) {
  return guarded([&] {
    histogram_behind(histogram)(input, rows_of(rows), lower, upper, counts, stream_of(stream));
  });
}

foldtune_status foldtune_histogram_even_u64_of_rows(const foldtune_histogram* histogram,
                                                    const void* input,
                                                    const foldtune_histogram_rows* rows,
                                                    uint64_t lower, uint64_t upper, void* counts,
                                                    foldtune_stream stream) {
  return guarded([&] {
    histogram_behind(histogram)(input, rows_of(rows), lower, upper, counts, stream_of(stream));
  });
}

foldtune_status foldtune_histogram_edges_of_rows(const foldtune_histogram* histogram,
                                                 const void* input,
                                                 const foldtune_histogram_rows* rows,
                                                 const void* edges, void* counts,
                                                 foldtune_stream stream) {
  return guarded(
      [&] { histogram_behind(histogram)(input, rows_of(rows), edges, counts, stream_of(stream)); });
}

foldtune_status foldtune_histogram_keys_of_rows(const foldtune_histogram* histogram,
                                                const void* input,
                                                const foldtune_histogram_rows* rows, void* counts,
                                                foldtune_stream stream) {
  return guarded([&] {
    histogram_behind(histogram).count_keys(input, rows_of(rows), counts, stream_of(stream));
  });
}

foldtune_status foldtune_histogram_prepare(const foldtune_histogram* histogram, const void* input,
                                           uint64_t count, foldtune_stream stream) {
  return guarded([&] { histogram_behind(histogram).prepare(input, count, stream_of(stream)); });
}

foldtune_status foldtune_histogram_prepare_rows(const foldtune_histogram* histogram,
                                                const void* input,
                                                const foldtune_histogram_rows* rows,
                                                foldtune_stream stream) {
  return guarded(
      [&] { histogram_behind(histogram).prepare(input, rows_of(rows), stream_of(stream)); });
}

foldtune_status foldtune_histogram_explain(const foldtune_histogram* histogram, uint64_t count,
                                           foldtune_explanation* explanation) {
  return guarded([&] {
    checked(explanation, "the explanation") =
        foldtune::explain(histogram_behind(histogram), {.rows = 1, .count = count});
  });
}

foldtune_status foldtune_histogram_explain_rows(const foldtune_histogram* histogram,
                                                const foldtune_histogram_rows* rows,
                                                foldtune_explanation* explanation) {
  return guarded([&] {
    checked(explanation, "the explanation") =
        foldtune::explain(histogram_behind(histogram), rows_of(rows));
  });
}
