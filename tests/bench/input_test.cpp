#include "bench/input.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/catch.h"

namespace foldtune::bench {
namespace {

constexpr std::uint64_t kCount = 1'000'003;  // several pieces, the last one short

Problem sized(Operator op, ElementType type) {
  return {.op = op, .type = type, .accumulator = type, .count = kCount};
}

/// Few calls over two slices.
SlicePlan small_plan(ElementType type) {
  const std::uint64_t bytes = kCount * size_of(type);
  return {.stride = (bytes + kSliceAlignment - 1) / kSliceAlignment * kSliceAlignment,
          .slices = 2,
          .calls = 4};
}

template <class T>
const T* slice(const HostPool& pool, const SlicePlan& plan, std::uint64_t index) {
  return reinterpret_cast<const T*>(pool.data() + index * plan.stride);
}

template <class T>
std::vector<std::byte> as_bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Every slice summed in T, in `chains` interleaved chains: a right result, as a GPU might give it.
template <class T>
std::vector<T> sums(const HostPool& pool, const SlicePlan& plan, int chains) {
  std::vector<T> results;
  for (std::uint64_t call = 0; call < plan.calls; ++call) {
    std::vector<T> partials(chains);
    const T* elements = slice<T>(pool, plan, call % plan.slices);
    for (std::uint64_t i = 0; i < kCount; ++i) partials[i % chains] += elements[i];
    T sum = 0;
    for (const T partial : partials) sum += partial;
    results.push_back(sum);
  }
  return results;
}

TEST_CASE("Floating-point elements fill [-1, 1), and integers 21 bits") {
  const HostPool floats(ElementType::f32, kCount * sizeof(float));
  const auto* f = reinterpret_cast<const float*>(floats.data());
  CHECK(*std::min_element(f, f + kCount) >= -1.0F);
  CHECK(*std::min_element(f, f + kCount) < -0.999F);
  CHECK(*std::max_element(f, f + kCount) < 1.0F);
  CHECK(*std::max_element(f, f + kCount) > 0.999F);

  const HostPool integers(ElementType::i32, kCount * sizeof(std::int32_t));
  const auto* i = reinterpret_cast<const std::int32_t*>(integers.data());
  CHECK(*std::min_element(i, i + kCount) >= -(1 << 20));
  CHECK(*std::max_element(i, i + kCount) > (1 << 20) - (1 << 10));
  CHECK(*std::max_element(i, i + kCount) < 1 << 20);
}

TEST_CASE("A sum in f32 is right whatever its order, and one lost element is found") {
  const Problem problem = sized(Operator::sum, ElementType::f32);
  const SlicePlan plan = small_plan(problem.type);
  const HostPool pool(problem.type, plan.pool_bytes());
  const std::vector<long double> references = compute_references(problem, plan, pool);
  for (const int chains : {4096, 32768}) {
    std::vector<float> results = sums<float>(pool, plan, chains);
    CHECK(find_wrong_result(problem, plan, as_bytes(results), references).empty());
    const float* elements = slice<float>(pool, plan, 3 % plan.slices);
    std::uint64_t lost = kCount / 2;
    while (std::abs(elements[lost]) < 0.1F) ++lost;
    results[3] -= elements[lost];
    CHECK_THAT(find_wrong_result(problem, plan, as_bytes(results), references),
               Catch::Matchers::ContainsSubstring("call 3"));
    results[3] = std::nanf("");
    CHECK_FALSE(find_wrong_result(problem, plan, as_bytes(results), references).empty());
  }
}

TEST_CASE("A sum in i32 wraps, and must be exact") {
  const Problem problem = sized(Operator::sum, ElementType::i32);
  const SlicePlan plan = small_plan(problem.type);
  const HostPool pool(problem.type, plan.pool_bytes());
  std::vector<std::uint32_t> results = sums<std::uint32_t>(pool, plan, 32);
  const std::vector<long double> references = compute_references(problem, plan, pool);
  CHECK(find_wrong_result(problem, plan, as_bytes(results), references).empty());
  const std::vector<long double> beyond = {0x1p32L + references[0], references[1] - 0x1p33L};
  CHECK(find_wrong_result(problem, plan, as_bytes(results), beyond).empty());
  ++results[1];
  CHECK_FALSE(find_wrong_result(problem, plan, as_bytes(results), references).empty());
}

TEST_CASE("A minimum must be exact") {
  const Problem problem = sized(Operator::min, ElementType::f64);
  const SlicePlan plan = small_plan(problem.type);
  const HostPool pool(problem.type, plan.pool_bytes());
  const std::vector<long double> references = compute_references(problem, plan, pool);
  std::vector<double> results;
  for (std::uint64_t call = 0; call < plan.calls; ++call) {
    const double* elements = slice<double>(pool, plan, call % plan.slices);
    results.push_back(*std::min_element(elements, elements + kCount));
  }
  CHECK(find_wrong_result(problem, plan, as_bytes(results), references).empty());
  results[2] = std::nextafter(results[2], 0.0);
  CHECK_FALSE(find_wrong_result(problem, plan, as_bytes(results), references).empty());
}

}  // namespace
}  // namespace foldtune::bench
