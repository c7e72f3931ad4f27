#include "tuner/measure/input_pool.h"

#include <algorithm>
#include <cstring>

#include "foldtune/segment_reduction.h"
#include "templates/fold/judge/reference.h"
#include "templates/histogram/judge/histogram_input.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"

namespace foldtune {
namespace {

using test::FakeDevice;

/// The place of the first input among the arguments.
constexpr std::size_t kInput = 1;

Reduction problem_of(Operator op, ElementType type = ElementType::f32, std::uint64_t count = 1000) {
  return {.op = op, .type = type, .count = count};
}

TEST_CASE("Input pool: most operators share their inputs") {
  for (const Operator op : {Operator::min, Operator::argmax, Operator::mean, Operator::variance,
                            Operator::logsumexp, Operator::asum, Operator::nrm2}) {
    CHECK(InputPool::has_same_inputs(problem_of(Operator::sum), problem_of(op)));
  }
}

TEST_CASE("Input pool: operators whose results need others do not, nor do other types") {
  for (const Operator op : {Operator::product, Operator::all, Operator::any,
                            Operator::count_nonzero, Operator::nansum, Operator::dot}) {
    CHECK_FALSE(InputPool::has_same_inputs(problem_of(Operator::sum), problem_of(op)));
  }
  CHECK_FALSE(InputPool::has_same_inputs(problem_of(Operator::all), problem_of(Operator::any)));
  CHECK_FALSE(InputPool::has_same_inputs(problem_of(Operator::sum),
                                         problem_of(Operator::sum, ElementType::f64)));
  CHECK_FALSE(InputPool::has_same_inputs(problem_of(Operator::bit_and, ElementType::u32),
                                         problem_of(Operator::bit_or, ElementType::u32)));
  const HistogramWorkload uniform{.type = ElementType::u8};
  HistogramWorkload zipf = uniform;
  zipf.distribution = Distribution::zipf;
  CHECK_FALSE(InputPool::has_same_inputs(uniform, zipf));
  CHECK_FALSE(InputPool::has_same_inputs(uniform, problem_of(Operator::sum, ElementType::u8)));
}

TEST_CASE("Input pool: problems of the same elements have the same inputs") {
  constexpr std::uint64_t kCount = 3000;
  for (const ElementType type : {ElementType::f32, ElementType::u32, ElementType::i8}) {
    for (const Operator a : {Operator::sum, Operator::max, Operator::product, Operator::any,
                             Operator::bit_or, Operator::bit_xor}) {
      for (const Operator b : {Operator::sum, Operator::all, Operator::product, Operator::bit_and,
                               Operator::absmax, Operator::bit_or}) {
        const Reduction one = problem_of(a, type);
        const Reduction other = problem_of(b, type);
        if (!find_fault(one).empty() || !find_fault(other).empty()) continue;
        CAPTURE(name(type), static_cast<int>(a), static_cast<int>(b));
        CHECK(InputPool::has_same_inputs(one, other) ==
              (make_input(one, 0, kCount, 1) == make_input(other, 0, kCount, 1)));
      }
    }
  }
}

TEST_CASE("Input pool: one pool serves smaller problems of other operators") {
  FakeDevice device;
  const InputPool pool(device, problem_of(Operator::sum), 1);
  CHECK(pool.serves(problem_of(Operator::min, ElementType::f32, 10)));
  CHECK_FALSE(pool.serves(problem_of(Operator::min, ElementType::f32, std::uint64_t{1} << 32)));
  CHECK_FALSE(pool.serves(problem_of(Operator::product, ElementType::f32, 10)));
}

TEST_CASE("Input pool: the device has what the host has, and the slices of a lap are disjoint") {
  FakeDevice device;
  const auto l2 = static_cast<std::uint64_t>(device.info().record.l2_bytes);
  for (const std::uint64_t count : {std::uint64_t{1000}, l2 / 8, l2 / 4, l2}) {
    const Reduction problem = problem_of(Operator::sum, ElementType::f32, count);
    const InputPool pool(device, problem, 1);
    const InputPool::Slices slices = pool.slices(problem);
    CHECK(static_cast<std::uint64_t>(slices.count()) * problem.input_bytes() >= 2 * l2);
    CHECK(std::memcmp(slices.at(0)[kInput], pool.host_slice(problem)[kInput],
                      problem.input_bytes()) == 0);
    for (int slice = 1; slice < slices.count(); ++slice) {
      const auto* const before = static_cast<const std::byte*>(slices.at(slice - 1)[kInput]);
      const auto* const next = static_cast<const std::byte*>(slices.at(slice)[kInput]);
      CHECK(next >= before + problem.input_bytes());
      CHECK(next + problem.input_bytes() <= pool.flush_region());
    }
  }
}

TEST_CASE("Input pool: slices have the addresses of the layout") {
  FakeDevice device;
  for (const Alignment alignment : {Alignment::vector, Alignment::element}) {
    Reduction dot = problem_of(Operator::dot, ElementType::f32, 1000);
    dot.alignment = alignment;
    const InputPool pool(device, dot, 1);
    const InputPool::Slices slices = pool.slices(dot);
    REQUIRE(slices.count() > 2);
    for (int slice = 0; slice < 3; ++slice) {
      const auto arguments = slices.at(slice);
      CHECK(arguments[0] == nullptr);  // the output is the caller's
      const auto address = reinterpret_cast<std::uintptr_t>(arguments[kInput]);
      CHECK((address % 16 == 0) == (alignment == Alignment::vector));
      CHECK(address % 4 == 0);
    }
  }
}

TEST_CASE("Input pool: offsets of segments are made for each shape") {
  FakeDevice device;
  SegmentReduction sum{.segment = {.type = ElementType::f32}, .segments = 100, .elements = 5000};
  const InputPool pool(device, sum, 1);
  constexpr std::size_t kBegins = 2;
  constexpr std::size_t kEnds = 3;
  for (const std::uint64_t segments : {100, 7, 100, 30, 9}) {
    sum.segments = segments;
    REQUIRE(pool.serves(sum));
    const InputPool::Arguments on_host = pool.host_slice(sum);
    const InputPool::Slices slices = pool.slices(sum);
    REQUIRE(slices.count() > 1);
    CHECK(slices.at(0)[kBegins] == slices.at(1)[kBegins]);
    CHECK(std::memcmp(slices.at(0)[kEnds], on_host[kEnds], segments * sizeof(std::int32_t)) == 0);
    const auto* const begins = static_cast<const std::int32_t*>(on_host[kBegins]);
    const auto* const ends = static_cast<const std::int32_t*>(on_host[kEnds]);
    CHECK(begins[0] == 0);
    CHECK(ends[segments - 1] == 5000);
    for (std::uint64_t i = 0; i + 1 < segments; ++i) {
      CHECK(begins[i] <= ends[i]);
      CHECK(ends[i] == begins[i + 1]);
    }
  }
}

TEST_CASE("Input pool: the edges of bins are the same for all slices, and whole") {
  FakeDevice device;
  const HistogramWorkload histogram{.binning = Binning::custom, .count = 1000};
  const InputPool pool(device, histogram, 1);
  const InputPool::Slices slices = pool.slices(histogram);
  constexpr std::size_t kEdges = 2;
  REQUIRE(slices.count() > 1);
  CHECK(slices.at(0)[kEdges] == slices.at(1)[kEdges]);
  CHECK(slices.at(0)[kInput] != slices.at(1)[kInput]);
  const std::vector<std::byte> edges = tuning_edges(histogram);
  CHECK(std::memcmp(pool.host_slice(histogram)[kEdges], edges.data(), edges.size()) == 0);
}

}  // namespace
}  // namespace foldtune
