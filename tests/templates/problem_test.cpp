#include "foldtune/problem.h"

#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using enum ElementType;

/// Counts the pairs whose first element is the larger one.
CustomOperator wins() {
  return {.name = "wins",
          .inputs = {f32, u8},
          .accumulator = {{.name = "", .type = i32}},
          .map = "x > y",
          .result = i32};
}

TEST_CASE("A size class is the nearest power of two") {
  CHECK(size_class(0) == 0);
  CHECK(size_class(1) == 0);
  CHECK(size_class(2) == 1);
  CHECK(size_class(3) == 2);
  CHECK(size_class(1000) == 10);
  CHECK(size_class(1448) == 10);  // 2^10.49988
  CHECK(size_class(1449) == 11);  // 2^10.50087
  CHECK(size_class((std::uint64_t{1} << 32) + 1) == 32);
  CHECK(size_class(kMaxCount) == 40);
}

TEST_CASE("Problems are written as people write them") {
  CHECK(to_string(Problem{.op = Operator::sum, .type = f32, .count = 1 << 20}) == "sum f32 2^20");
  CHECK(to_string(Problem{.op = Operator::max, .type = i32, .count = 1000003}) ==
        "max i32 1000003");
  CHECK(to_string(Problem{.op = Operator::min, .type = f64, .count = 512}) == "min f64 512");
  CHECK(to_string(Problem{.op = Operator::sum, .type = f32, .accumulator = f64, .count = 3}) ==
        "sum f32 in f64 3");
  CHECK(to_string(Problem{
            .op = Operator::max, .type = bf16, .count = 1024, .nan_policy = NanPolicy::ignore}) ==
        "max bf16 without NaN 2^10");
  Problem problem = make_problem(wins());
  problem.count = 1 << 12;
  CHECK(to_string(problem) == "wins f32 u8 2^12");
}

TEST_CASE("A histogram is written with its shape") {
  Problem problem{.op = Operator::histogram, .type = u8, .count = 1 << 20};
  const std::string even = to_string(problem);
  CHECK_THAT(even, ContainsSubstring("histogram u8 (256 bins") && ContainsSubstring(" 2^20"));
  problem.histogram.distribution = Distribution::zipf;
  CHECK(to_string(problem) != even);
  problem.histogram = {.bins = 1000, .binning = Binning::custom};
  CHECK_THAT(to_string(problem), ContainsSubstring("1000 bins") && ContainsSubstring("custom"));
}

TEST_CASE("Histogram names are read back as what they name") {
  for (const Binning binning : {Binning::even, Binning::custom, Binning::key}) {
    CHECK(parse_binning(name(binning)) == binning);
  }
  for (const Distribution distribution :
       {Distribution::uniform, Distribution::zipf, Distribution::constant}) {
    CHECK(parse_distribution(name(distribution)) == distribution);
  }
  CHECK_FALSE(parse_binning("odd"));
  CHECK_FALSE(parse_distribution("normal"));
}

TEST_CASE("The input's bytes do not overflow at 2^32") {
  CHECK(Problem{.type = f64, .count = std::uint64_t{1} << 33}.input_bytes() == std::uint64_t{1}
                                                                                   << 36);
}

TEST_CASE("The input's bytes are those of all inputs") {
  CHECK(Problem{.type = i16, .count = 1000}.input_bytes() == 2000);
  CHECK(Problem{.op = Operator::dot, .type = i16, .count = 1000}.input_bytes() == 4000);
  Problem problem = make_problem(wins());
  CHECK(problem.type == f32);
  CHECK(problem.input_types() == std::vector{f32, u8});
  problem.count = 1000;
  CHECK(problem.input_bytes() == 1000 * (4 + 1));
}

TEST_CASE("A result is of the accumulator's type, or of the one that is asked for") {
  CHECK(Problem{.op = Operator::sum, .type = i8}.result_type() == i64);
  CHECK(Problem{.op = Operator::sum, .type = f16}.result_type() == f32);
  CHECK(Problem{.op = Operator::sum, .type = f16, .accumulator = f64}.result_type() == f64);
  CHECK(Problem{.op = Operator::sum, .type = f16, .result = f16}.result_type() == f16);
  CHECK(Problem{.op = Operator::sum, .type = f16, .result = f16}.accumulator_type() == f32);
  CHECK(Problem{.op = Operator::max, .type = u16}.result_type() == u16);
  CHECK(make_problem(wins()).result_type() == i32);
  CHECK(Problem{.op = Operator::histogram, .type = f32}.result_type() == u64);
}

TEST_CASE("An output has room for a result, and its alignment") {
  const auto check = [](const Problem& problem, std::size_t bytes, std::size_t alignment) {
    INFO(to_string(problem));
    CHECK(problem.result_bytes() == bytes);
    CHECK(problem.output_alignment() == alignment);
  };
  check({.op = Operator::sum, .type = i32}, 8, 8);
  check({.op = Operator::sum, .type = f32}, 4, 4);
  check({.op = Operator::sum, .type = bf16, .result = bf16}, 2, 2);
  check({.op = Operator::min, .type = u8}, 1, 1);
  check(make_problem(wins()), 4, 4);
  check({.op = Operator::argmin, .type = u8}, 16, 8);
  check({.op = Operator::argmax, .type = f64}, 16, 8);
  check({.op = Operator::minmax, .type = f32}, 8, 4);
  check({.op = Operator::minmax, .type = i8}, 2, 1);
  check({.op = Operator::any, .type = f64}, 1, 1);
  check({.op = Operator::mean, .type = i32}, 8, 8);
  check({.op = Operator::histogram, .type = f32}, 256 * 8, 8);
  check({.op = Operator::histogram, .type = f32, .accumulator = u32, .histogram = {.bins = 1000}},
        4000, 4);
}

TEST_CASE("Floating-point partial results depend on their order, a custom operator's too") {
  CHECK(depends_on_order(Problem{.op = Operator::sum, .type = f16}));
  CHECK(depends_on_order(Problem{.op = Operator::sum, .type = i32, .accumulator = f64}));
  CHECK_FALSE(depends_on_order(Problem{.op = Operator::sum, .type = i32}));
  CHECK_FALSE(depends_on_order(Problem{.op = Operator::max, .type = f32}));
  CHECK_FALSE(depends_on_order(make_problem(wins())));
  CustomOperator mixed = wins();
  mixed.accumulator = {{.name = "count", .type = i32}, {.name = "total", .type = f32}};
  CHECK(depends_on_order(make_problem(mixed)));
}

TEST_CASE("A number that was cast to an enumerator that there is not is a fault") {
  const std::string fault = "a number was cast to an enumerator that there is not";
  CHECK(find_fault({.op = static_cast<Operator>(250)}) == fault);
  CHECK(find_fault({.op = static_cast<Operator>(-1)}) == fault);
  CHECK(find_fault({.type = static_cast<ElementType>(77)}) == fault);
  CHECK(find_fault({.accumulator = static_cast<ElementType>(77)}) == fault);
  CHECK(find_fault({.result = static_cast<ElementType>(12)}) == fault);
  CHECK(find_fault({.determinism = static_cast<Determinism>(3)}) == fault);
  CHECK(find_fault({.nan_policy = static_cast<NanPolicy>(2)}) == fault);
  CHECK(find_fault({.op = Operator::histogram,
                    .histogram = {.binning = static_cast<Binning>(3)}}) == fault);
}

TEST_CASE("What can be reduced has no fault") {
  CHECK(find_fault({}).empty());
  for (const Determinism determinism :
       {Determinism::any, Determinism::run_to_run, Determinism::config_independent}) {
    CHECK(find_fault({.op = Operator::min, .type = f32, .determinism = determinism}).empty());
    CHECK(find_fault({.op = Operator::sum, .type = i32, .determinism = determinism}).empty());
    CHECK(find_fault({.op = Operator::sum, .type = f32, .determinism = determinism}).empty());
  }
  CHECK(find_fault({.op = Operator::sum, .type = i32, .count = kMaxCount}).empty());
  CHECK(find_fault({.op = Operator::sum, .type = f16, .accumulator = f64}).empty());
  CHECK(find_fault({.op = Operator::max, .type = f32, .nan_policy = NanPolicy::ignore}).empty());
  CHECK(find_fault({.op = Operator::argmin, .type = f16, .nan_policy = NanPolicy::ignore}).empty());
  for (const Operator op : {Operator::variance, Operator::stddev}) {
    for (const int ddof : {0, 1}) CHECK(find_fault({.op = op, .ddof = ddof}).empty());
  }
  CHECK(find_fault(make_problem(wins())).empty());
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      for (const ElementType accumulator : accumulators(op, type)) {
        const Problem problem{.op = op, .type = type, .accumulator = accumulator};
        INFO(to_string(problem));
        CHECK(find_fault(problem) == "");
      }
    }
  }
}

TEST_CASE("A result may be of a floating-point type, or of an integer's accumulator") {
  CHECK(find_fault({.op = Operator::sum, .type = f32, .result = f16}).empty());
  CHECK(find_fault({.op = Operator::sum, .type = i32, .result = f32}).empty());
  CHECK(find_fault({.op = Operator::sum, .type = i32, .result = i32}).empty());
  CHECK_THAT(find_fault({.op = Operator::sum, .type = f32, .result = i32}),
             ContainsSubstring("is no i32: ask for a floating-point result"));
}

TEST_CASE("What cannot be reduced says why") {
  CHECK(find_fault({.count = kMaxCount + 1}) ==
        "1099511627777 elements are more than the most, 2^40");
  CHECK(find_fault({.op = Operator::min, .type = f32, .accumulator = f64}) ==
        "min of f32 cannot accumulate in f64; it can in f32");
  CHECK(find_fault({.op = Operator::sum, .type = i32, .accumulator = f32}) ==
        "sum of i32 cannot accumulate in f32; it can in i64, i32, f64");
  CHECK(find_fault({.op = Operator::sum, .type = f64, .accumulator = f32}) ==
        "sum of f64 cannot accumulate in f32; it can in f64");
  CHECK(find_fault({.op = Operator::sum, .nan_policy = NanPolicy::ignore}) ==
        "sum does not compare: it has no NaN policy");
  CHECK(find_fault({.op = Operator::bit_or, .type = f32}) == "bit_or takes integers, not f32");
  CHECK(find_fault({.op = Operator::nrm2, .type = i32, .accumulator = i64}) ==
        "nrm2 of i32 cannot accumulate in i64; it can in f64");
  CHECK(find_fault({.op = Operator::argmax, .type = f16, .result = f32}) ==
        "the result of argmax is of the accumulator's type, f16");
  CHECK(find_fault({.op = Operator::minmax, .type = i32, .result = f64}) ==
        "the result of minmax is of the accumulator's type, i32");
  CHECK(find_fault({.op = Operator::variance, .ddof = 2}) ==
        "ddof is 0 (population) or 1 (sample), not 2");
  CHECK(find_fault({.op = Operator::mean, .nan_policy = NanPolicy::ignore}) ==
        "mean does not compare: it has no NaN policy");
  CHECK(find_fault({.op = Operator::sum, .ddof = 1}) ==
        "sum has no degrees of freedom: ddof is for variance and stddev");
}

TEST_CASE("A custom problem without an operator, or with types of its own, says so") {
  CHECK(find_fault({.op = Operator::custom}) == "a custom operator needs its expressions");
  Problem problem = make_problem(wins());
  problem.accumulator = f64;
  CHECK_THAT(find_fault(problem), ContainsSubstring("brings its own"));
  problem = make_problem(wins());
  problem.result = f64;
  CHECK_THAT(find_fault(problem), ContainsSubstring("brings its own"));
  CustomOperator nothing = wins();
  nothing.inputs = {};
  CHECK_THAT(find_fault(make_problem(nothing)), ContainsSubstring("wins has 0 inputs"));
}

TEST_CASE("A histogram has a sensible number of bins") {
  const auto fault_of = [](ElementType type, const HistogramShape& shape) {
    return find_fault({.op = Operator::histogram, .type = type, .histogram = shape});
  };
  CHECK(fault_of(f32, {}).empty());
  CHECK(fault_of(f64, {.bins = 2, .binning = Binning::custom}).empty());
  CHECK(fault_of(i32, {.bins = kMaxBins}).empty());
  CHECK(fault_of(u8, {.binning = Binning::key}).empty());
  CHECK(fault_of(i8, {.binning = Binning::key}).empty());
  CHECK(fault_of(f32, {.bins = 1}) == "a histogram has from 2 to 1048576 bins, not 1");
  CHECK_THAT(fault_of(f32, {.bins = kMaxBins + 1}), ContainsSubstring("not 1048577"));
  CHECK_THAT(fault_of(u16, {.binning = Binning::key}),
             ContainsSubstring("not for u16 and 256 bins"));
  CHECK_THAT(fault_of(u8, {.bins = 16, .binning = Binning::key}),
             ContainsSubstring("not for u8 and 16 bins"));
  CHECK(find_fault({.op = Operator::histogram, .accumulator = f32}) ==
        "histogram of f32 cannot accumulate in f32; it can in u64, u32");
  CHECK(find_fault({.op = Operator::histogram, .result = u32}) ==
        "the result of histogram is of the accumulator's type, u64");
}

}  // namespace
}  // namespace foldtune::test
