#include "tuner/measure/input_pool.h"

#include <algorithm>
#include <cstring>

#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tuner/verify/reference.h"

namespace foldtune {
namespace {

using test::FakeDevice;

Problem problem_of(Operator op, ElementType type = ElementType::f32, std::uint64_t count = 1000) {
  return {.op = op, .type = type, .count = count};
}

TEST_CASE("Input pool: most operators share their inputs") {
  for (const Operator op : {Operator::min, Operator::argmax, Operator::mean, Operator::variance,
                            Operator::logsumexp, Operator::asum, Operator::nrm2}) {
    CHECK(InputPool::same_elements(problem_of(Operator::sum), problem_of(op)));
  }
}

TEST_CASE("Input pool: operators whose results need others do not, nor do other types") {
  for (const Operator op :
       {Operator::product, Operator::all, Operator::any, Operator::count_nonzero, Operator::dot}) {
    CHECK_FALSE(InputPool::same_elements(problem_of(Operator::sum), problem_of(op)));
  }
  CHECK_FALSE(InputPool::same_elements(problem_of(Operator::all), problem_of(Operator::any)));
  CHECK_FALSE(InputPool::same_elements(problem_of(Operator::sum),
                                       problem_of(Operator::sum, ElementType::f64)));
  CHECK_FALSE(InputPool::same_elements(problem_of(Operator::bit_and, ElementType::u32),
                                       problem_of(Operator::bit_or, ElementType::u32)));
  Problem zipf = problem_of(Operator::histogram, ElementType::u8);
  zipf.histogram.distribution = Distribution::zipf;
  CHECK_FALSE(InputPool::same_elements(problem_of(Operator::histogram, ElementType::u8), zipf));
}

TEST_CASE("Input pool: problems of the same elements have the same inputs") {
  constexpr std::uint64_t kCount = 3000;
  for (const ElementType type : {ElementType::f32, ElementType::u32, ElementType::i8}) {
    for (const Operator a : {Operator::sum, Operator::max, Operator::product, Operator::any,
                             Operator::bit_or, Operator::bit_xor}) {
      for (const Operator b : {Operator::sum, Operator::all, Operator::product, Operator::bit_and,
                               Operator::absmax, Operator::bit_or}) {
        const Problem one = problem_of(a, type);
        const Problem other = problem_of(b, type);
        if (!find_fault(one).empty() || !find_fault(other).empty()) continue;
        CAPTURE(name(type), static_cast<int>(a), static_cast<int>(b));
        CHECK(InputPool::same_elements(one, other) ==
              (make_input(one, 0, kCount, 1) == make_input(other, 0, kCount, 1)));
      }
    }
  }
}

TEST_CASE("Input pool: one pool serves smaller problems of other operators") {
  FakeDevice device;
  const InputPool pool(device, problem_of(Operator::sum), 1);
  CHECK(pool.serves(problem_of(Operator::min, ElementType::f32, 10)));
  CHECK_FALSE(pool.serves(problem_of(Operator::min, ElementType::f32, 2000)));
  CHECK_FALSE(pool.serves(problem_of(Operator::product, ElementType::f32, 10)));
}

TEST_CASE("Input pool: the device has what the host has, and the slices of a lap are disjoint") {
  FakeDevice device;
  const auto l2 = static_cast<std::uint64_t>(device.info().record.l2_bytes);
  for (const std::uint64_t count : {std::uint64_t{1000}, l2 / 8, l2 / 4, l2}) {
    const Problem problem = problem_of(Operator::sum, ElementType::f32, count);
    const InputPool pool(device, problem, 1);
    CHECK(static_cast<std::uint64_t>(pool.slice_count(problem)) * problem.input_bytes() >= 2 * l2);
    CHECK(std::memcmp(pool.slice(problem, 0)[0], pool.host_slice(problem)[0],
                      problem.input_bytes()) == 0);
    for (int slice = 1; slice < pool.slice_count(problem); ++slice) {
      const auto* const before = static_cast<const std::byte*>(pool.slice(problem, slice - 1)[0]);
      const auto* const next = static_cast<const std::byte*>(pool.slice(problem, slice)[0]);
      CHECK(next >= before + problem.input_bytes());
      CHECK(next + problem.input_bytes() <= pool.flush_region());
    }
  }
}

}  // namespace
}  // namespace foldtune
