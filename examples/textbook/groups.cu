// Cooperative groups: a warp is an object, and folds its values by a function of the toolkit.
//
// TYPE        of the elements; it is not called T, for the toolkit's headers name parameters so
// PER_THREAD  elements of a thread, n / PER_THREAD apart
// TREE        1: a tree in shared memory folds all but the last 32 values; 0: warps fold everything
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

__device__ float lowest(float) { return -__int_as_float(0x7f800000); }  // infinity
__device__ float highest(float) { return __int_as_float(0x7f800000); }
__device__ int lowest(int) { return -2147483647 - 1; }
__device__ int highest(int) { return 2147483647; }

// What OP is. A share of no elements is the identity, so that any n will do.
namespace op {
// There is no atomicMax of float: what is there is exchanged until nobody was faster.
template <class Op>
__device__ void exchange_combined(TYPE* address, TYPE value) {
  union Word {
    int bits;
    TYPE value;
  };
  Word seen, combined;
  seen.value = *address;
  for (;;) {
    combined.value = Op::combine(seen.value, value);
    const int found = atomicCAS((int*)address, seen.bits, combined.bits);
    if (found == seen.bits) return;
    seen.bits = found;
  }
}

struct sum {
  using Group = cooperative_groups::plus<TYPE>;
  static __device__ TYPE identity() { return 0; }
  static __device__ TYPE combine(TYPE a, TYPE b) { return a + b; }
  static __device__ void combine_at(TYPE* address, TYPE value) { atomicAdd(address, value); }
};
struct max {
  using Group = cooperative_groups::greater<TYPE>;
  static __device__ TYPE identity() { return lowest(TYPE()); }
  static __device__ TYPE combine(TYPE a, TYPE b) { return a < b ? b : a; }
  static __device__ void combine_at(TYPE* address, TYPE value) {
    exchange_combined<max>(address, value);
  }
};
struct min {
  using Group = cooperative_groups::less<TYPE>;
  static __device__ TYPE identity() { return highest(TYPE()); }
  static __device__ TYPE combine(TYPE a, TYPE b) { return b < a ? b : a; }
  static __device__ void combine_at(TYPE* address, TYPE value) {
    exchange_combined<min>(address, value);
  }
};
}  // namespace op

__device__ TYPE fold_share(const TYPE* input, size_t n) {
  TYPE share = op::OP::identity();
  const size_t threads = (size_t)gridDim.x * BLOCK_SIZE;
  for (size_t i = (size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += threads) {
    share = op::OP::combine(share, input[i]);
  }
  return share;
}

__device__ TYPE fold_warp(TYPE value) {
  const auto block = cooperative_groups::this_thread_block();
  const auto warp = cooperative_groups::tiled_partition<32>(block);
  return cooperative_groups::reduce(warp, value, op::OP::Group());
}

// In thread 0.
__device__ TYPE fold_block(TYPE value) {
  const auto block = cooperative_groups::this_thread_block();
  const unsigned thread = block.thread_rank();
#if TREE
  __shared__ TYPE values[BLOCK_SIZE];
  values[thread] = value;
  block.sync();
#pragma unroll
  for (unsigned half = BLOCK_SIZE / 2; half >= 32; half /= 2) {
    if (thread < half) values[thread] = op::OP::combine(values[thread], values[thread + half]);
    block.sync();
  }
  return thread < 32 ? fold_warp(values[thread]) : value;
#else
  __shared__ TYPE totals[BLOCK_SIZE / 32];
  value = fold_warp(value);
  if (thread % 32 == 0) totals[thread / 32] = value;
  block.sync();
  if (thread >= 32) return value;
  return fold_warp(thread < BLOCK_SIZE / 32 ? totals[thread] : op::OP::identity());
#endif
}

// The end by two passes: each block's total has a place of its own, and one block more folds those.
__global__ void fold_to_partials(const TYPE* input, TYPE* partials, size_t n) {
  const TYPE total = fold_block(fold_share(input, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

// The end by atomics.
__global__ void set_identity(TYPE* output) { *output = op::OP::identity(); }

__global__ void fold_to_one(const TYPE* input, TYPE* output, size_t n) {
  const TYPE total = fold_block(fold_share(input, n));
  if (threadIdx.x == 0) op::OP::combine_at(output, total);
}
