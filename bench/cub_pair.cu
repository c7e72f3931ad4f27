#include <cuda_fp16.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/functional>

#include "bench/cub_calls.h"

namespace foldtune::bench {
namespace {

struct Product {
  template <class Pair>
  __host__ __device__ float operator()(const Pair& pair) const {
    return static_cast<float>(thrust::get<0>(pair)) * static_cast<float>(thrust::get<1>(pair));
  }
};

struct SquaredDistance {
  template <class Pair>
  __host__ __device__ float operator()(const Pair& pair) const {
    const float distance = thrust::get<0>(pair) - thrust::get<1>(pair);
    return distance * distance;
  }
};

template <class T, class Map>
struct SumOfPairs {
  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    const auto pairs = thrust::make_zip_iterator(static_cast<const T*>(arguments.inputs[0]),
                                                 static_cast<const T*>(arguments.inputs[1]));
    return cub::DeviceReduce::TransformReduce(
        storage, bytes, pairs, static_cast<float*>(arguments.output), arguments.count,
        ::cuda::std::plus<>{}, Map{}, 0.0f, stream);
  }
};

}  // namespace

CubCall find_cub_pair(const Reduction& reduction) {
  if (reduction.op == Operator::dot && reduction.accumulator_type() == ElementType::f32) {
    if (reduction.type == ElementType::f32) return SumOfPairs<float, Product>::call;
    if (reduction.type == ElementType::f16) return SumOfPairs<__half, Product>::call;
  }
  if (reduction.op == Operator::custom && reduction.custom->name == "squared_distance") {
    return SumOfPairs<float, SquaredDistance>::call;
  }
  return nullptr;
}

}  // namespace foldtune::bench
