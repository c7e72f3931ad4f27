// Reductions of segments, through the public functions, on the CPU device.
#include "foldtune/segment_reducer.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "foldtune/foldtune.h"
#include "foldtune/foldtune.hpp"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

class SegmentReducerTest {
 protected:
  SegmentReducer reducer(Operator op, ElementType offsets = ElementType::i32) {
    return context_.segment_reducer(
        {.segment = {.op = op, .type = ElementType::f32}, .offsets = offsets});
  }

  Context context_{{.device = "cpu", .database = "/nonexistent/none.db"}};
};

TEST_CASE_METHOD(SegmentReducerTest,
                 "SegmentReducer: a list of offsets, empty segments among them") {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> offsets{0, 2, 2, 5, 6};
  std::vector<float> sums(4);
  reducer(Operator::sum)(x.data(), x.size(), offsets.data(), 4, sums.data());
  CHECK(sums == std::vector<float>{3, 0, 12, 6});
  const std::vector<std::int64_t> wide(offsets.begin(), offsets.end());
  std::vector<float> maxima(4);
  reducer(Operator::max, ElementType::i64)(x.data(), x.size(), wide.data(), 4, maxima.data());
  CHECK(maxima == std::vector<float>{2, -std::numeric_limits<float>::infinity(), 5, 6});
  std::vector<std::int64_t> places(4);
  reducer(Operator::argmax)(x.data(), x.size(), offsets.data(), 4, places.data());
  CHECK(places == std::vector<std::int64_t>{1, -1, 2, 0});
}

TEST_CASE_METHOD(SegmentReducerTest, "SegmentReducer: segments overlap, in any order") {
  std::vector<float> x(30'000);
  std::iota(x.begin(), x.end(), 0.0f);
  const std::vector<std::int32_t> begins{29'000, 0, 5, 7, -3, 29'999};
  const std::vector<std::int32_t> ends{29'002, 30'000, 8, 2, 2, 40'000};
  std::vector<float> result(6);
  const void* const inputs[] = {x.data()};
  reducer(Operator::max).reduce(inputs, x.size(), begins.data(), ends.data(), 6, result.data());
  CHECK(result ==
        std::vector<float>{29'001, 29'999, 7, -std::numeric_limits<float>::infinity(), 1, 29'999});
}

TEST_CASE_METHOD(SegmentReducerTest,
                 "SegmentReducer: several inputs, and an operator of one's own") {
  const std::vector<float> x{1, 2, 3};
  const std::vector<float> y{4, 5, 6};
  const std::vector<std::int32_t> offsets{0, 1, 3};
  std::vector<float> dots(2);
  const void* const inputs[] = {x.data(), y.data()};
  reducer(Operator::dot).reduce(inputs, 3, offsets.data(), offsets.data() + 1, 2, dots.data());
  CHECK(dots == std::vector<float>{4, 28});
  const CustomOperator custom{
      .name = "squares", .inputs = {ElementType::f32}, .map = "x * x", .combine = "a + b"};
  const SegmentReducer squares = context_.segment_reducer({.segment = make_reduction(custom)});
  std::vector<float> result(2);
  squares(y.data(), 3, offsets.data(), 2, result.data());
  CHECK(result == std::vector<float>{16, 61});
}

TEST_CASE_METHOD(SegmentReducerTest,
                 "SegmentReducer: no elements, no segments, and what cannot be") {
  const std::vector<std::int32_t> offsets{0, 0, 0};
  std::vector<float> sums(2, 7);
  const SegmentReducer sum = reducer(Operator::sum);
  sum(nullptr, 0, offsets.data(), 2, sums.data());
  CHECK(sums == std::vector<float>{0, 0});
  sum(nullptr, 0, nullptr, 0, nullptr);
  CHECK_THROWS_WITH(sum(nullptr, 1ull << 31, nullptr, 0, nullptr),
                    ContainsSubstring("offsets of i32 do not reach"));
  std::vector<float> x{1, 2, 3, 4};
  CHECK_THROWS_WITH(sum(x.data(), 4, nullptr, 2, sums.data()),
                    ContainsSubstring("the begins pointer"));
  CHECK_THROWS_WITH(sum(x.data(), 4, offsets.data(), 2, nullptr),
                    ContainsSubstring("the output pointer"));
  CHECK_THROWS_WITH(sum(x.data(), 4, offsets.data(), 2, x.data() + 1),
                    ContainsSubstring("the output lies within input 1"));
  CHECK_THROWS_WITH(sum(x.data(), 1ull << 31, offsets.data(), 2, sums.data()),
                    ContainsSubstring("offsets of i32 do not reach"));
  const void* const inputs[] = {x.data(), x.data()};
  CHECK_THROWS_WITH(sum.reduce(inputs, 4, offsets.data(), offsets.data() + 1, 2, sums.data()),
                    ContainsSubstring("it takes 1 input, not 2"));
  CHECK_THROWS_AS(context_.segment_reducer({.offsets = ElementType::f32}), InvalidArgument);
}

TEST_CASE_METHOD(SegmentReducerTest, "SegmentReducer: means and variances of nothing are NaN") {
  const std::vector<float> x{1, 3};
  const std::vector<std::int32_t> offsets{0, 0, 2};
  for (const Operator op : {Operator::mean, Operator::variance, Operator::stddev}) {
    for (const int ddof : {0, 1}) {
      if (op == Operator::mean && ddof == 1) continue;
      const SegmentReducer reducer =
          context_.segment_reducer({.segment = {.op = op, .type = ElementType::f32, .ddof = ddof}});
      std::vector<float> result(2);
      reducer(x.data(), 2, offsets.data(), 2, result.data());
      INFO(name(op) << ddof);
      CHECK(std::isnan(result[0]));
      CHECK(result[1] == (op == Operator::mean       ? 2.0f
                          : ddof == 0                ? 1.0f
                          : op == Operator::variance ? 2.0f
                                                     : std::sqrt(2.0f)));
    }
  }
}

TEST_CASE_METHOD(SegmentReducerTest, "SegmentReducer: prepares, explains, and makes promises") {
  const std::vector<float> x{1, 2, 3};
  const std::vector<std::int32_t> offsets{0, 1, 3};
  const SegmentReducer sum = reducer(Operator::sum);
  const void* const inputs[] = {x.data()};
  sum.prepare(inputs, 3, 2);
  CHECK(sum.explain(3, 2).source == ConfigSource::untuned_default);
  CHECK(to_string(sum.workload(3, 2)) == "sum f32 of segments 2x3");
  CHECK(sum.problem().segment.op == Operator::sum);
  std::vector<float> sums(2);
  sum.with_inputs_ready()(x.data(), 3, offsets.data(), 2, sums.data());
  CHECK(sums == std::vector<float>{1, 5});
}

TEST_CASE("C: reductions of segments") {
  foldtune_context* context = nullptr;
  const foldtune_context_options options = {.device = "cpu", .database = "/nonexistent/none.db"};
  REQUIRE(foldtune_context_create(&options, &context) == FOLDTUNE_OK);
  const foldtune_problem problem = {.op = "sum", .type = "f32"};
  foldtune_segment_reducer* sum = nullptr;
  CHECK(foldtune_segment_reducer_create(context, &problem, "f16", &sum) ==
        FOLDTUNE_INVALID_ARGUMENT);
  CHECK(sum == nullptr);
  REQUIRE(foldtune_segment_reducer_create(context, &problem, "i64", &sum) == FOLDTUNE_OK);
  const std::vector<float> x{1, 2, 3};
  const std::vector<std::int64_t> offsets{0, 1, 3};
  const void* const inputs[] = {x.data()};
  std::vector<float> sums(2);
  CHECK(foldtune_segment_reducer_prepare(sum, inputs, 1, 3, 2, nullptr) == FOLDTUNE_OK);
  CHECK(foldtune_segment_reduce(sum, inputs, 1, 3, offsets.data(), offsets.data() + 1, 2,
                                sums.data(), nullptr) == FOLDTUNE_OK);
  CHECK(sums == std::vector<float>{1, 5});
  foldtune_segment_reducer* ready = nullptr;
  CHECK(foldtune_segment_reducer_with_inputs_ready(sum, &ready) == FOLDTUNE_OK);
  foldtune_explanation explanation;
  CHECK(foldtune_segment_reducer_explain(ready, 3, 2, &explanation) == FOLDTUNE_OK);
  CHECK(foldtune_segment_reduce(nullptr, inputs, 1, 3, offsets.data(), offsets.data() + 1, 2,
                                sums.data(), nullptr) == FOLDTUNE_INVALID_ARGUMENT);
  foldtune_segment_reducer_destroy(ready);
  foldtune_segment_reducer_destroy(sum);
  foldtune_context_destroy(context);
}

}  // namespace
}  // namespace foldtune::test
