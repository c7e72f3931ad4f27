#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/functional>

#include "bench/cub_calls.h"

namespace foldtune::bench {
namespace {

/// Elements of T, folded and given in A.
template <class T, class A>
struct Sum {
  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    return cub::DeviceReduce::Reduce(storage, bytes, static_cast<const T*>(arguments.inputs[0]),
                                     static_cast<A*>(arguments.output), arguments.count,
                                     ::cuda::std::plus<>{}, A{}, stream);
  }
};

struct Widen {
  template <class T>
  __device__ float operator()(T x) const {
    return static_cast<float>(x);
  }
};

/// Of 16-bit floating-point elements, which CUB would else add in their own type.
template <class T>
struct SumInFloat {
  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    return cub::DeviceReduce::TransformReduce(
        storage, bytes, static_cast<const T*>(arguments.inputs[0]),
        static_cast<float*>(arguments.output), arguments.count, ::cuda::std::plus<>{}, Widen{},
        0.0f, stream);
  }
};

template <class T>
struct Min {
  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    return cub::DeviceReduce::Min(storage, bytes, static_cast<const T*>(arguments.inputs[0]),
                                  static_cast<T*>(arguments.output), arguments.count, stream);
  }
};

template <class T>
struct Max {
  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    return cub::DeviceReduce::Max(storage, bytes, static_cast<const T*>(arguments.inputs[0]),
                                  static_cast<T*>(arguments.output), arguments.count, stream);
  }
};

struct Row {
  Operator op;
  ElementType type;
  ElementType accumulator;
  CubCall call;
};

using enum ElementType;
using enum Operator;

const Row kRows[] = {
    {sum, f32, f32, Sum<float, float>::call},
    {sum, f64, f64, Sum<double, double>::call},
    {sum, i32, i32, Sum<std::int32_t, std::int32_t>::call},
    {sum, u32, u32, Sum<std::uint32_t, std::uint32_t>::call},
    {sum, i64, i64, Sum<std::int64_t, std::int64_t>::call},
    {sum, i16, i32, Sum<std::int16_t, std::int32_t>::call},
    {sum, i8, i32, Sum<std::int8_t, std::int32_t>::call},
    {sum, u8, u64, Sum<std::uint8_t, std::uint64_t>::call},
    {sum, f16, f32, SumInFloat<__half>::call},
    {sum, bf16, f32, SumInFloat<__nv_bfloat16>::call},
    {Operator::min, f32, f32, Min<float>::call},
    {Operator::min, f64, f64, Min<double>::call},
    {Operator::min, i32, i32, Min<std::int32_t>::call},
    {Operator::max, f32, f32, Max<float>::call},
    {Operator::max, f64, f64, Max<double>::call},
    {Operator::max, i32, i32, Max<std::int32_t>::call},
    {Operator::max, f16, f16, Max<__half>::call},
    {Operator::max, bf16, bf16, Max<__nv_bfloat16>::call},
};

}  // namespace

CubCall find_cub_fold(const Reduction& reduction) {
  for (const Row& row : kRows) {
    if (row.op == reduction.op && row.type == reduction.type &&
        row.accumulator == reduction.accumulator_type()) {
      return row.call;
    }
  }
  return nullptr;
}

std::string cub_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace foldtune::bench
