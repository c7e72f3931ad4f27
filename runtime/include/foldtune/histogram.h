/// A histogram that is ready to be called.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "foldtune/bin_bound.h"
#include "foldtune/explanation.h"
#include "foldtune/export.h"
#include "foldtune/histogram_options.h"
#include "foldtune/stream.h"

namespace foldtune {

/// Rows of a matrix, each of which has a histogram of its own.
struct HistogramRows {
  std::uint64_t rows = 0;   ///< of the matrix
  std::uint64_t count = 0;  ///< elements of a row
  /// Elements from the beginning of a row to that of the next one: more than `count` with something
  /// in between, fewer where rows overlap, less than 0 where the next row is before. Empty:
  /// `count`.
  std::optional<std::int64_t> pitch = std::nullopt;
};

/// Counts the elements of inputs of any count in bins. A handle: copies share everything but the
/// promise of `with_inputs_ready`. It may be used when the context that made it is gone. Member
/// functions may be called from several threads.
///
/// Each call enqueues its work on `stream` and returns, with all that Reducer::operator() says of
/// memory, of the first call, of streams that are captured and of errors. `input` is `count`
/// elements, `counts` as many counters as there are bins; what they held before is overwritten.
/// Elements in no bin, NaN among them, are dropped.
///
/// Of rows, `input` is the first element of the first row, and `counts` has as many counters as
/// there are bins for each row, in their order. The bounds or edges are the same for all. Nothing
/// is written where there are no rows. Rows whose pitch is a multiple of 16 bytes are counted
/// faster. Throws InvalidArgument for more elements, or more counters, than 2^40.
class FOLDTUNE_API Histogram {
 public:
  /// With Binning::even: ranges of the same width between the bounds, `lower < upper`, both finite,
  /// numbers of any type. Bin i begins at edge i, which belongs to it; the last one includes
  /// `upper`. An element below `lower` or above `upper`, as they are given, is never counted.
  ///
  /// The edges of elements that are integers, between bounds that are whole numbers at most 2^64
  /// apart, are lower + i * (upper - lower) / bins, exactly. (At exactly 2^64 `upper` must not be
  /// one of the type.) All others are those of NumPy's linspace: lower + i * step, where step is
  /// (upper - lower) / bins, each operation rounded to f64. Elements of all types are compared with
  /// them exactly, so the counts are the same on every device.
  void operator()(const void* input, std::uint64_t count, BinBound lower, BinBound upper,
                  void* counts, Stream stream = nullptr) const;

  /// The same of rows.
  void operator()(const void* input, const HistogramRows& rows, BinBound lower, BinBound upper,
                  void* counts, Stream stream = nullptr) const;

  /// With Binning::custom: bin i holds the elements of [edges[i], edges[i + 1]), the last bin also
  /// edges[bins]. `edges` is device memory of bins + 1 ascending numbers of the element's type,
  /// which may repeat; if they do not ascend the counts are of no use.
  void operator()(const void* input, std::uint64_t count, const void* edges, void* counts,
                  Stream stream = nullptr) const;

  /// The same of rows.
  void operator()(const void* input, const HistogramRows& rows, const void* edges, void* counts,
                  Stream stream = nullptr) const;

  /// With Binning::key: the elements are the numbers of their bins; those of i8 count from -128.
  void count_keys(const void* input, std::uint64_t count, void* counts,
                  Stream stream = nullptr) const;
  /// The same of rows.
  void count_keys(const void* input, const HistogramRows& rows, void* counts,
                  Stream stream = nullptr) const;

  /// Does everything that the first call for `count` elements of `input`'s alignment on `stream`
  /// would do, except the launch. `input` is not read. Throws what the call would throw.
  void prepare(const void* input, std::uint64_t count, Stream stream = nullptr) const;
  /// The same of rows.
  void prepare(const void* input, const HistogramRows& rows, Stream stream = nullptr) const;

  /// As Reducer::with_inputs_ready(), of the elements and the edges.
  Histogram with_inputs_ready() const;

  /// As Reducer::explain().
  Explanation explain(std::uint64_t count) const;
  /// The same of rows, whatever their pitch.
  Explanation explain(const HistogramRows& rows) const;

  /// What is counted, and in which bins. Valid as long as a handle of the context, or the context.
  const HistogramOptions& options() const;

 private:
  friend class Context;
  class FOLDTUNE_LOCAL State;
  explicit Histogram(std::shared_ptr<State> state) : state_(std::move(state)) {}

  void check_binning(Binning binning) const;
  void check_bounds(const BinBound& lower, const BinBound& upper) const;

  std::shared_ptr<State> state_;
  bool inputs_ready_ = false;
};

}  // namespace foldtune
