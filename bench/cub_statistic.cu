#include <thrust/iterator/transform_output_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/functional>

#include "bench/cub_calls.h"

namespace foldtune::bench {
namespace {

/// Folds Statistic::map of the elements, and stores Statistic::finish of the fold.
template <class Statistic>
struct Fold {
  using Value = typename Statistic::Value;

  struct Map {
    __device__ Value operator()(float x) const { return Statistic::map(x); }
  };
  struct Combine {
    __device__ Value operator()(const Value& a, const Value& b) const {
      return Statistic::combine(a, b);
    }
  };
  struct Finish {
    std::uint32_t count;
    __host__ __device__ auto operator()(const Value& value) const {
      return Statistic::finish(value, count);
    }
  };

  static int call(void* storage, std::size_t& bytes, const CubArguments& arguments, Stream stream) {
    using Output = decltype(Finish{}(Value{}));
    const auto output = thrust::make_transform_output_iterator(
        static_cast<Output*>(arguments.output), Finish{arguments.count});
    return cub::DeviceReduce::TransformReduce(
        storage, bytes, static_cast<const float*>(arguments.inputs[0]), output, arguments.count,
        Combine{}, Map{}, Statistic::identity(), stream);
  }
};

/// What statistics that add up have in common.
template <class T>
struct Total {
  using Value = T;
  static Value identity() { return 0; }
  static __device__ Value combine(Value a, Value b) { return a + b; }
  static __host__ __device__ Value finish(Value value, std::uint32_t) { return value; }
};

struct SumOfMagnitudes : Total<float> {
  static __device__ Value map(float x) { return fabsf(x); }
};

struct Norm : Total<float> {
  static __device__ Value map(float x) { return x * x; }
  static __host__ __device__ float finish(Value value, std::uint32_t) { return sqrtf(value); }
};

struct Mean : Total<float> {
  static __device__ Value map(float x) { return x; }
  static __host__ __device__ float finish(Value value, std::uint32_t count) {
    return value / static_cast<float>(count);
  }
};

struct CountOfNonzero : Total<std::uint64_t> {
  static __device__ Value map(float x) { return x != 0 ? 1 : 0; }
};

struct Any : Total<std::uint8_t> {
  static __device__ Value map(float x) { return x != 0 ? 1 : 0; }
  static __device__ Value combine(Value a, Value b) { return a | b; }
};

struct All : Any {
  static Value identity() { return 1; }
  static __device__ Value combine(Value a, Value b) { return a & b; }
};

struct MinMax {
  struct Value {
    float least;
    float greatest;
  };
  static Value identity() { return {INFINITY, -INFINITY}; }
  static __device__ Value map(float x) { return {x, x}; }
  static __device__ Value combine(const Value& a, const Value& b) {
    return {fminf(a.least, b.least), fmaxf(a.greatest, b.greatest)};
  }
  static __host__ __device__ Value finish(const Value& value, std::uint32_t) { return value; }
};

/// Count, mean and sum of squared deviations, merged as Chan, Golub and LeVeque do.
struct Variance {
  struct Value {
    float count;
    float mean;
    float deviations;
  };
  static Value identity() { return {0, 0, 0}; }
  static __device__ Value map(float x) { return {1, x, 0}; }
  static __device__ Value combine(const Value& a, const Value& b) {
    const float count = a.count + b.count;
    if (count == 0) return a;
    const float part = b.count / count;
    const float distance = b.mean - a.mean;
    return {count, a.mean + distance * part,
            a.deviations + b.deviations + distance * distance * a.count * part};
  }
  static __host__ __device__ float finish(const Value& value, std::uint32_t) {
    return value.deviations / value.count;
  }
};

/// The maximum, and the sum of exponentials relative to it.
struct LogSumExp {
  struct Value {
    float maximum;
    float sum;
  };
  static Value identity() { return {-INFINITY, 0}; }
  static __device__ Value map(float x) { return {x, 1}; }
  static __device__ Value combine(const Value& a, const Value& b) {
    if (a.maximum >= b.maximum) {
      return {a.maximum, b.sum == 0 ? a.sum : a.sum + b.sum * __expf(b.maximum - a.maximum)};
    }
    return {b.maximum, a.sum == 0 ? b.sum : b.sum + a.sum * __expf(a.maximum - b.maximum)};
  }
  static __host__ __device__ float finish(const Value& value, std::uint32_t) {
    return value.maximum + logf(value.sum);
  }
};

}  // namespace

CubCall find_cub_statistic(const Reduction& reduction) {
  if (reduction.type != ElementType::f32) return nullptr;
  switch (reduction.op) {
    case Operator::asum:
      return Fold<SumOfMagnitudes>::call;
    case Operator::nrm2:
      return Fold<Norm>::call;
    case Operator::mean:
      return Fold<Mean>::call;
    case Operator::count_nonzero:
      return Fold<CountOfNonzero>::call;
    case Operator::all:
      return Fold<All>::call;
    case Operator::any:
      return Fold<Any>::call;
    case Operator::minmax:
      return Fold<MinMax>::call;
    case Operator::variance:
      return Fold<Variance>::call;
    case Operator::logsumexp:
      return Fold<LogSumExp>::call;
    default:
      return nullptr;
  }
}

}  // namespace foldtune::bench
