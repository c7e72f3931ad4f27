#include <cuda_fp16.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>

#include "bench/cub_calls.h"

namespace foldtune::bench {
namespace {

template <class T>
struct Indexed {
  T value;
  alignas(8) std::uint64_t index;
};
static_assert(sizeof(Indexed<float>) == 16 && offsetof(Indexed<float>, index) == 8);

template <class T>
struct ArgMin {
  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    auto* const result = static_cast<Indexed<T>*>(arguments.output);
    return cub::DeviceReduce::ArgMin(storage, bytes, static_cast<const T*>(arguments.inputs[0]),
                                     &result->value, &result->index,
                                     static_cast<std::int64_t>(arguments.count), stream);
  }
};

template <class T>
struct ArgMax {
  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    auto* const result = static_cast<Indexed<T>*>(arguments.output);
    return cub::DeviceReduce::ArgMax(storage, bytes, static_cast<const T*>(arguments.inputs[0]),
                                     &result->value, &result->index,
                                     static_cast<std::int64_t>(arguments.count), stream);
  }
};

struct Magnitude {
  __host__ __device__ float operator()(float x) const { return x < 0 ? -x : x; }
};

struct ArgMaxMagnitude {
  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    auto* const result = static_cast<Indexed<float>*>(arguments.output);
    const auto input = thrust::make_transform_iterator(
        static_cast<const float*>(arguments.inputs[0]), Magnitude{});
    return cub::DeviceReduce::ArgMax(storage, bytes, input, &result->value, &result->index,
                                     static_cast<std::int64_t>(arguments.count), stream);
  }
};

}  // namespace

CubCall find_cub_index(const Problem& problem) {
  const bool is_min = problem.op == Operator::argmin;
  if (is_min || problem.op == Operator::argmax) {
    switch (problem.type) {
      case ElementType::f32:
        return is_min ? ArgMin<float>::call : ArgMax<float>::call;
      case ElementType::f64:
        return is_min ? ArgMin<double>::call : ArgMax<double>::call;
      case ElementType::f16:
        return is_min ? ArgMin<__half>::call : ArgMax<__half>::call;
      case ElementType::i32:
        return is_min ? ArgMin<std::int32_t>::call : ArgMax<std::int32_t>::call;
      default:
        return nullptr;
    }
  }
  if (problem.op == Operator::argabsmax && problem.type == ElementType::f32) {
    return ArgMaxMagnitude::call;
  }
  return nullptr;
}

}  // namespace foldtune::bench
