/// Foldtune for C, and for every language that can call C. C11 and C++.
///
/// Every function that can fail returns a `foldtune_status`; what went wrong is then told by
/// `foldtune_last_error`. No C++ exception leaves the library. Names of operators, types and
/// policies are the catalogue's, as text: "sum", "f32", "run_to_run".
///
/// Functions may be called from several threads, with the same handles, too; a handle is destroyed
/// once, when no call uses it. Strings that are passed in are read before the call returns.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "foldtune/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// The names of C. NOLINTBEGIN(readability-identifier-naming,modernize-use-using)

/// How a call ended. The numbers stay what they are.
typedef enum foldtune_status {
  FOLDTUNE_OK = 0,                ///< all is well
  FOLDTUNE_INVALID_ARGUMENT = 1,  ///< asked for what cannot be; nothing was launched
  FOLDTUNE_UNAVAILABLE = 2,       ///< no GPU, driver, NVRTC or host compiler on this machine
  FOLDTUNE_COMPILE_ERROR = 3,     ///< a kernel does not compile; the text has the compiler's log
  FOLDTUNE_DEVICE_ERROR = 4,      ///< the device or its driver reports an error
  FOLDTUNE_OUT_OF_MEMORY = 5,     ///< of the device or of the host
  FOLDTUNE_DATABASE_ERROR = 6,    ///< the tuning database cannot be used
  FOLDTUNE_NOT_TUNED = 7,         ///< by foldtune_context_options::fail_untuned
  FOLDTUNE_FAILED = 100,          ///< anything else
} foldtune_status;

/// "ok", "invalid argument" and so on; static storage. "unknown status" for any other number.
FOLDTUNE_API const char* foldtune_status_name(foldtune_status status);

/// What the last call of this thread that failed was doing, what went wrong and what to do; empty
/// if none failed. Valid until the thread's next call that fails.
FOLDTUNE_API const char* foldtune_last_error(void);

/// The version of the library, "0.1.0"; static storage.
FOLDTUNE_API const char* foldtune_version(void);

/// A device with a tuning database.
typedef struct foldtune_context foldtune_context;
/// Reduces inputs of one operator and type, of any count.
typedef struct foldtune_reducer foldtune_reducer;
/// A reducer's reduction of counts of one size, with everything resolved.
typedef struct foldtune_plan foldtune_plan;
/// Reduces arrays along any of their axes.
typedef struct foldtune_axis_reducer foldtune_axis_reducer;
/// Reduces segments of arrays.
typedef struct foldtune_segment_reducer foldtune_segment_reducer;
/// Counts elements of one type in bins.
typedef struct foldtune_histogram foldtune_histogram;
/// A stream: the driver's `CUstream`, which is the CUDA runtime's `cudaStream_t`, as a pointer.
/// NULL is the default stream. Borrowed. The CPU device ignores it.
typedef void* foldtune_stream;

/// Which device and which database. All zero: the defaults.
typedef struct foldtune_context_options {
  /// "cuda:N" or "cpu"; NULL: "cuda:0". A CUDA device is used through its primary context.
  const char* device;
  /// Path of the tuning database; NULL or empty: $FOLDTUNE_DB, else the user's own.
  const char* database;
  /// Is told why a database that is there is not used; NULL: a line on the standard error. Called
  /// with `notify_data` from the thread whose call noticed it.
  void (*notify)(const char* text, void* notify_data);
  void* notify_data;  ///< handed to `notify`
  /// Not 0: a call whose problem was not tuned fails with FOLDTUNE_NOT_TUNED; 0: it runs with the
  /// untuned default.
  int fail_untuned;
  /// Not 0: every pointer of a call is checked, as foldtune::ContextOptions::check_pointers says.
  int check_pointers;
  /// More than 0, and at most a week: a problem that was not tuned is tuned by its first call, for
  /// up to so many seconds, as foldtune::OnMiss::tune says. Not together with `fail_untuned`.
  double tune_untuned_s;
  /// Not 0: of the database pinned results alone are used, as
  /// foldtune::ContextOptions::only_pinned says.
  int only_pinned;
  /// "cold_graph" (NULL), "warm_graph", "cold_stream" or "warm_stream": where the inputs of calls
  /// are and how they are launched, as foldtune::ContextOptions::conditions says.
  const char* conditions;
} foldtune_context_options;

/// Opens a context, to be destroyed by `foldtune_context_destroy`. `options` may be NULL. Of
/// FOLDTUNE_INVALID_ARGUMENT is an unknown device's name, of FOLDTUNE_UNAVAILABLE a missing driver
/// or device; `*context` is NULL then.
FOLDTUNE_API foldtune_status foldtune_context_create(const foldtune_context_options* options,
                                                     foldtune_context** context);

/// Gives up the handle; NULL is fine. The context itself goes with the last of its reducers, plans
/// and histograms, when nothing that was enqueued may be running any more.
FOLDTUNE_API void foldtune_context_destroy(foldtune_context* context);

/// The device's name, "NVIDIA H200", valid as long as the handle; "" for NULL.
FOLDTUNE_API const char* foldtune_context_device_name(const foldtune_context* context);

/// One member of a custom operator's accumulator.
typedef struct foldtune_field {
  const char* name;  ///< NULL or empty: the accumulator is this number alone
  const char* type;  ///< "f32"
} foldtune_field;

/// An operator of the caller's: the fold finish(combine(map(e0), combine(map(e1), ...))), in CUDA
/// C++ expressions. custom.h says what they may use. NULL and 0 stand for the defaults.
typedef struct foldtune_custom_operator {
  const char* name;              ///< letters, digits and underscores, at most 100; NULL: "unnamed"
  const char* const* inputs;     ///< types of the inputs, `input_count`; NULL: one of f32
  size_t input_count;            ///< 1 to 4
  const foldtune_field* fields;  ///< the accumulator, `field_count`; NULL: one unnamed f32
  size_t field_count;            ///< 1, or 1 to 8 named ones of 32 bytes in all
  const char* identity;          ///< NULL: "0"
  const char* map;               ///< of the elements x, y, z, w and the index i; NULL: "x"
  const char* combine;           ///< of the accumulators a and b; NULL: "a + b"
  const char* finish;            ///< of the accumulator a and the count n; NULL: "a"
  const char* result;            ///< type of the result; NULL: "f32"
  double tolerance;  ///< relative, for the tuner's check: finite, not negative; 0: 0.001
} foldtune_custom_operator;

/// What is reduced. All but `op` (or `custom`) may be NULL or 0, which stands for the default.
typedef struct foldtune_problem {
  const char* op;           ///< "sum"; NULL or "custom" with `custom`
  const char* type;         ///< of the elements; NULL: "f32". A custom operator has its own
  const char* accumulator;  ///< type of partial results; NULL: the operator's default
  const char* result;       ///< type of the result's numbers; NULL: the accumulator's
  const char* determinism;  ///< "any", "run_to_run" (NULL) or "config_independent"
  const char* nan_policy;   ///< "propagate" (NULL) or "ignore"
  int ddof;                 ///< of variance and stddev: 0 divides by n, 1 by n - 1
  const foldtune_custom_operator* custom;  ///< NULL: an operator of the catalogue
} foldtune_problem;

/// Makes a reducer, to be destroyed by `foldtune_reducer_destroy`. FOLDTUNE_INVALID_ARGUMENT for a
/// problem that cannot be; `*reducer` is NULL then.
FOLDTUNE_API foldtune_status foldtune_reducer_create(foldtune_context* context,
                                                     const foldtune_problem* problem,
                                                     foldtune_reducer** reducer);

/// Gives up the handle; NULL is fine.
FOLDTUNE_API void foldtune_reducer_destroy(foldtune_reducer* reducer);

/// How many inputs a call takes: 2 for dot. 0 for NULL.
FOLDTUNE_API size_t foldtune_reducer_input_count(const foldtune_reducer* reducer);

/// The index of argmin, argmax and argabsmax where no element counts, since all are NaN and those
/// are ignored: 2^64 - 1. The number beside it is that of no elements.
#define FOLDTUNE_NO_INDEX UINT64_MAX

/// Bytes of one result. 16 for {number; uint64_t index}, with the index at byte 8. 0 for NULL.
FOLDTUNE_API size_t foldtune_reducer_result_bytes(const foldtune_reducer* reducer);

/// Enqueues the reduction of `count` elements of each of `input_count` inputs into `*output` on
/// `stream`, and returns. Inputs and output are memory of the device, the output possibly pinned
/// host memory; inputs are aligned to their elements, the output to its numbers, and overlaps no
/// input. An empty input gives the operator's identity, where it has one.
///
/// The first call for a size compiles, and the first call on a stream allocates scratch, which the
/// library owns. While the stream is being captured nothing can be compiled: call
/// `foldtune_reducer_prepare` before. A captured call has scratch of its own, which lives as long
/// as the graph, so that graphs may be replayed at the same time as one another and as other calls;
/// one that is instantiated twice must not run at the same time as itself, and none may be replayed
/// when the context and all of its handles are destroyed.
///
/// FOLDTUNE_INVALID_ARGUMENT for a wrong argument, before anything is launched; where the first
/// call fails FOLDTUNE_COMPILE_ERROR, FOLDTUNE_UNAVAILABLE (no NVRTC, no host compiler) or
/// FOLDTUNE_OUT_OF_MEMORY; FOLDTUNE_DEVICE_ERROR for what the driver reports. Errors of a kernel
/// that runs come with a later call that waits.
FOLDTUNE_API foldtune_status foldtune_reduce(const foldtune_reducer* reducer,
                                             const void* const* inputs, size_t input_count,
                                             uint64_t count, void* output, foldtune_stream stream);

/// The same, blocking: waits for the result, and with it for all earlier work of the stream, and
/// writes it to `result`, host memory of `result_bytes`, which must be
/// `foldtune_reducer_result_bytes`. Not while the stream is being captured. It looks for the result
/// for up to 100 us, and then lets the driver wait, as the flags of the CUDA context say.
FOLDTUNE_API foldtune_status foldtune_reduce_value(const foldtune_reducer* reducer,
                                                   const void* const* inputs, size_t input_count,
                                                   uint64_t count, void* result,
                                                   size_t result_bytes, foldtune_stream stream);

/// Does all that the first such call would do, except the launch. The inputs are not read. Returns
/// what the call would.
FOLDTUNE_API foldtune_status foldtune_reducer_prepare(const foldtune_reducer* reducer,
                                                      const void* const* inputs, size_t input_count,
                                                      uint64_t count, foldtune_stream stream);

/// Which configuration a call uses, and why. The strings are valid until the same thread asks for
/// an explanation again.
typedef struct foldtune_explanation {
  const char* problem;   ///< "sum f32 2^20"
  const char* source;    ///< "exact", "near size" or "default"
  const char* config;    ///< the tunables as a JSON object
  const char* reason;    ///< one sentence
  uint64_t tuned_count;  ///< elements of an input it was tuned for; 0 if it was not tuned
  double tuned_us;       ///< its median time there, in microseconds; 0 if it was not tuned
  double expected_loss;  ///< of time, against the best configuration: 0.06 is 6%; 0: none, or not
                         ///< known
} foldtune_explanation;

/// Explains the configuration for `count` elements at addresses aligned to 16 bytes. Compiles and
/// launches nothing. Where there is no NVRTC or host compiler, and no kept kernel, it is no error:
/// `reason` says so, and a call gives FOLDTUNE_UNAVAILABLE.
FOLDTUNE_API foldtune_status foldtune_reducer_explain(const foldtune_reducer* reducer,
                                                      uint64_t count,
                                                      foldtune_explanation* explanation);

/// Makes a handle whose calls promise that no work still to be done writes the inputs, as
/// foldtune::Reducer::with_inputs_ready; to be destroyed by `foldtune_reducer_destroy`.
FOLDTUNE_API foldtune_status foldtune_reducer_with_inputs_ready(const foldtune_reducer* reducer,
                                                                foldtune_reducer** ready);

/// Makes the plan for counts of the size of `count`, for inputs at multiples of 16 bytes, or, with
/// `aligned` 0, of their elements' size. To be destroyed by `foldtune_plan_destroy`. Looks up,
/// compiles and loads what no call did before.
FOLDTUNE_API foldtune_status foldtune_plan_create(const foldtune_reducer* reducer, uint64_t count,
                                                  int aligned, foldtune_plan** plan);

/// Gives up the handle; NULL is fine.
FOLDTUNE_API void foldtune_plan_destroy(foldtune_plan* plan);

/// The most elements of a call; 0 for NULL.
FOLDTUNE_API uint64_t foldtune_plan_max_count(const foldtune_plan* plan);

/// Bytes of device memory that a call needs beside input and output, which may be 0; 0 for NULL.
FOLDTUNE_API size_t foldtune_plan_scratch_bytes(const foldtune_plan* plan);

/// Makes a handle whose calls use the caller's scratch and allocate nothing: device memory of
/// `bytes`, at least `foldtune_plan_scratch_bytes`, aligned to 128 and zeroed once before the first
/// call. Calls with the same scratch must not overlap. A plan that needs none takes NULL, too.
FOLDTUNE_API foldtune_status foldtune_plan_with_scratch(const foldtune_plan* plan, void* scratch,
                                                        size_t bytes, foldtune_plan** with_scratch);

/// As `foldtune_reduce`, of up to `foldtune_plan_max_count` elements.
FOLDTUNE_API foldtune_status foldtune_plan_reduce(const foldtune_plan* plan,
                                                  const void* const* inputs, size_t input_count,
                                                  uint64_t count, void* output,
                                                  foldtune_stream stream);

/// How the elements of an array lie in memory.
typedef struct foldtune_array_layout {
  size_t rank;              ///< dimensions, 0 to 8
  const uint64_t* extents;  ///< `rank`, the outermost first
  const int64_t* strides;   ///< `rank`, in elements, 0 and negative ones, too; NULL: in C order
} foldtune_array_layout;

/// Makes a reducer along axes, to be destroyed by `foldtune_axis_reducer_destroy`. What is computed
/// of each row is what a reducer computes of an array; operators that find an element give its
/// number alone, "i64" (the default of `result`) or "i32". FOLDTUNE_INVALID_ARGUMENT for a problem
/// that cannot be; `*reducer` is NULL then.
FOLDTUNE_API foldtune_status foldtune_axis_reducer_create(foldtune_context* context,
                                                          const foldtune_problem* problem,
                                                          foldtune_axis_reducer** reducer);

/// Gives up the handle; NULL is fine.
FOLDTUNE_API void foldtune_axis_reducer_destroy(foldtune_axis_reducer* reducer);

/// Enqueues the reduction of arrays of one layout, `input_count` of them, along the axes whose
/// numbers are in `axes`, counted from the end if they are negative. `results` is the layout of
/// `output`, whose extents are those that are kept; NULL: in C order. As foldtune::AxisReducer
/// says, and of memory, streams and errors as `foldtune_reduce`.
FOLDTUNE_API foldtune_status foldtune_axis_reduce(const foldtune_axis_reducer* reducer,
                                                  const void* const* inputs, size_t input_count,
                                                  const foldtune_array_layout* layout,
                                                  const int* axes, size_t axis_count, void* output,
                                                  const foldtune_array_layout* results,
                                                  foldtune_stream stream);

/// Does all that the first such call would do, except the launch. The inputs are not read. Returns
/// what the call would.
FOLDTUNE_API foldtune_status foldtune_axis_reducer_prepare(const foldtune_axis_reducer* reducer,
                                                           const void* const* inputs,
                                                           size_t input_count,
                                                           const foldtune_array_layout* layout,
                                                           const int* axes, size_t axis_count,
                                                           foldtune_stream stream);

/// As `foldtune_reducer_explain`, of arrays at multiples of 16 bytes.
FOLDTUNE_API foldtune_status foldtune_axis_reducer_explain(const foldtune_axis_reducer* reducer,
                                                           const foldtune_array_layout* layout,
                                                           const int* axes, size_t axis_count,
                                                           foldtune_explanation* explanation);

/// As `foldtune_reducer_with_inputs_ready`; to be destroyed by `foldtune_axis_reducer_destroy`.
FOLDTUNE_API foldtune_status foldtune_axis_reducer_with_inputs_ready(
    const foldtune_axis_reducer* reducer, foldtune_axis_reducer** ready);

/// Makes a reducer of segments, to be destroyed by `foldtune_segment_reducer_destroy`. What is
/// computed of each segment is what a reducer computes of an array; operators that find an element
/// give its number in the segment alone, "i64" (the default of `result`) or "i32". `offsets` is the
/// type of begins and ends, "i32" (NULL) or "i64". FOLDTUNE_INVALID_ARGUMENT for a problem that
/// cannot be; `*reducer` is NULL then.
FOLDTUNE_API foldtune_status foldtune_segment_reducer_create(foldtune_context* context,
                                                             const foldtune_problem* problem,
                                                             const char* offsets,
                                                             foldtune_segment_reducer** reducer);

/// Gives up the handle; NULL is fine.
FOLDTUNE_API void foldtune_segment_reducer_destroy(foldtune_segment_reducer* reducer);

/// Enqueues the reduction of `segments` segments of arrays of `elements` elements, `input_count` of
/// them: segment i is from begins[i] up to ends[i], device memory; of a list of `segments + 1`
/// offsets `ends` is the list from its second offset on. As foldtune::SegmentReducer says, and of
/// memory, streams and errors as `foldtune_reduce`.
FOLDTUNE_API foldtune_status foldtune_segment_reduce(const foldtune_segment_reducer* reducer,
                                                     const void* const* inputs, size_t input_count,
                                                     uint64_t elements, const void* begins,
                                                     const void* ends, uint64_t segments,
                                                     void* output, foldtune_stream stream);

/// Does all that the first such call would do, except the launch. The inputs are not read. Returns
/// what the call would.
FOLDTUNE_API foldtune_status foldtune_segment_reducer_prepare(
    const foldtune_segment_reducer* reducer, const void* const* inputs, size_t input_count,
    uint64_t elements, uint64_t segments, foldtune_stream stream);

/// As `foldtune_reducer_explain`.
FOLDTUNE_API foldtune_status
foldtune_segment_reducer_explain(const foldtune_segment_reducer* reducer, uint64_t elements,
                                 uint64_t segments, foldtune_explanation* explanation);

/// As `foldtune_reducer_with_inputs_ready`; to be destroyed by `foldtune_segment_reducer_destroy`.
FOLDTUNE_API foldtune_status foldtune_segment_reducer_with_inputs_ready(
    const foldtune_segment_reducer* reducer, foldtune_segment_reducer** ready);

/// What is counted, and in which bins. NULL and 0 stand for the defaults.
typedef struct foldtune_histogram_options {
  const char* type;          ///< of the elements; NULL: "f32"
  uint32_t bins;             ///< from 2 to 2^20; 0: 256
  const char* binning;       ///< "even" (NULL), "custom" or "key"
  const char* counter;       ///< "u64" (NULL) or "u32"
  const char* distribution;  ///< "uniform" (NULL), "zipf" or "constant": chooses among results
} foldtune_histogram_options;

/// Makes a histogram, to be destroyed by `foldtune_histogram_destroy`. `options` may be NULL.
/// FOLDTUNE_INVALID_ARGUMENT for bins and types that cannot be; `*histogram` is NULL then.
FOLDTUNE_API foldtune_status foldtune_histogram_create(foldtune_context* context,
                                                       const foldtune_histogram_options* options,
                                                       foldtune_histogram** histogram);

/// Gives up the handle; NULL is fine.
FOLDTUNE_API void foldtune_histogram_destroy(foldtune_histogram* histogram);

/// Enqueues the counting of `count` elements in ranges of the same width between `lower` and
/// `upper`, which the last one includes; with the binning "even". `counts` is device memory, a
/// counter for each bin, which is overwritten. Elements in no bin, NaN among them, are dropped.
/// The first call, and the statuses, are as those of `foldtune_reduce`.
FOLDTUNE_API foldtune_status foldtune_histogram_even(const foldtune_histogram* histogram,
                                                     const void* input, uint64_t count,
                                                     double lower, double upper, void* counts,
                                                     foldtune_stream stream);

/// The same between bounds of 64 bits, which need not be numbers that double holds.
FOLDTUNE_API foldtune_status foldtune_histogram_even_i64(const foldtune_histogram* histogram,
                                                         const void* input, uint64_t count,
                                                         int64_t lower, int64_t upper, void* counts,
                                                         foldtune_stream stream);
/// The same between bounds without a sign.
FOLDTUNE_API foldtune_status foldtune_histogram_even_u64(const foldtune_histogram* histogram,
                                                         const void* input, uint64_t count,
                                                         uint64_t lower, uint64_t upper,
                                                         void* counts, foldtune_stream stream);

/// The same between edges, with the binning "custom": device memory of bins + 1 ascending numbers
/// of the elements' type.
FOLDTUNE_API foldtune_status foldtune_histogram_edges(const foldtune_histogram* histogram,
                                                      const void* input, uint64_t count,
                                                      const void* edges, void* counts,
                                                      foldtune_stream stream);

/// The same with the binning "key": 8-bit elements are the numbers of their bins.
FOLDTUNE_API foldtune_status foldtune_histogram_keys(const foldtune_histogram* histogram,
                                                     const void* input, uint64_t count,
                                                     void* counts, foldtune_stream stream);

/// Rows of a matrix, each of which has a histogram of its own.
typedef struct foldtune_histogram_rows {
  uint64_t rows;   ///< of the matrix
  uint64_t count;  ///< elements of a row
  int64_t pitch;   ///< elements from a row to the next one, less than 0 where that is before; 0:
                   ///< `count`
} foldtune_histogram_rows;

/// As `foldtune_histogram_even`, of each row: `input` is the first element of the first one, and
/// `counts` has a counter for each bin of each row, one row after another. Nothing is written where
/// there are no rows. FOLDTUNE_INVALID_ARGUMENT for more elements, or counters, than 2^40.
FOLDTUNE_API foldtune_status foldtune_histogram_even_of_rows(const foldtune_histogram* histogram,
                                                             const void* input,
                                                             const foldtune_histogram_rows* rows,
                                                             double lower, double upper,
                                                             void* counts, foldtune_stream stream);

/// The same between bounds of 64 bits.
FOLDTUNE_API foldtune_status foldtune_histogram_even_i64_of_rows(
    const foldtune_histogram* histogram, const void* input, const foldtune_histogram_rows* rows,
    int64_t lower, int64_t upper, void* counts, foldtune_stream stream);
/// The same between bounds without a sign.
FOLDTUNE_API foldtune_status foldtune_histogram_even_u64_of_rows(
    const foldtune_histogram* histogram, const void* input, const foldtune_histogram_rows* rows,
    uint64_t lower, uint64_t upper, void* counts, foldtune_stream stream);

/// As `foldtune_histogram_edges`, of each row: all have the same edges.
FOLDTUNE_API foldtune_status foldtune_histogram_edges_of_rows(const foldtune_histogram* histogram,
                                                              const void* input,
                                                              const foldtune_histogram_rows* rows,
                                                              const void* edges, void* counts,
                                                              foldtune_stream stream);

/// As `foldtune_histogram_keys`, of each row.
FOLDTUNE_API foldtune_status foldtune_histogram_keys_of_rows(const foldtune_histogram* histogram,
                                                             const void* input,
                                                             const foldtune_histogram_rows* rows,
                                                             void* counts, foldtune_stream stream);

/// Does all that the first such call would do, except the launch. The input is not read. Returns
/// what the call would.
FOLDTUNE_API foldtune_status foldtune_histogram_prepare(const foldtune_histogram* histogram,
                                                        const void* input, uint64_t count,
                                                        foldtune_stream stream);

/// The same of rows.
FOLDTUNE_API foldtune_status foldtune_histogram_prepare_rows(const foldtune_histogram* histogram,
                                                             const void* input,
                                                             const foldtune_histogram_rows* rows,
                                                             foldtune_stream stream);

/// As `foldtune_reducer_explain`.
FOLDTUNE_API foldtune_status foldtune_histogram_explain(const foldtune_histogram* histogram,
                                                        uint64_t count,
                                                        foldtune_explanation* explanation);

/// The same of rows, whatever their pitch.
FOLDTUNE_API foldtune_status foldtune_histogram_explain_rows(const foldtune_histogram* histogram,
                                                             const foldtune_histogram_rows* rows,
                                                             foldtune_explanation* explanation);

// NOLINTEND(readability-identifier-naming,modernize-use-using)

#ifdef __cplusplus
}
#endif
