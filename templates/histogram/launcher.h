/// The launches of a histogram.
#pragma once

#include "templates/histogram/space.h"
#include "templates/launch.h"

namespace foldtune {

class HistogramLauncher final : public Launcher {
 public:
  HistogramLauncher(const Variant& variant, int multiprocessor_count);

  std::uint32_t block_size() const override {
    return static_cast<std::uint32_t>(params_.block_size);
  }
  std::size_t scratch_bytes(std::uint64_t) const override { return scratch_bytes_; }
  /// The call's range is without fault (templates/histogram/range.h).
  void fill(const Call& call, void* scratch, Launches& launches) const override;

 private:
  // The kernels of a program, by their index: the histogram itself, and one that sets bins to zero.
  static constexpr std::size_t kMain = 0;
  static constexpr std::size_t kZeroBins = 1;

  /// Whether a launch sets the output to zero first: one block that counts in shared memory writes
  /// the output itself.
  bool zeroes_first(std::uint32_t blocks) const;

  Problem problem_;
  HistogramParams params_;
  int multiprocessor_count_;
  bool counts_in_64_bits_;
  std::size_t scratch_bytes_;
};

}  // namespace foldtune
