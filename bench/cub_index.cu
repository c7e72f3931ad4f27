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

template <class T, bool kIsMin>
int call_arg(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
  const auto* const input = static_cast<const T*>(arguments.inputs[0]);
  auto* const result = static_cast<Indexed<T>*>(arguments.output);
  const auto count = static_cast<std::int64_t>(arguments.count);
  if constexpr (kIsMin) {
    return cub::DeviceReduce::ArgMin(storage, bytes, input, &result->value, &result->index, count,
                                     stream);
  } else {
    return cub::DeviceReduce::ArgMax(storage, bytes, input, &result->value, &result->index, count,
                                     stream);
  }
}

struct Magnitude {
  __host__ __device__ float operator()(float x) const { return x < 0 ? -x : x; }
};

int call_argabsmax(void* storage, std::size_t& bytes, const CubArguments& arguments,
                   Stream stream) {
  auto* const result = static_cast<Indexed<float>*>(arguments.output);
  const auto input =
      thrust::make_transform_iterator(static_cast<const float*>(arguments.inputs[0]), Magnitude{});
  return cub::DeviceReduce::ArgMax(storage, bytes, input, &result->value, &result->index,
                                   static_cast<std::int64_t>(arguments.count), stream);
}

template <bool kIsMin>
CubCall find_arg(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return call_arg<float, kIsMin>;
    case ElementType::f64:
      return call_arg<double, kIsMin>;
    case ElementType::f16:
      return call_arg<__half, kIsMin>;
    case ElementType::i32:
      return call_arg<std::int32_t, kIsMin>;
    default:
      return nullptr;
  }
}

}  // namespace

CubCall find_cub_index(const Reduction& reduction) {
  if (reduction.op == Operator::argmin) return find_arg<true>(reduction.type);
  if (reduction.op == Operator::argmax) return find_arg<false>(reduction.type);
  const bool is_magnitude =
      reduction.op == Operator::argabsmax && reduction.type == ElementType::f32;
  return is_magnitude ? call_argabsmax : nullptr;
}

}  // namespace foldtune::bench
