// Any operator that is associative and has an identity: the struct and the macros are all that is
// known of it. This one finds the least and the greatest element at once.
struct Accumulator {
  T low, high;
};
__device__ float infinity(float) { return __int_as_float(0x7f800000); }
#define IDENTITY (Accumulator{infinity(T()), -infinity(T())})
#define MAP(x) (Accumulator{(x), (x)})
#define COMBINE(a, b) \
  (Accumulator{(a).low < (b).low ? (a).low : (b).low, (a).high > (b).high ? (a).high : (b).high})

// A macro may say its arguments twice, and a shuffle must not be.
__device__ Accumulator combine(Accumulator a, Accumulator b) { return COMBINE(a, b); }

// Word for word, for a shuffle moves one.
__device__ Accumulator of_lane_above(Accumulator value, int distance) {
  constexpr int kWords = sizeof(Accumulator) / sizeof(unsigned);
  union {
    Accumulator value;
    unsigned words[kWords];
  } moved = {value};
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    moved.words[i] = __shfl_down_sync(0xffffffff, moved.words[i], distance);
  }
  return moved.value;
}

__device__ Accumulator fold_warp(Accumulator value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, of_lane_above(value, distance));
  }
  return value;
}

// In thread 0.
__device__ Accumulator fold_block(Accumulator value) {
  __shared__ Accumulator totals[BLOCK_SIZE / 32];
  value = fold_warp(value);
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return value;
  return fold_warp(threadIdx.x < BLOCK_SIZE / 32 ? totals[threadIdx.x] : IDENTITY);
}

__global__ void fold_input(const T* input, Accumulator* partials, size_t n) {
  Accumulator share = IDENTITY;
  const size_t threads = (size_t)gridDim.x * BLOCK_SIZE;
  for (size_t i = (size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += threads) {
    share = combine(share, MAP(input[i]));
  }
  const Accumulator total = fold_block(share);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

__global__ void fold_partials(const Accumulator* partials, Accumulator* output, unsigned count) {
  Accumulator share = IDENTITY;
  for (unsigned i = threadIdx.x; i < count; i += BLOCK_SIZE) share = combine(share, partials[i]);
  const Accumulator total = fold_block(share);
  if (threadIdx.x == 0) *output = total;
}
