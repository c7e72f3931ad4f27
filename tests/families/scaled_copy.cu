// A kernel as people write them, with macros that its description gives values: BLOCK_SIZE,
// PER_THREAD and T.
constexpr int kFactor = 3;

static __device__ __forceinline__ T scaled(T value) { return kFactor * value; }
__host__ __device__ inline unsigned opposite(unsigned i) { return BLOCK_SIZE * PER_THREAD - 1 - i; }

__global__ void scaled_copy(const T* __restrict__ input, T* __restrict__ output, unsigned columns) {
  extern __shared__ T tile[];
  const unsigned first = blockIdx.x * BLOCK_SIZE * PER_THREAD;
  const T* const row = input + (size_t)blockIdx.y * columns;
  for (unsigned i = threadIdx.x; i < BLOCK_SIZE * PER_THREAD; i += BLOCK_SIZE) {
    tile[i] = first + i < columns ? row[first + i] : T(0);
  }
  __syncthreads();
  // From the other end, so that the barrier is needed.
  for (unsigned i = threadIdx.x; i < BLOCK_SIZE * PER_THREAD; i += BLOCK_SIZE) {
    const unsigned other = opposite(i);
    if (first + other < columns) {
      output[(size_t)blockIdx.y * columns + first + other] = scaled(tile[other]);
    }
  }
}
