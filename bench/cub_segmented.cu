#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/functional>
#include <cuda/std/limits>
#include <span>

#include "bench/cub_calls.h"

// Segments of one size have functions of their own since 3.2.
#if CUB_VERSION >= 300200

#include <cuda/iterator>

namespace foldtune::bench {
namespace {

struct AddInFloat {
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// Elements of T, added up and given in A.
template <class T, class A, class Add = ::cuda::std::plus<>>
int call_sum(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
  return cub::DeviceSegmentedReduce::Reduce(
      storage, bytes, static_cast<const T*>(arguments.inputs[0]), static_cast<A*>(arguments.output),
      arguments.segments, static_cast<int>(arguments.count), Add{}, A{}, stream);
}

template <class T>
int call_max(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
  return cub::DeviceSegmentedReduce::Max(storage, bytes, static_cast<const T*>(arguments.inputs[0]),
                                         static_cast<T*>(arguments.output), arguments.segments,
                                         static_cast<int>(arguments.count), stream);
}

/// Of a pair of index and value, which is what CUB gives.
struct Index {
  template <class Pair>
  __host__ __device__ std::int64_t operator()(const Pair& pair) const {
    return pair.first;
  }
};

/// Stores the index alone, as Foldtune and PyTorch do.
template <class T>
int call_argmax(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
  const auto output =
      ::cuda::make_transform_output_iterator(static_cast<std::int64_t*>(arguments.output), Index{});
  return cub::DeviceSegmentedReduce::ArgMax(
      storage, bytes, static_cast<const T*>(arguments.inputs[0]), output, arguments.segments,
      static_cast<int>(arguments.count), stream);
}

// The same of segments from begins[i] up to ends[i], by offsets of 32 bits.

using Offsets = const std::int32_t*;

template <class T, class A, class Add = ::cuda::std::plus<>>
int call_sum_by_offsets(void* storage, std::size_t& bytes, const CubArguments& arguments,
                        Stream stream) {
  return cub::DeviceSegmentedReduce::Reduce(
      storage, bytes, static_cast<const T*>(arguments.inputs[0]), static_cast<A*>(arguments.output),
      arguments.segments, static_cast<Offsets>(arguments.begins),
      static_cast<Offsets>(arguments.ends), Add{}, A{}, stream);
}

/// From -infinity on, which is what Foldtune gives of an empty segment: Max begins with the least
/// finite number.
template <class T>
int call_max_by_offsets(void* storage, std::size_t& bytes, const CubArguments& arguments,
                        Stream stream) {
  return cub::DeviceSegmentedReduce::Reduce(
      storage, bytes, static_cast<const T*>(arguments.inputs[0]), static_cast<T*>(arguments.output),
      arguments.segments, static_cast<Offsets>(arguments.begins),
      static_cast<Offsets>(arguments.ends), ::cuda::maximum<>{},
      -::cuda::std::numeric_limits<T>::infinity(), stream);
}

/// The index, or -1 of an empty segment, of which CUB gives 1 and the least finite number.
template <class T>
struct IndexOrNone {
  __host__ __device__ std::int64_t operator()(const cub::KeyValuePair<int, T>& pair) const {
    const bool is_empty = pair.key == 1 && pair.value == ::cuda::std::numeric_limits<T>::lowest();
    return is_empty ? -1 : pair.key;
  }
};

template <class T>
int call_argmax_by_offsets(void* storage, std::size_t& bytes, const CubArguments& arguments,
                           Stream stream) {
  const auto output = ::cuda::make_transform_output_iterator(
      static_cast<std::int64_t*>(arguments.output), IndexOrNone<T>{});
  return cub::DeviceSegmentedReduce::ArgMax(
      storage, bytes, static_cast<const T*>(arguments.inputs[0]), output, arguments.segments,
      static_cast<Offsets>(arguments.begins), static_cast<Offsets>(arguments.ends), stream);
}

struct Row {
  Operator op;
  ElementType type;
  ElementType accumulator;
  CubCall call;
};

using enum ElementType;
using enum Operator;

const Row kRows[] = {
    {sum, f32, f32, call_sum<float, float>},
    {sum, f64, f64, call_sum<double, double>},
    {sum, i32, i64, call_sum<std::int32_t, std::int64_t>},
    {sum, u8, u64, call_sum<std::uint8_t, std::uint64_t>},
    {sum, f16, f32, call_sum<__half, float, AddInFloat>},
    {sum, bf16, f32, call_sum<__nv_bfloat16, float, AddInFloat>},
    {Operator::max, f32, f32, call_max<float>},
    {Operator::max, f64, f64, call_max<double>},
    {Operator::max, i32, i32, call_max<std::int32_t>},
    {Operator::max, u8, u8, call_max<std::uint8_t>},
    {Operator::max, f16, f16, call_max<__half>},
    {Operator::max, bf16, bf16, call_max<__nv_bfloat16>},
    {argmax, f32, f32, call_argmax<float>},
    {argmax, f64, f64, call_argmax<double>},
    {argmax, i32, i32, call_argmax<std::int32_t>},
    {argmax, u8, u8, call_argmax<std::uint8_t>},
    {argmax, f16, f16, call_argmax<__half>},
    {argmax, bf16, bf16, call_argmax<__nv_bfloat16>},
};

const Row kRowsByOffsets[] = {
    {sum, f32, f32, call_sum_by_offsets<float, float>},
    {sum, bf16, f32, call_sum_by_offsets<__nv_bfloat16, float, AddInFloat>},
    {Operator::max, f32, f32, call_max_by_offsets<float>},
    {argmax, f32, f32, call_argmax_by_offsets<float>},
};

CubCall find(std::span<const Row> rows, const Reduction& of_segment) {
  for (const Row& one : rows) {
    if (one.op == of_segment.op && one.type == of_segment.type &&
        one.accumulator == of_segment.accumulator_type()) {
      return one.call;
    }
  }
  return nullptr;
}

}  // namespace

CubCall find_cub_segmented(const Reduction& row) { return find(kRows, row); }

CubCall find_cub_by_offsets(const SegmentReduction& reduction) {
  if (reduction.offsets != i32) return nullptr;
  return find(kRowsByOffsets, reduction.segment);
}

}  // namespace foldtune::bench

#else

namespace foldtune::bench {

CubCall find_cub_segmented(const Reduction&) { return nullptr; }
CubCall find_cub_by_offsets(const SegmentReduction&) { return nullptr; }

}  // namespace foldtune::bench

#endif
