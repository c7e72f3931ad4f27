/// The launches of a histogram.
#pragma once

#include "templates/histogram/space.h"
#include "templates/launch.h"

namespace foldtune {

class HistogramLauncher final : public Launcher {
 public:
  // The arguments of a call. The bounds are addresses of BinBound; null ones are those of any
  // range.
  static constexpr std::size_t kCounts = 0;
  static constexpr std::size_t kInput = 1;
  static constexpr std::size_t kEdges = 2;
  static constexpr std::size_t kLower = 3;
  static constexpr std::size_t kUpper = 4;

  HistogramLauncher(const HistogramWorkload& histogram, const HistogramParams& params,
                    int multiprocessor_count);

  std::uint32_t block_size() const override {
    return static_cast<std::uint32_t>(params_.block_size);
  }
  std::size_t scratch_bytes(const Shape&) const override { return scratch_bytes_; }
  /// The call's range is without fault (templates/histogram/range.h).
  void fill(const Call& call, void* scratch, Launches& launches) const override;

 private:
  // The kernels of a program, by their index: the histogram itself, and one that sets bins to zero.
  static constexpr std::size_t kMain = 0;
  static constexpr std::size_t kZeroBins = 1;

  /// Whether a launch sets the output to zero first: one block that counts in shared memory writes
  /// the output itself.
  bool zeroes_first(std::uint32_t blocks) const;

  HistogramWorkload histogram_;
  HistogramParams params_;
  int multiprocessor_count_;
  bool takes_64_bits_;
  std::size_t scratch_bytes_;
};

}  // namespace foldtune
