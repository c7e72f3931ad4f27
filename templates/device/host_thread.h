/// How a kernel compiled by the host compiler meets the machine that runs it.
///
/// This is a binary interface: `runtime/device/cpu/cpu_fibers.cpp` implements it, and every
/// compiled variant, a shared library of its own, includes it through `platform.cuh`. Plain C types
/// alone.
#pragma once

namespace foldtune::host {

/// Bytes of shared memory that a block may use.
inline constexpr unsigned kSharedBytes = 64 * 1024;

/// One CUDA thread, as its kernel sees it. It lives as long as the thread runs.
struct Thread {
  unsigned thread_index;  ///< x fastest, then y, then z; as block_index
  unsigned block_index;
  unsigned block_size;        ///< threads per block
  unsigned grid_size;         ///< blocks
  unsigned block_extents[3];  ///< threads along x, y and z
  unsigned grid_extents[3];   ///< blocks along x, y and z
  void* shared;               ///< the block's `kSharedBytes`, aligned for any type
  void* dynamic_shared;       ///< as many bytes as the launch asked for, aligned to 16

  /// Each may run other threads of the block before it returns. Where the block can never end, each
  /// throws instead, through the kernel's frames.
  void (*sync_block)(Thread*);
  /// Every lane of the warp gives `bytes` (at most 16) and takes those of lane `source`.
  void (*shuffle)(Thread*, void* value, unsigned bytes, unsigned source);
  /// Called while waiting for another block.
  void (*pause)(Thread*);
};

/// The entry point that a compiled variant exports for its kernel: `arguments` are pointers to the
/// kernel's parameters, as `cuLaunchKernel` takes them.
using Entry = void (*)(Thread* thread, void** arguments);

}  // namespace foldtune::host
