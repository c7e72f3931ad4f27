/// What devices have from sm_90 on; included at the end of platform.cuh. Elsewhere these functions
/// do nothing, and `kHas...` says that nothing may be expected of them.
#pragma once

namespace foldtune::platform {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// The grids of a stream may overlap (kernels.md, "Overlapping launches"). Once all blocks of a
/// grid have called `let_next_grid_begin`, the blocks of the next one may begin.
/// `await_previous_grid` returns when the grids before are complete, with all that they wrote.
/// Every thread calls it: before the grid touches memory that they may use, and before the thread
/// ends, or the grid could be complete before them.
FOLDTUNE_DEVICE void let_next_grid_begin() { asm volatile("griddepcontrol.launch_dependents;"); }
FOLDTUNE_DEVICE void await_previous_grid() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/// Brings the line of kLineBytes that holds the address into the L2. No value changes by it, also
/// where a grid before is about to write there: it writes into the L2, too.
inline constexpr bool kHasPrefetch = true;
FOLDTUNE_DEVICE void prefetch_line(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(address)));
}

/// Clusters: blocks that run at the same time and reach each other's shared memory. The grid is one
/// cluster.
inline constexpr bool kHasClusters = true;

/// Every thread of the cluster arrives, and goes on; `await_cluster` returns when all have arrived,
/// and what they wrote to shared memory before is visible.
FOLDTUNE_DEVICE void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
FOLDTUNE_DEVICE void await_cluster() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

FOLDTUNE_DEVICE uint32 shared_address(const void* shared) {
  return static_cast<uint32>(__cvta_generic_to_shared(shared));
}
/// The same variable of the cluster's first block.
FOLDTUNE_DEVICE uint32 address_in_first_block(const void* shared) {
  uint32 address;
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(address) : "r"(shared_address(shared)));
  return address;
}

/// Makes a barrier in shared memory that `bytes` bytes will be sent to. By one thread, before it
/// arrives at the cluster.
FOLDTUNE_DEVICE void expect_bytes(uint64* barrier, uint32 bytes) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

/// Stores a word in the first block's copy of `*target`, and tells its copy of the barrier. The
/// first block runs until it has come; the sender may end before.
FOLDTUNE_DEVICE void send_to_first_block(uint32* target, uint32 value, uint64* barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                   address_in_first_block(target)),
               "r"(value), "r"(address_in_first_block(barrier))
               : "memory");
}
FOLDTUNE_DEVICE void send_to_first_block(uint64* target, uint64 value, uint64* barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];" ::"r"(
                   address_in_first_block(target)),
               "l"(value), "r"(address_in_first_block(barrier))
               : "memory");
}

/// Returns when all bytes that the barrier expects have come.
FOLDTUNE_DEVICE void await_bytes(uint64* barrier) {
  uint32 complete = 0;
  while (complete == 0) {
    asm volatile(
        "{\n\t.reg .pred complete;\n\t"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], 0;\n\t"
        "selp.u32 %0, 1, 0, complete;\n\t}"
        : "=r"(complete)
        : "r"(shared_address(barrier))
        : "memory");
  }
}

#else

FOLDTUNE_DEVICE void let_next_grid_begin() {}
FOLDTUNE_DEVICE void await_previous_grid() {}

inline constexpr bool kHasPrefetch = false;
FOLDTUNE_DEVICE void prefetch_line(const void*) {}

inline constexpr bool kHasClusters = false;
FOLDTUNE_DEVICE void arrive_at_cluster() {}
FOLDTUNE_DEVICE void await_cluster() {}
FOLDTUNE_DEVICE void expect_bytes(uint64*, uint32) {}
template <class Word>
FOLDTUNE_DEVICE void send_to_first_block(Word*, Word, uint64*) {}
FOLDTUNE_DEVICE void await_bytes(uint64*) {}

#endif

}  // namespace foldtune::platform
