// The tree in shared memory: at every step half of the threads fold the values of two, until one is
// left.
//
// PER_THREAD   elements that a thread folds as it loads them
// INTERLEAVED  1: the naive tree, in which the threads that fold lie ever further apart, so that
//              every warp has some; 0: they are the first ones
// TAIL         how the last 32 values are folded: 0 as all others, 1 by shuffles, 2 by one warp in
//              shared memory, without barriers

__device__ float lowest(float) { return -__int_as_float(0x7f800000); }  // infinity
__device__ float highest(float) { return __int_as_float(0x7f800000); }
__device__ int lowest(int) { return -2147483647 - 1; }
__device__ int highest(int) { return 2147483647; }

// What OP is. A share of no elements is the identity, so that any n will do.
namespace op {
// There is no atomicMax of float: what is there is exchanged until nobody was faster.
template <class Op>
__device__ void exchange_combined(T* address, T value) {
  union Word {
    int bits;
    T value;
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
  static __device__ T identity() { return 0; }
  static __device__ T combine(T a, T b) { return a + b; }
  static __device__ void combine_at(T* address, T value) { atomicAdd(address, value); }
};
struct max {
  static __device__ T identity() { return lowest(T()); }
  static __device__ T combine(T a, T b) { return a < b ? b : a; }
  static __device__ void combine_at(T* address, T value) { exchange_combined<max>(address, value); }
};
struct min {
  static __device__ T identity() { return highest(T()); }
  static __device__ T combine(T a, T b) { return b < a ? b : a; }
  static __device__ void combine_at(T* address, T value) { exchange_combined<min>(address, value); }
};
}  // namespace op

__device__ T fold_share(const T* input, size_t n) {
  constexpr unsigned kTile = BLOCK_SIZE * PER_THREAD;
  T share = op::OP::identity();
  for (size_t tile = (size_t)blockIdx.x * kTile; tile < n; tile += (size_t)gridDim.x * kTile) {
#pragma unroll
    for (unsigned k = 0; k < PER_THREAD; ++k) {
      const size_t i = tile + k * BLOCK_SIZE + threadIdx.x;
      if (i < n) share = op::OP::combine(share, input[i]);
    }
  }
  return share;
}

// In thread 0.
__device__ T fold_block(T value) {
  __shared__ T values[BLOCK_SIZE];
  const unsigned thread = threadIdx.x;
  values[thread] = value;
  __syncthreads();

#if INTERLEAVED
#pragma unroll 1
  for (unsigned distance = 1; distance < BLOCK_SIZE; distance *= 2) {
    if (thread % (2 * distance) == 0) {
      values[thread] = op::OP::combine(values[thread], values[thread + distance]);
    }
    __syncthreads();
  }
#else
#pragma unroll
  for (unsigned half = BLOCK_SIZE / 2; half >= (TAIL == 0 ? 1 : 32); half /= 2) {
    if (thread < half) values[thread] = op::OP::combine(values[thread], values[thread + half]);
    __syncthreads();
  }
#endif
  value = values[thread];

#if TAIL == 1
  if (thread < 32) {
#pragma unroll
    for (unsigned half = 16; half > 0; half /= 2) {
      value = op::OP::combine(value, __shfl_down_sync(0xffffffff, value, half));
    }
  }
#elif TAIL == 2
  if (thread < 32) {
    // `volatile` was enough while the lanes of a warp ran in step: since Volta they need not.
    volatile T* last = values;
#pragma unroll
    for (unsigned half = 16; half > 0; half /= 2) {
      value = op::OP::combine(value, last[thread + half]);
      __syncwarp();
      last[thread] = value;
      __syncwarp();
    }
  }
#endif
  return value;
}

// The end by two passes: each block's total has a place of its own, and one block more folds those.
__global__ void fold_to_partials(const T* input, T* partials, size_t n) {
  const T total = fold_block(fold_share(input, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

// The end by atomics.
__global__ void set_identity(T* output) { *output = op::OP::identity(); }

__global__ void fold_to_one(const T* input, T* output, size_t n) {
  const T total = fold_block(fold_share(input, n));
  if (threadIdx.x == 0) op::OP::combine_at(output, total);
}
