/// The tunables of the family `reduce` on the host: its rules, and the shape of its grids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "foldtune/reduction.h"
#include "templates/family.h"
#include "templates/reduce/params.cuh"

namespace foldtune {

const Family& reduce_family();

std::span<const Tunable> reduce_tunables();
Config to_config(const ReduceParams& params);
/// Throws std::logic_error for a configuration of another family.
ReduceParams reduce_params(const Config& config);

/// @{
/// What Family says of them.
bool is_valid(const Reduction& reduction, const ReduceParams& params);
bool is_searched(const Reduction& reduction, const ReduceParams& params);
ReduceParams canonical(const Reduction& reduction, ReduceParams params, int multiprocessor_count);
ReduceParams default_reduce_params(const Reduction& reduction, int multiprocessor_count);
bool is_alike(const Reduction& a, const Reduction& b);
std::vector<ReduceParams> known_good_reduce_params(const Reduction& reduction);
double estimate_us(const Reduction& reduction, const DeviceFacts& device,
                   const ReduceParams& params);
/// @}

/// Bytes of the widest element of the inputs.
std::size_t widest_element(const Reduction& reduction);

/// Whether FinalStage::counted has room for the totals.
bool can_be_counted(const Reduction& reduction);

/// Whether the reduction is folded in the order of fixed_order.cuh, so that the result's bits do
/// not depend on the configuration.
bool has_fixed_order(const Reduction& reduction);

/// Elements of a chunk in that order, for `count` elements.
std::uint32_t chunk_elements(std::uint64_t count);

/// Chunks of `count` elements.
std::uint32_t chunk_count(std::uint64_t count);

/// Elements of each input that one block loads at a time.
std::uint64_t tile_elements(const ReduceParams& params);

/// Blocks of the grids of a reduction, whatever its count, on a device that holds `resident_blocks`
/// at a time.
class GridRule {
 public:
  GridRule(const Reduction& reduction, const ReduceParams& params, int resident_blocks);

  std::uint32_t blocks(std::uint64_t count) const {
    const std::uint64_t portions =
        portion_ == 0 ? chunk_count(count) : (count + portion_ - 1) / portion_;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(portions, 1, limit_));
  }

 private:
  std::uint64_t portion_;  ///< what the grid is cut into, in elements; 0: chunks of a fixed order
  std::uint64_t limit_;
};

/// The same for one count.
std::uint32_t grid_blocks(const Reduction& reduction, const ReduceParams& params,
                          std::uint64_t count, int resident_blocks);

}  // namespace foldtune
