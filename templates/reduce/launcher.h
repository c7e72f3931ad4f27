/// The launches of a reduction.
#pragma once

#include "foldtune/reduction.h"
#include "templates/launch.h"
#include "templates/reduce/space.h"

namespace foldtune {

class ReduceLauncher final : public Launcher {
 public:
  /// The device holds `resident_blocks` at a time; only where the grid is waves of them.
  ReduceLauncher(const Reduction& reduction, const ReduceParams& params, int resident_blocks);

  std::uint32_t block_size() const override { return threads_; }
  std::size_t scratch_bytes(const Shape& shape) const override { return scratch_bytes(shape[0]); }
  std::size_t max_scratch_bytes(const Shape& most) const override;
  void fill(const Call& call, void* scratch, Launches& launches) const override;

 private:
  // The kernels of a program, by their index: the reduction itself, and a launch before it
  // (FinalStage::atomic) or after it (FinalStage::two_pass).
  static constexpr std::size_t kMain = 0;
  static constexpr std::size_t kHelper = 1;

  // The arguments of a call. The inputs follow one another, as the kernels take them.
  static constexpr std::size_t kOutput = 0;
  static constexpr std::size_t kInputs = 1;

  std::size_t scratch_bytes(std::uint64_t count) const;
  void fill_in_any_order(const Call& call, void* scratch, Launches& launches) const;
  void fill_in_order(const Call& call, void* scratch, Launches& launches) const;
  /// The kernel that folds the partial results of so many slots.
  void add_second_pass(const Call& call, void* scratch, std::uint32_t slots,
                       Launches& launches) const;

  GridRule grid_;
  std::uint32_t threads_;
  FinalStage final_stage_;
  bool has_fixed_order_;
  bool takes_64_bits_;
  std::size_t accumulator_bytes_;
};

}  // namespace foldtune
