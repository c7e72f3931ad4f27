// The greatest element and where it is: shuffles of pairs. Of equal ones the first.
struct Best {
  T value;
  unsigned long long index;
};

__device__ Best better(Best a, Best b) {
  const bool takes_b = a.value < b.value || (a.value == b.value && b.index < a.index);
  return takes_b ? b : a;
}

__device__ Best none() { return {-__int_as_float(0x7f800000), ~0ull}; }  // less than all

__device__ Best best_of_warp(Best best) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const Best other = {__shfl_down_sync(0xffffffff, best.value, distance),
                        __shfl_down_sync(0xffffffff, best.index, distance)};
    best = better(best, other);
  }
  return best;
}

// In thread 0.
__device__ Best best_of_block(Best best) {
  __shared__ Best bests[BLOCK_SIZE / 32];
  best = best_of_warp(best);
  if (threadIdx.x % 32 == 0) bests[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x >= 32) return best;
  return best_of_warp(threadIdx.x < BLOCK_SIZE / 32 ? bests[threadIdx.x] : none());
}

__global__ void find_in_input(const T* input, Best* partials, size_t n) {
  Best best = none();
  const size_t threads = (size_t)gridDim.x * BLOCK_SIZE;
  for (size_t i = (size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += threads) {
    best = better(best, {input[i], i});
  }
  best = best_of_block(best);
  if (threadIdx.x == 0) partials[blockIdx.x] = best;
}

__global__ void find_in_partials(const Best* partials, Best* output, unsigned count) {
  Best best = none();
  for (unsigned i = threadIdx.x; i < count; i += BLOCK_SIZE) best = better(best, partials[i]);
  best = best_of_block(best);
  if (threadIdx.x == 0) *output = best;
}
