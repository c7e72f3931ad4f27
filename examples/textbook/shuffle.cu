// Shuffles alone: each warp folds its values, and the first warp those of the others. Blocks stride
// over the input.
//
// WIDTH   elements of one load: 1, or 4, of 16 bytes, for inputs at multiples of 16 bytes
// UNROLL  loads of a thread that are under way together

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

struct alignas(WIDTH * sizeof(T)) Vector {
  T elements[WIDTH];
};

__device__ T fold_vector(T share, Vector vector) {
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) share = op::OP::combine(share, vector.elements[i]);
  return share;
}

__device__ T fold_share(const T* input, size_t n) {
  const Vector* vectors = (const Vector*)input;
  const size_t count = n / WIDTH;
  const size_t threads = (size_t)gridDim.x * BLOCK_SIZE;
  const size_t first = (size_t)blockIdx.x * BLOCK_SIZE + threadIdx.x;
  T share = op::OP::identity();
  size_t i = first;
  for (; i + (UNROLL - 1) * threads < count; i += UNROLL * threads) {
    Vector loaded[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) loaded[k] = vectors[i + k * threads];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) share = fold_vector(share, loaded[k]);
  }
  for (; i < count; i += threads) share = fold_vector(share, vectors[i]);
  // What is no whole vector.
  for (i = count * WIDTH + first; i < n; i += threads) share = op::OP::combine(share, input[i]);
  return share;
}

__device__ T fold_warp(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = op::OP::combine(value, __shfl_down_sync(0xffffffff, value, distance));
  }
  return value;
}

// In thread 0.
__device__ T fold_block(T value) {
  __shared__ T totals[BLOCK_SIZE / 32];
  value = fold_warp(value);
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < BLOCK_SIZE / 32 ? totals[threadIdx.x] : op::OP::identity();
    value = fold_warp(value);
  }
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
