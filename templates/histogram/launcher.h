/// The launches of a histogram.
#pragma once

#include "templates/histogram/space.h"
#include "templates/launch.h"

namespace foldtune {

class HistogramLauncher final : public Launcher {
 public:
  // The arguments of a call. The bounds are addresses of BinBound; null ones are those of any
  // range. The pitch is that of an int64_t, the elements from a row to the next one: of one row it
  // is not read, and null stands for rows that follow one another.
  static constexpr std::size_t kCounts = 0;
  static constexpr std::size_t kInput = 1;
  static constexpr std::size_t kEdges = 2;
  static constexpr std::size_t kLower = 3;
  static constexpr std::size_t kUpper = 4;
  static constexpr std::size_t kPitch = 5;

  static std::int64_t pitch_of(const Call& call) {
    const auto* const said = static_cast<const std::int64_t*>(call.arguments[kPitch]);
    return said != nullptr ? *said : static_cast<std::int64_t>(call.shape[histogram_extent::n]);
  }

  HistogramLauncher(const HistogramWorkload& histogram, const HistogramParams& params,
                    int multiprocessor_count);

  std::uint32_t block_size() const override {
    return static_cast<std::uint32_t>(params_.block_size);
  }
  std::size_t scratch_bytes(const Shape& shape) const override;
  std::size_t max_scratch_bytes(const Shape& most) const override;
  /// The call's range is without fault (templates/histogram/range.h).
  void fill(const Call& call, void* scratch, Launches& launches) const override;

 private:
  // The kernels of a program, by their index: the histogram itself, and one that sets bins to zero.
  static constexpr std::size_t kMain = 0;
  static constexpr std::size_t kZeroBins = 1;

  /// Whether a launch sets the output to zero first: where one block counts a row in shared memory,
  /// it writes the counts itself.
  bool zeroes_first(std::uint32_t blocks) const;
  void add_zeroing(const Call& call, Launches& launches) const;

  HistogramWorkload histogram_;
  HistogramParams params_;
  int multiprocessor_count_;
  bool takes_64_bits_;
  std::size_t row_scratch_bytes_;
};

}  // namespace foldtune
