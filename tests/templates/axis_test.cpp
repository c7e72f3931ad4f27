// Reductions along axes as data: problems, merged axes, layouts, configurations, launches.
#include <array>
#include <set>
#include <string>

#include "templates/axis/launcher.h"
#include "templates/axis/merge.h"
#include "templates/axis/space.h"
#include "templates/axis/strides.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/support/axis_variants.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Array {
  std::vector<std::uint64_t> extents;
  std::vector<std::int64_t> strides{};  ///< empty: in C order

  ArrayView view() const {
    ArrayView view = c_order_view(extents);
    std::ranges::copy(strides, view.strides.begin());
    return view;
  }
};

MergedAxes merge(const Array& array, const std::vector<int>& axes, bool keeps_order = false) {
  std::string fault;
  const MergedAxes merged =
      merge_axes(array.view(), axes, results_of(array.view(), axes), keeps_order, fault);
  CHECK(fault.empty());
  return merged;
}

using Extents = std::array<std::uint64_t, 4>;
using Strides = std::array<std::int64_t, 4>;

TEST_CASE("Neighbouring axes that are all kept, or all reduced, become one") {
  CHECK(merge({{5, 7}}, {1}).shape.extents == Extents{1, 1, 5, 7});
  CHECK(merge({{5, 7}}, {0}).shape.extents == Extents{1, 5, 7, 1});
  CHECK(merge({{2, 5, 7, 3}}, {2, 3}).shape.extents == Extents{1, 1, 10, 21});
  CHECK(merge({{2, 5, 7, 3}}, {1, -2}).shape.extents == Extents{2, 35, 3, 1});
  CHECK(merge({{32, 256, 14, 14}}, {0, 2, 3}).shape.extents == Extents{1, 32, 256, 196});
  CHECK(merge({{2, 5, 7, 3}}, {1, 3}).shape.extents == Extents{2, 5, 7, 3});
  CHECK(merge({{2, 5}}, {0, 1}).shape.extents == Extents{1, 1, 1, 10});
  CHECK(merge({{2, 5}}, {}).shape.extents == Extents{1, 1, 10, 1});
  CHECK(merge({{}}, {}).shape.extents == Extents{1, 1, 1, 1});
  CHECK(merge({{1, 5, 1, 7, 1}}, {0, 3}).shape.extents == Extents{1, 1, 5, 7});
}

TEST_CASE("Axes are in the order in which memory is read best") {
  // A transposed array, whose rows are columns.
  CHECK(merge({{7, 5}, {1, 7}}, {1}).shape.extents == Extents{1, 5, 7, 1});
  // Backwards along both axes: from the other end.
  const MergedAxes backwards = merge({{5, 7}, {-7, -1}}, {1});
  CHECK(backwards.shape.extents == Extents{1, 1, 5, 7});
  CHECK(backwards.strides.input == Strides{0, 0, 7, 1});
  CHECK(backwards.input_start == -34);
  CHECK(backwards.output_start == 4);
  CHECK(backwards.strides.output[1] == -1);
  // Where elements are numbered, the reduced axis keeps its direction.
  CHECK(merge({{5, 7}, {-7, -1}}, {1}, true).strides.input[3] == -1);
  // A slice has gaps, and a step of whole lines has none.
  CHECK(merge({{4, 5, 3}, {35, 7, 1}}, {2}).shape.extents == Extents{1, 1, 20, 3});
  CHECK(merge({{4, 3, 7}, {70, 14, 1}}, {2}).shape.extents == Extents{4, 1, 3, 7});
}

TEST_CASE("Axes that cannot be are named") {
  const auto fault_of = [](const Array& array, const std::vector<int>& axes,
                           const std::vector<std::uint64_t>& results) {
    std::string fault;
    merge_axes(array.view(), axes, c_order_view(results), false, fault);
    return fault;
  };
  CHECK_THAT(fault_of({{5, 7}}, {2}, {5}), ContainsSubstring("there is no axis 2"));
  CHECK_THAT(fault_of({{5, 7}}, {-3}, {5}), ContainsSubstring("there is no axis -3"));
  CHECK_THAT(fault_of({{5, 7}}, {0, -2}, {7}), ContainsSubstring("axis -2 is there twice"));
  CHECK_THAT(fault_of({{5, 7}}, {1}, {6}), ContainsSubstring("the results are (5), and not (6)"));
  CHECK_THAT(fault_of({{2, 2, 2, 2, 2}, {100, 40, 15, 5, 1}}, {1, 3}, {2, 2, 2}),
             ContainsSubstring("3 dimensions are kept"));
}

/// The layout of a call on an array at an address.
std::string layout_of(const AxisReduction& reduction, const Shape& shape, const Strides& strides,
                      std::uintptr_t address) {
  const AxisStrides of_call{.input = strides, .output = {}};
  Call call{.shape = shape, .arguments = {}};
  call.arguments[1] = reinterpret_cast<void*>(address);
  call.arguments[2] = Launches::address(of_call);
  return std::string(
      axis_family().layouts()[static_cast<std::size_t>(axis_family().layout(reduction, call))]);
}

TEST_CASE("The layout tells gaps, steps and where lines begin") {
  const AxisReduction sum{.row = {.type = ElementType::f32}};
  const auto rows = [&](std::uint64_t length, Strides strides, std::uintptr_t address = 4096) {
    return layout_of(sum, {{1, 1, 5, length}}, strides, address);
  };
  CHECK(rows(32, {0, 0, 32, 1}) == "vector");
  CHECK(rows(33, {0, 0, 33, 1}) == "element");
  CHECK(rows(32, {0, 0, 32, 1}, 4100) == "element");
  CHECK(rows(32, {0, 0, 64, 1}) == "pitched_vector");
  CHECK(rows(33, {0, 0, 64, 1}) == "pitched");  // a row ends between two vectors
  CHECK(rows(32, {0, 0, 33, 1}) == "pitched");
  CHECK(rows(32, {0, 0, 64, 2}) == "strided");
  const auto columns = [&](std::uint64_t width, Strides strides) {
    return layout_of(sum, {{1, 5, width, 1}}, strides, 4096);
  };
  CHECK(columns(32, {0, 32, 1, 0}) == "vector");
  CHECK(columns(33, {0, 33, 1, 0}) == "element");
  CHECK(columns(32, {0, 64, 1, 0}) == "pitched_vector");
  CHECK(columns(33, {0, 64, 1, 0}) == "pitched");  // the last vector would go beyond the line
  CHECK(columns(32, {0, 1, 5, 0}) == "strided");
}

TEST_CASE("The untuned default is valid for every problem, shape and layout") {
  constexpr std::array<std::uint64_t, 10> kExtents{
      1, 2, 3, 17, 100, 1000, 4096, 151'936, 1 << 20, std::uint64_t{1} << 31};
  std::uint64_t seen = 0;
  for (const AxisReduction& problem : all_axis_reductions()) {
    if (++seen % 7 != 0) continue;
    for (const std::uint64_t length : kExtents) {
      for (const std::uint64_t results : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{333}}) {
        for (const Shape& shape :
             {Shape{{1, 1, results, length}}, Shape{{1, length, results, 1}},
              Shape{{results, length, 3, 1}}, Shape{{1, 2, results, length}}}) {
          for (int layout = 0; layout < 5; ++layout) {
            AxisReduction reduction = problem;
            reduction.shape = shape;
            reduction.alignment = static_cast<AxisAlignment>(layout);
            const AxisParams params = default_axis_params(reduction, 132);
            INFO(to_string(Workload(reduction)) << " " << to_json(params));
            REQUIRE(is_valid(reduction, params));
          }
        }
      }
    }
  }
}

TEST_CASE("Whatever is valid for a shape can be called with every smaller one") {
  const AxisReduction sum{.row = {.type = ElementType::f32}};
  for (const Variant& variant : random_variants(sum, 40, 3)) {
    const AxisLauncher launcher(axis_reduction_of(variant.workload), axis_params(variant.params),
                                /*resident_blocks=*/200);
    const Shape most = axis_family().max_shape(bucket_of(variant.workload));
    for (const Shape& shape : {most, Shape{{1, 1, 1, 1}}, Shape{{0, 3, 5, 1}}, Shape{{2, 3, 0, 1}},
                               Shape{{2, 0, 5, 1}}, Shape{{most[0], 1, most[2], most[3] / 2}}}) {
      CHECK(launcher.scratch_bytes(shape) <= launcher.max_scratch_bytes(most));
      const Call call{.shape = shape, .arguments = {}};
      Launches launches;
      launcher.fill(call, nullptr, launches);
      REQUIRE(launches.size() == 1);
      CHECK(launches.begin()->grid.x >= 1);
      CHECK(launches.begin()->block.count() == launcher.block_size());
    }
  }
}

TEST_CASE(
    "Scratch is enough for every shape of a bucket, whatever number of blocks share a result") {
  for (const int splits : {4, 64, 512}) {
    const AxisParams params{.method = AxisMethod::rows,
                            .block_size = 32,
                            .vector_width = 1,
                            .unroll = 1,
                            .group = 32,
                            .splits = splits};
    for (std::uint64_t rows = 300; rows < 3'000'000; rows += rows / 7) {
      const AxisReduction reduction{.row = {}, .shape = {{1, 1, rows, 1 << 16}}};
      const Shape most = axis_family().max_shape(axis_family().bucket(reduction.shape));
      const AxisLauncher launcher(reduction, params, 1);
      CHECK(launcher.scratch_bytes(reduction.shape) <= launcher.max_scratch_bytes(most));
      CHECK(launcher.max_scratch_bytes(most) <= 16 << 20);
    }
  }
}

TEST_CASE("A search finds a few thousand configurations, and no two that launch the same") {
  for (const Shape& shape :
       {Shape{{1, 1, 65536, 1024}}, Shape{{1, 65536, 1024, 1}}, Shape{{4096, 8, 3, 1}}}) {
    const AxisReduction sum{.row = {.type = ElementType::f32}, .shape = shape};
    std::set<std::string> texts;
    for (const Config& config : Space(sum).enumerate()) texts.insert(to_json(config));
    CHECK(texts.size() > 100);
    CHECK(texts.size() < 20'000);
    CHECK(texts.contains(to_json(default_axis_params(sum, 132))));
  }
}

TEST_CASE("Problems along axes say what cannot be") {
  const auto fault = [](const Reduction& row) {
    return find_fault(Problem(AxisReduction{.row = row}));
  };
  CHECK(fault({.op = Operator::argmax}).empty());
  CHECK(AxisReduction{.row = {.op = Operator::argmax}}.operator Problem() ==
        Problem(AxisReduction{.row = {.op = Operator::argmax, .result = ElementType::i64}}));
  CHECK_THAT(fault({.op = Operator::argmax, .result = ElementType::f32}),
             ContainsSubstring("an index, i64 or i32"));
  CHECK_THAT(fault({.op = Operator::bit_and}), ContainsSubstring("takes integers"));
  CHECK(fault({.op = Operator::max, .determinism = Determinism::config_independent}).empty());
  CHECK_THAT(fault({.determinism = Determinism::config_independent}),
             ContainsSubstring("ask for run_to_run"));
  CHECK_THAT(axis_family().find_fault(AxisReduction{}, Shape{{1, 1 << 21, 1 << 20, 1}}),
             ContainsSubstring("more than the most, 2^40"));
  const AxisReduction narrow{.row = {.op = Operator::argmax, .result = ElementType::i32}};
  CHECK(axis_family().find_fault(narrow, Shape{{1, 1, 1, INT32_MAX}}).empty());
  CHECK_THAT(axis_family().find_fault(narrow, Shape{{1, 1, 1, std::uint64_t{1} << 31}}),
             ContainsSubstring("ask for i64"));
  CHECK_THROWS_AS(axis_reduction_of(Problem(Reduction{})), std::logic_error);
  CHECK_THROWS_AS(reduction_of(Problem(AxisReduction{})), std::logic_error);
}

}  // namespace
}  // namespace foldtune::test
