// CUB's parts inside a kernel of one's own: BlockReduce, or WarpReduce.
//
// TYPE      of the elements; it is not called T, for the toolkit's headers name parameters so
// BY_WARPS  1: WarpReduce, of each warp and then of their totals; 0: BlockReduce
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

__device__ TYPE add_share(const TYPE* input, size_t n) {
  TYPE share = 0;
  const size_t threads = (size_t)gridDim.x * BLOCK_SIZE;
  for (size_t i = (size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += threads) {
    share += input[i];
  }
  return share;
}

// In thread 0.
__device__ TYPE add_block(TYPE value) {
#if BY_WARPS
  using Reduce = cub::WarpReduce<TYPE>;
  __shared__ typename Reduce::TempStorage storage[BLOCK_SIZE / 32];
  __shared__ TYPE totals[BLOCK_SIZE / 32];
  const unsigned warp = threadIdx.x / 32;
  value = Reduce(storage[warp]).Sum(value);
  if (threadIdx.x % 32 == 0) totals[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  return Reduce(storage[0]).Sum(threadIdx.x < BLOCK_SIZE / 32 ? totals[threadIdx.x] : TYPE(0));
#else
  using Reduce = cub::BlockReduce<TYPE, BLOCK_SIZE>;
  __shared__ typename Reduce::TempStorage storage;
  return Reduce(storage).Sum(value);
#endif
}

// The end by two passes: each block's total has a place of its own, and one block more adds those.
__global__ void add_to_partials(const TYPE* input, TYPE* partials, size_t n) {
  const TYPE total = add_block(add_share(input, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

// The end by atomics.
__global__ void set_zero(TYPE* output) { *output = 0; }

__global__ void add_to_one(const TYPE* input, TYPE* output, size_t n) {
  const TYPE total = add_block(add_share(input, n));
  if (threadIdx.x == 0) atomicAdd(output, total);
}
