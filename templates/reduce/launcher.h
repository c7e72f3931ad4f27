/// The launches of a reduction.
#pragma once

#include "templates/launch.h"
#include "templates/reduce/space.h"

namespace foldtune {

class ReduceLauncher final : public Launcher {
 public:
  /// The device holds `resident_blocks` at a time; only where the grid is waves of them.
  ReduceLauncher(const Problem& problem, const ReduceParams& params, int resident_blocks);

  std::uint32_t block_size() const override { return threads_; }
  std::size_t scratch_bytes(std::uint64_t count) const override;
  void fill(const Call& call, void* scratch, Launches& launches) const override;

 private:
  // The kernels of a program, by their index: the reduction itself, and a launch before it
  // (FinalStage::atomic) or after it (FinalStage::two_pass).
  static constexpr std::size_t kMain = 0;
  static constexpr std::size_t kHelper = 1;

  void fill_in_any_order(const Call& call, void* scratch, Launches& launches) const;
  void fill_in_order(const Call& call, void* scratch, Launches& launches) const;
  /// The kernel that folds the partial results of so many slots.
  void add_second_pass(const Call& call, void* scratch, std::uint32_t slots,
                       Launches& launches) const;

  GridRule grid_;
  std::uint32_t threads_;
  FinalStage final_stage_;
  bool has_fixed_order_;
  bool counts_in_64_bits_;
  std::size_t accumulator_bytes_;
};

}  // namespace foldtune
