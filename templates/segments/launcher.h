/// The launch of a reduction of segments.
#pragma once

#include "foldtune/segment_reduction.h"
#include "templates/launch.h"
#include "templates/segments/params.cuh"
#include "templates/segments/work.cuh"

namespace foldtune {

class SegmentLauncher final : public Launcher {
 public:
  /// The device holds `resident_blocks` at a time.
  SegmentLauncher(const SegmentReduction& reduction, const SegmentParams& params,
                  int resident_blocks);

  std::uint32_t block_size() const override {
    return static_cast<std::uint32_t>(params_.block_size);
  }
  std::size_t scratch_bytes(const Shape& shape) const override;
  void fill(const Call& call, void* scratch, Launches& launches) const override;

  /// How segments are dealt to blocks.
  SegmentWork work(const Shape& shape) const;

 private:
  SegmentParams params_;
  std::size_t inputs_;         ///< of the operator
  bool are_equal_;             ///< segments are expected to be, so that none is long
  std::size_t slot_bytes_;     ///< of a partial result in the scratch
  std::uint64_t most_blocks_;  ///< tile blocks, or helpers
  unsigned max_chunks_;
};

}  // namespace foldtune
