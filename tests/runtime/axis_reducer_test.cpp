// Reductions along axes, through the public functions, on the CPU device.
#include "foldtune/axis_reducer.h"

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "foldtune/foldtune.h"
#include "foldtune/foldtune.hpp"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

class AxisReducerTest {
 protected:
  AxisReducer reducer(Operator op, ElementType type = ElementType::f32) {
    return context_.axis_reducer({.row = {.op = op, .type = type}});
  }

  /// 0, 1, 2, ...
  static std::vector<float> count_up(std::size_t size) {
    std::vector<float> values(size);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }

  Context context_{{.device = "cpu", .database = "/nonexistent/none.db"}};
};

TEST_CASE_METHOD(AxisReducerTest, "AxisReducer: rows, columns, middle axes, and all") {
  const std::vector<float> x = count_up(2 * 3 * 4);
  const AxisReducer sum = reducer(Operator::sum);
  std::vector<float> rows(6);
  sum(x.data(), {2, 3, 4}, {2}, rows.data());
  CHECK(rows == std::vector<float>{6, 22, 38, 54, 70, 86});
  sum(x.data(), {2, 3, 4}, {-1}, rows.data());
  CHECK(rows[5] == 86);
  std::vector<float> columns(12);
  sum(x.data(), {2, 3, 4}, {0}, columns.data());
  CHECK(columns[0] == 12);
  CHECK(columns[11] == 11 + 23);
  std::vector<float> middle(8);
  sum(x.data(), {2, 3, 4}, {1}, middle.data());
  CHECK(middle == std::vector<float>{12, 15, 18, 21, 48, 51, 54, 57});
  std::vector<float> outer(3);
  sum(x.data(), {2, 3, 4}, {0, 2}, outer.data());
  CHECK(outer == std::vector<float>{6 + 54, 22 + 70, 38 + 86});
  float all = 0;
  sum(x.data(), {2, 3, 4}, {0, 1, 2}, &all);
  CHECK(all == 276);
  std::vector<float> none(24);
  sum(x.data(), {2, 3, 4}, {}, none.data());
  CHECK(none == x);
}

TEST_CASE_METHOD(AxisReducerTest, "AxisReducer: the index is that along the axis, of the first") {
  const std::vector<float> x{3, 7, 7, 1,  //
                             9, 2, 9, 9,  //
                             5, 5, 5, 8};
  std::vector<std::int64_t> of_rows(3);
  reducer(Operator::argmax)(x.data(), {3, 4}, {1}, of_rows.data());
  CHECK(of_rows == std::vector<std::int64_t>{1, 0, 3});
  std::vector<std::int64_t> of_columns(4);
  reducer(Operator::argmax)(x.data(), {3, 4}, {0}, of_columns.data());
  CHECK(of_columns == std::vector<std::int64_t>{1, 0, 1, 1});
  std::int32_t of_all = 0;
  const AxisReducer narrow =
      context_.axis_reducer({.row = {.op = Operator::argmax, .result = ElementType::i32}});
  narrow(x.data(), {3, 4}, {0, 1}, &of_all);
  CHECK(of_all == 4);
  // The same elements the other way round: the first is another one.
  const std::array<std::uint64_t, 2> extents{3, 4};
  const std::array<std::int64_t, 2> backwards{4, -1};
  const float* const last = x.data() + 3;
  const void* const inputs[] = {last};
  const std::array<int, 1> axes{1};
  reducer(Operator::argmax).reduce(inputs, ArrayLayout(extents, backwards), axes, of_rows.data());
  CHECK(of_rows == std::vector<std::int64_t>{1, 0, 0});
}

TEST_CASE_METHOD(AxisReducerTest,
                 "AxisReducer: elements are numbered in C order, whatever lies where") {
  std::vector<float> x(60);
  x[1 * 5 + 2 * 15 + 3] = 1;
  const std::array<std::uint64_t, 3> extents{3, 4, 5};
  const std::array<std::int64_t, 3> strides{5, 15, 1};  // the second axis is the outermost
  const ArrayLayout layout(extents, strides);
  const void* const inputs[] = {x.data()};
  std::int64_t index = 0;
  const std::array<int, 3> all{0, 1, 2};
  CHECK_THROWS_WITH(reducer(Operator::argmax).reduce(inputs, layout, all, &index),
                    ContainsSubstring("copy the array"));
  float sum = 0;
  reducer(Operator::sum).reduce(inputs, layout, all, &sum);
  CHECK(sum == 1);
  std::vector<std::int64_t> of_two(4);
  const std::array<int, 2> two{0, 2};
  reducer(Operator::argmax).reduce(inputs, layout, two, of_two.data());
  CHECK(of_two == std::vector<std::int64_t>{0, 0, 1 * 5 + 3, 0});
  // An operator of one's own that uses the number, backwards.
  const AxisReducer weighted =
      context_.axis_reducer({.row = make_reduction({.name = "weighted", .map = "x * i"})});
  const std::vector<float> y{1, 2, 3, 4};
  const std::array<std::uint64_t, 1> four{4};
  const std::array<std::int64_t, 1> backwards{-1};
  const void* const last[] = {y.data() + 3};
  const std::array<int, 1> axis{0};
  weighted.reduce(last, ArrayLayout(four, backwards), axis, &sum);
  CHECK(sum == 3 * 1 + 2 * 2 + 1 * 3);
}

TEST_CASE_METHOD(AxisReducerTest, "AxisReducer: slices, steps, transposed and broadcast arrays") {
  const std::vector<float> x = count_up(6 * 8);
  const AxisReducer sum = reducer(Operator::sum);
  const auto reduce = [&](std::int64_t start, std::array<std::uint64_t, 2> extents,
                          std::array<std::int64_t, 2> strides, int axis) {
    std::vector<float> results(axis == 0 ? extents[1] : extents[0]);
    const void* const inputs[] = {x.data() + start};
    const std::array<int, 1> axes{axis};
    sum.reduce(inputs, ArrayLayout(extents, strides), axes, results.data());
    return results;
  };
  CHECK(reduce(0, {6, 3}, {8, 1}, 1)[5] == 40 + 41 + 42);            // x[:, :3]
  CHECK(reduce(0, {6, 4}, {8, 2}, 1)[1] == 8 + 10 + 12 + 14);        // x[:, ::2]
  CHECK(reduce(0, {8, 6}, {1, 8}, 1)[2] == 6 * 2 + 8 * 15);          // x.T
  CHECK(reduce(47, {6, 8}, {-8, -1}, 1)[0] == 40 * 8 + 28);          // x[::-1, ::-1]
  CHECK(reduce(5, {3, 4}, {0, 0}, 0) == std::vector<float>(4, 15));  // one element
  CHECK(reduce(8, {4, 8}, {0, 1}, 0)[3] == 4 * 11);                  // one row, four times
  std::vector<float> strided(12, -1);
  const void* const inputs[] = {x.data()};
  const std::array<int, 1> axes{1};
  const std::array<std::uint64_t, 1> kept{6};
  const std::array<std::int64_t, 1> step{2};
  const ArrayLayout results(kept, step);
  sum.reduce(inputs, {6, 8}, axes, strided.data(), nullptr, &results);
  CHECK(strided == std::vector<float>{28, -1, 92, -1, 156, -1, 220, -1, 284, -1, 348, -1});
}

TEST_CASE_METHOD(AxisReducerTest, "AxisReducer: several inputs, and an operator of one's own") {
  const std::vector<float> x = count_up(6);
  const std::vector<float> y{1, 1, 1, 2, 2, 2};
  std::vector<float> dots(2);
  reducer(Operator::dot)({x.data(), y.data()}, {2, 3}, {1}, dots.data());
  CHECK(dots == std::vector<float>{3, 24});
  const AxisReducer distance =
      context_.axis_reducer({.row = make_reduction({.name = "distance",
                                                    .inputs = {ElementType::f32, ElementType::f32},
                                                    .map = "(x - y) * (x - y)",
                                                    .finish = "sqrt(a)"})});
  std::vector<float> distances(3);
  distance({x.data(), y.data()}, {2, 3}, {0}, distances.data());
  CHECK(distances[1] == 2);
}

TEST_CASE_METHOD(AxisReducerTest, "AxisReducer: no elements, and no results") {
  const AxisReducer sum = reducer(Operator::sum);
  std::vector<float> results(3, -1);
  sum(static_cast<const void*>(nullptr), {3, 0}, {1}, results.data());
  CHECK(results == std::vector<float>(3, 0));
  sum(static_cast<const void*>(nullptr), {0, 4}, {1}, static_cast<void*>(nullptr));
  CHECK_THROWS_WITH(
      reducer(Operator::mean)(static_cast<const void*>(nullptr), {0, 3}, {0}, results.data()),
      ContainsSubstring("no mean of nothing"));
  CHECK_THROWS_WITH(reducer(Operator::argmax)(results.data(), {3, 0}, {1}, results.data()),
                    ContainsSubstring("no argmax of nothing"));
}

TEST_CASE_METHOD(AxisReducerTest, "AxisReducer: what cannot be is refused in words") {
  const std::vector<float> x = count_up(24);
  std::vector<float> results(24);
  const AxisReducer sum = reducer(Operator::sum);
  CHECK_THROWS_WITH(sum(x.data(), {4, 6}, {2}, results.data()),
                    ContainsSubstring("there is no axis 2: there are 0 to 1, or -2 to -1"));
  CHECK_THROWS_WITH(sum(x.data(), {4, 6}, {1, -1}, results.data()),
                    ContainsSubstring("axis -1 is there twice"));
  CHECK_THROWS_WITH(sum(x.data(), {}, {0}, results.data()), ContainsSubstring("a number has none"));
  CHECK_THROWS_WITH(sum(x.data(), {std::uint64_t{1} << 40, 2}, {1}, results.data()),
                    ContainsSubstring("more than the most, 2^40"));
  CHECK_THROWS_WITH(sum({x.data(), x.data()}, {4, 6}, {1}, results.data()),
                    ContainsSubstring("it takes 1 input, not 2"));
  CHECK_THROWS_WITH(sum(results.data(), {4, 6}, {1}, results.data() + 3),
                    ContainsSubstring("the output lies within input 1"));
  CHECK_THROWS_WITH(sum(x.data(), {4, 6}, {1}, static_cast<void*>(nullptr)),
                    ContainsSubstring("output"));
  CHECK_THROWS_WITH(
      sum(x.data(), {std::uint64_t{1} << 32, std::uint64_t{1} << 32}, {0, 1}, results.data()),
      ContainsSubstring("more than the most, 2^40"));
  CHECK_THROWS_WITH(ArrayLayout({1, 1, 1, 1, 1, 1, 1, 1, 1}), ContainsSubstring("at most 8"));
  const std::array<std::uint64_t, 2> extents{4, 6};
  const std::array<std::int64_t, 1> one{1};
  CHECK_THROWS_WITH(ArrayLayout(extents, one), ContainsSubstring("2 dimensions with 1 strides"));
  CHECK_THROWS_WITH(
      context_.axis_reducer({.row = {.op = Operator::argmax, .result = ElementType::f32}}),
      ContainsSubstring("an index, i64 or i32, not f32"));
  CHECK_THROWS_WITH(
      context_.axis_reducer(
          {.row = {.op = Operator::sum, .determinism = Determinism::config_independent}}),
      ContainsSubstring("ask for run_to_run"));
  const std::vector<const void*> twenty(20, x.data());
  const std::array<int, 1> last_axis{1};
  CHECK_THROWS_WITH(sum.prepare(twenty, {4, 6}, last_axis), ContainsSubstring("not 20"));
  CHECK_THROWS_WITH(reducer(Operator::dot).prepare(std::span(twenty).first(1), {4, 6}, last_axis),
                    ContainsSubstring("it takes 2 inputs, not 1"));
  const std::array<std::int64_t, 2> upwards{-6, 1};
  const void* const last_row[] = {x.data() + 18};
  CHECK_THROWS_WITH(sum.reduce(last_row, ArrayLayout(extents, upwards), last_axis, nullptr),
                    ContainsSubstring("output"));
  const std::array<std::int64_t, 2> far{INT64_MIN, 1};
  CHECK_THROWS_WITH(sum.reduce(last_row, ArrayLayout(extents, far), last_axis, results.data()),
                    ContainsSubstring("beyond all memory"));
  const std::array<std::uint64_t, 1> of_rows{4};
  const std::array<std::int64_t, 1> none{0};
  const ArrayLayout in_one_place(of_rows, none);
  CHECK_THROWS_WITH(sum.reduce(last_row, {4, 6}, last_axis, results.data(), nullptr, &in_one_place),
                    ContainsSubstring("lie over one another"));
  const std::array<std::uint64_t, 5> many{2, 2, 2, 2, 2};
  const std::array<std::int64_t, 5> strides{100, 40, 15, 5, 1};
  const void* const inputs[] = {x.data()};
  const std::array<int, 2> axes{1, 3};
  CHECK_THROWS_WITH(sum.reduce(inputs, ArrayLayout(many, strides), axes, results.data()),
                    ContainsSubstring("3 dimensions are kept and 2 reduced"));
}

TEST_CASE_METHOD(AxisReducerTest, "AxisReducer: prepares, explains, and makes promises") {
  const std::vector<float> x = count_up(1000);
  std::vector<float> results(10);
  const AxisReducer sum = reducer(Operator::sum).with_inputs_ready();
  const void* const inputs[] = {x.data()};
  const std::array<int, 1> axes{1};
  sum.prepare(inputs, {10, 100}, axes);
  sum(x.data(), {10, 100}, {1}, results.data());
  CHECK(results[0] == 4950);
  const Explanation explanation = sum.explain({10, 100}, axes);
  CHECK(explanation.source == ConfigSource::untuned_default);
  CHECK(explanation.config.find("method") != std::string::npos);
  CHECK(to_string(sum.workload({10, 100}, axes)) == "sum f32 along an axis 1x1x10x100");
  CHECK(sum.problem().op == Operator::sum);
}

TEST_CASE("C: reductions along axes") {
  foldtune_context_options options{};
  options.device = "cpu";
  options.database = "/nonexistent/none.db";
  foldtune_context* context = nullptr;
  REQUIRE(foldtune_context_create(&options, &context) == FOLDTUNE_OK);
  foldtune_problem problem{};
  problem.op = "max";
  problem.type = "i32";
  foldtune_axis_reducer* reducer = nullptr;
  REQUIRE(foldtune_axis_reducer_create(context, &problem, &reducer) == FOLDTUNE_OK);
  const std::array<std::int32_t, 6> x{3, 9, 4, 8, 1, 7};
  const std::array<std::uint64_t, 2> extents{2, 3};
  const foldtune_array_layout layout{.rank = 2, .extents = extents.data(), .strides = nullptr};
  const void* const inputs[] = {x.data()};
  const int axis = -1;
  std::array<std::int32_t, 2> results{};
  CHECK(foldtune_axis_reducer_prepare(reducer, inputs, 1, &layout, &axis, 1, nullptr) ==
        FOLDTUNE_OK);
  CHECK(foldtune_axis_reduce(reducer, inputs, 1, &layout, &axis, 1, results.data(), nullptr,
                             nullptr) == FOLDTUNE_OK);
  CHECK(results == std::array<std::int32_t, 2>{9, 8});
  foldtune_explanation explanation{};
  CHECK(foldtune_axis_reducer_explain(reducer, &layout, &axis, 1, &explanation) == FOLDTUNE_OK);
  CHECK(std::string(explanation.problem) == "max i32 along an axis 1x1x2x3");
  foldtune_axis_reducer* ready = nullptr;
  CHECK(foldtune_axis_reducer_with_inputs_ready(reducer, &ready) == FOLDTUNE_OK);
  foldtune_axis_reducer_destroy(ready);
  const int wrong = 5;
  CHECK(foldtune_axis_reduce(reducer, inputs, 1, &layout, &wrong, 1, results.data(), nullptr,
                             nullptr) == FOLDTUNE_INVALID_ARGUMENT);
  CHECK_THAT(foldtune_last_error(), ContainsSubstring("there is no axis 5"));
  CHECK(foldtune_axis_reduce(reducer, inputs, 1, nullptr, &axis, 1, results.data(), nullptr,
                             nullptr) == FOLDTUNE_INVALID_ARGUMENT);
  const foldtune_array_layout deep{.rank = 1000, .extents = extents.data(), .strides = nullptr};
  CHECK(foldtune_axis_reduce(reducer, inputs, 1, &deep, &axis, 1, results.data(), nullptr,
                             nullptr) == FOLDTUNE_INVALID_ARGUMENT);
  foldtune_axis_reducer_destroy(reducer);
  foldtune_context_destroy(context);
}

}  // namespace
}  // namespace foldtune::test
