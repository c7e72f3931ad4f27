/// A variant of the family `reduce`: its program, its scratch and its launches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/device.h"
#include "runtime/launch/call.h"
#include "runtime/launch/variant.h"
#include "templates/reduce/space.h"

namespace foldtune {

Program make_reduce_program(const Variant& variant);

std::size_t reduce_scratch_bytes(const Variant& variant, std::uint32_t blocks, std::uint64_t count);

/// The launches of a variant, worked out but for what differs from call to call.
class ReduceLaunch {
 public:
  /// The device holds `resident_blocks` at a time; only where the grid is waves of them.
  ReduceLaunch(const Variant& variant, int resident_blocks);

  std::uint32_t grid_size(std::uint64_t count) const { return grid_.blocks(count); }
  void enqueue(const Kernel& kernel, const Call& call, void* scratch, Stream stream) const;

 private:
  void enqueue_in_any_order(const Kernel& kernel, const Call& call, void* scratch,
                            Stream stream) const;
  void enqueue_in_order(const Kernel& kernel, const Call& call, void* scratch, Stream stream) const;

  GridRule grid_;
  std::uint32_t threads_;
  FinalStage final_stage_;
  bool has_fixed_order_;
  bool counts_in_64_bits_;
};

}  // namespace foldtune
