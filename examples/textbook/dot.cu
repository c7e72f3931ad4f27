// The dot product of two inputs.
//
// WIDTH  elements of one load: 1, or 4, of 16 bytes, for inputs at multiples of 16 bytes
// MEET   where the threads' shares meet before one atomic, or one partial result, is made of them:
//        0 nowhere, 1 in a warp, by shuffles, 2 in a block, by a tree in shared memory down to a
//        warp, 3 in a block, by shuffles alone
struct alignas(WIDTH * sizeof(T)) Vector {
  T elements[WIDTH];
};

__device__ T multiply_share(const T* a, const T* b, size_t n) {
  const size_t threads = (size_t)gridDim.x * BLOCK_SIZE;
  const size_t first = (size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x;
  T share = 0;
  for (size_t i = first; i < n / WIDTH; i += threads) {
    const Vector x = ((const Vector*)a)[i];
    const Vector y = ((const Vector*)b)[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) share += x.elements[k] * y.elements[k];
  }
  // What is no whole vector.
  for (size_t i = n / WIDTH * WIDTH + first; i < n; i += threads) share += a[i] * b[i];
  return share;
}

__device__ T add_share(const T* partials, size_t n) {
  T share = 0;
  for (size_t i = threadIdx.x; i < n; i += BLOCK_SIZE) share += partials[i];
  return share;
}

// In the first lane.
__device__ T add_warp(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffff, value, distance);
  }
  return value;
}

// In thread 0.
__device__ T add_block(T value) {
#if MEET == 2
  __shared__ T values[BLOCK_SIZE];
  values[threadIdx.x] = value;
  __syncthreads();
#pragma unroll
  for (unsigned half = BLOCK_SIZE / 2; half >= 32; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  value = values[threadIdx.x];
#else
  __shared__ T totals[BLOCK_SIZE / 32];
  value = add_warp(value);
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < BLOCK_SIZE / 32 ? totals[threadIdx.x] : T(0);
#endif
  return threadIdx.x < 32 ? add_warp(value) : value;
}

// The end by two passes: each block's total has a place of its own, and one block more adds those.
__global__ void dot_to_partials(const T* a, const T* b, T* partials, size_t n) {
  const T total = add_block(multiply_share(a, b, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

__global__ void add_partials(const T* partials, T* output, size_t n) {
  const T total = add_block(add_share(partials, n));
  if (threadIdx.x == 0) *output = total;
}

// The end by atomics.
__global__ void set_zero(T* output) { *output = 0; }

__global__ void dot_to_one(const T* a, const T* b, T* output, size_t n) {
  const T share = multiply_share(a, b, n);
#if MEET == 0
  atomicAdd(output, share);
#elif MEET == 1
  const T total = add_warp(share);
  if (threadIdx.x % 32 == 0) atomicAdd(output, total);
#else
  const T total = add_block(share);
  if (threadIdx.x == 0) atomicAdd(output, total);
#endif
}
