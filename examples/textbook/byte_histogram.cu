// A histogram of bytes, in 256 bins. COPIES says where bytes are counted first: 0 in the result
// itself, 1 in counters of the block, 2 in counters of every warp, so that fewer threads meet at
// one. The input begins at a multiple of 16 bytes.
#define BINS 256

__global__ void set_zero(unsigned* counts) { counts[threadIdx.x] = 0; }

struct alignas(16) Bytes {
  unsigned char bytes[16];
};

__global__ void count_bytes(const unsigned char* input, unsigned* counts, size_t n) {
#if COPIES == 0
  unsigned* own = counts;
#else
  constexpr int kCopies = COPIES == 1 ? 1 : BLOCK_SIZE / 32;
  __shared__ unsigned shared[kCopies][BINS];
  for (int bin = threadIdx.x; bin < kCopies * BINS; bin += BLOCK_SIZE) (&shared[0][0])[bin] = 0;
  __syncthreads();
  unsigned* own = shared[kCopies == 1 ? 0 : threadIdx.x / 32];
#endif

  const size_t threads = (size_t)gridDim.x * BLOCK_SIZE;
  const size_t first = (size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x;
  for (size_t i = first; i < n / 16; i += threads) {
    const Bytes loaded = ((const Bytes*)input)[i];
#pragma unroll
    for (int k = 0; k < 16; ++k) atomicAdd(&own[loaded.bytes[k]], 1);
  }
  for (size_t i = n / 16 * 16 + first; i < n; i += threads) atomicAdd(&own[input[i]], 1);

#if COPIES > 0
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += BLOCK_SIZE) {
    unsigned count = 0;
    for (int copy = 0; copy < kCopies; ++copy) count += shared[copy][bin];
    atomicAdd(&counts[bin], count);
  }
#endif
}
