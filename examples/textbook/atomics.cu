// Sums by atomics. MEET says where the threads' shares meet, before one atomic adds each to the
// result: 0 nowhere, 1 in a warp, by shuffles, 2 in a block, by atomics on shared memory.
__global__ void set_zero(T* output) { *output = 0; }

__global__ void add_all(const T* input, T* output, size_t n) {
  // In a grid of n threads a share is one element.
  T share = 0;
  const size_t threads = (size_t)gridDim.x * BLOCK_SIZE;
  for (size_t i = (size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += threads) {
    share += input[i];
  }
#if MEET == 0
  atomicAdd(output, share);
#elif MEET == 1
  for (int distance = 16; distance > 0; distance /= 2) {
    share += __shfl_down_sync(0xffffffff, share, distance);
  }
  if (threadIdx.x % 32 == 0) atomicAdd(output, share);
#else
  __shared__ T total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, share);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(output, total);
#endif
}
