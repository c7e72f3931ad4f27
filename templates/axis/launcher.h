/// The launch of a reduction along axes.
#pragma once

#include "foldtune/axis_reduction.h"
#include "templates/axis/params.cuh"
#include "templates/axis/shape.cuh"
#include "templates/launch.h"

namespace foldtune {

class AxisLauncher final : public Launcher {
 public:
  /// The device holds `resident_blocks` at a time; only where the grid is waves of them.
  AxisLauncher(const AxisReduction& reduction, const AxisParams& params, int resident_blocks);

  std::uint32_t block_size() const override {
    return static_cast<std::uint32_t>(params_.block_size);
  }
  std::size_t scratch_bytes(const Shape& shape) const override;
  std::size_t max_scratch_bytes(const Shape& most) const override;
  void fill(const Call& call, void* scratch, Launches& launches) const override;

 private:
  /// How results are dealt to blocks, and how many blocks there are.
  struct Deal {
    AxisWork work;
    std::uint32_t blocks;
  };
  Deal deal(const Shape& shape) const;
  unsigned prefetched_elements(const Shape& shape) const;
  /// Results of a unit.
  std::uint64_t unit_results(const Shape& shape) const;
  /// Turns that the blocks which share a unit can take.
  std::uint64_t turns(const Shape& shape) const;

  AxisParams params_;
  bool has_rows_;
  bool joins_rows_;
  std::size_t prefetched_bytes_;  ///< of an element of all inputs; 0: they have gaps
  std::size_t strides_;           ///< the argument's place
  std::size_t partial_bytes_;
  std::uint64_t max_blocks_;
};

}  // namespace foldtune
