#include "foldtune/reduction.h"

#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using enum ElementType;

/// Counts the pairs whose first element is the larger one.
CustomOperator wins() {
  return {.name = "wins",
          .inputs = {f32, u8},
          .accumulator = {{.name = "", .type = i32}},
          .map = "x > y",
          .result = i32};
}

TEST_CASE("Reductions are written as people write them") {
  CHECK(to_string(Reduction{.op = Operator::sum, .type = f32, .count = 1 << 20}) == "sum f32 2^20");
  CHECK(to_string(Reduction{.op = Operator::max, .type = i32, .count = 1000003}) ==
        "max i32 1000003");
  CHECK(to_string(Reduction{.op = Operator::min, .type = f64, .count = 512}) == "min f64 512");
  CHECK(to_string(Reduction{.op = Operator::sum, .type = f32, .accumulator = f64, .count = 3}) ==
        "sum f32 in f64 3");
  CHECK(to_string(Reduction{
            .op = Operator::max, .type = bf16, .count = 1024, .nan_policy = NanPolicy::ignore}) ==
        "max bf16 without NaN 2^10");
  Reduction reduction = make_reduction(wins());
  reduction.count = 1 << 12;
  CHECK(to_string(reduction) == "wins f32 u8 2^12");
  CHECK(to_string(Reduction{.op = Operator::variance, .type = i32, .result = f32, .ddof = 1}) ==
        "variance i32 to f32 (ddof 1) 0");
  CHECK(to_string(Reduction{.count = 7, .determinism = Determinism::any}) == "sum f32, any 7");
}

TEST_CASE("The input's bytes do not overflow at 2^32") {
  CHECK(Reduction{.type = f64, .count = std::uint64_t{1} << 33}.input_bytes() == std::uint64_t{1}
                                                                                     << 36);
}

TEST_CASE("The input's bytes are those of all inputs") {
  CHECK(Reduction{.type = i16, .count = 1000}.input_bytes() == 2000);
  CHECK(Reduction{.op = Operator::dot, .type = i16, .count = 1000}.input_bytes() == 4000);
  Reduction reduction = make_reduction(wins());
  CHECK(reduction.type == f32);
  CHECK(reduction.input_types() == std::vector{f32, u8});
  reduction.count = 1000;
  CHECK(reduction.input_bytes() == 1000 * (4 + 1));
}

TEST_CASE("A result is of the accumulator's type, or of the one that is asked for") {
  CHECK(Reduction{.op = Operator::sum, .type = i8}.result_type() == i64);
  CHECK(Reduction{.op = Operator::sum, .type = f16}.result_type() == f32);
  CHECK(Reduction{.op = Operator::sum, .type = f16, .accumulator = f64}.result_type() == f64);
  CHECK(Reduction{.op = Operator::sum, .type = f16, .result = f16}.result_type() == f16);
  CHECK(Reduction{.op = Operator::sum, .type = f16, .result = f16}.accumulator_type() == f32);
  CHECK(Reduction{.op = Operator::max, .type = u16}.result_type() == u16);
  CHECK(make_reduction(wins()).result_type() == i32);
}

TEST_CASE("An output has room for a result, and its alignment") {
  const auto check = [](const Reduction& reduction, std::size_t bytes, std::size_t alignment) {
    INFO(to_string(reduction));
    CHECK(reduction.result_bytes() == bytes);
    CHECK(reduction.output_alignment() == alignment);
  };
  check({.op = Operator::sum, .type = i32}, 8, 8);
  check({.op = Operator::sum, .type = f32}, 4, 4);
  check({.op = Operator::sum, .type = bf16, .result = bf16}, 2, 2);
  check({.op = Operator::min, .type = u8}, 1, 1);
  check(make_reduction(wins()), 4, 4);
  check({.op = Operator::argmin, .type = u8}, 16, 8);
  check({.op = Operator::argmax, .type = f64}, 16, 8);
  check({.op = Operator::minmax, .type = f32}, 8, 4);
  check({.op = Operator::minmax, .type = i8}, 2, 1);
  check({.op = Operator::any, .type = f64}, 1, 1);
  check({.op = Operator::mean, .type = i32}, 8, 8);
}

TEST_CASE("Floating-point partial results depend on their order, a custom operator's too") {
  CHECK(depends_on_order(Reduction{.op = Operator::sum, .type = f16}));
  CHECK(depends_on_order(Reduction{.op = Operator::sum, .type = i32, .accumulator = f64}));
  CHECK_FALSE(depends_on_order(Reduction{.op = Operator::sum, .type = i32}));
  CHECK_FALSE(depends_on_order(Reduction{.op = Operator::max, .type = f32}));
  CHECK_FALSE(depends_on_order(make_reduction(wins())));
  CustomOperator mixed = wins();
  mixed.accumulator = {{.name = "count", .type = i32}, {.name = "total", .type = f32}};
  CHECK(depends_on_order(make_reduction(mixed)));
}

TEST_CASE("What can be reduced has no fault") {
  CHECK(find_fault(Reduction{}).empty());
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
  CHECK(find_fault(make_reduction(wins())).empty());
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      for (const ElementType accumulator : accumulators(op, type)) {
        const Reduction reduction{.op = op, .type = type, .accumulator = accumulator};
        INFO(to_string(reduction));
        CHECK(find_fault(reduction) == "");
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
  CHECK(find_fault(Reduction{.count = kMaxCount + 1}) ==
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
  Reduction reduction = make_reduction(wins());
  reduction.accumulator = f64;
  CHECK_THAT(find_fault(reduction), ContainsSubstring("brings its own"));
  reduction = make_reduction(wins());
  reduction.result = f64;
  CHECK_THAT(find_fault(reduction), ContainsSubstring("brings its own"));
  CustomOperator nothing = wins();
  nothing.inputs = {};
  CHECK_THAT(find_fault(make_reduction(nothing)), ContainsSubstring("wins has 0 inputs"));
  nothing = wins();
  nothing.accumulator = {};
  CHECK_THAT(find_fault(make_reduction(nothing)), ContainsSubstring("from 1 to 8 fields"));
  reduction = make_reduction(wins());
  reduction.nan_policy = NanPolicy::ignore;
  CHECK(find_fault(reduction) == "a custom operator has no NaN policy");
  reduction = make_reduction(wins());
  reduction.ddof = 1;
  CHECK(find_fault(reduction) == "a custom operator has no degrees of freedom");
}

/// Read back from its text.
std::optional<Problem> reread(const Problem& problem) {
  return problem_of(problem.family(), field_text(problem));
}

TEST_CASE("A reduction's text has its types, and what is not as usual") {
  CHECK(field_text(Reduction{}) == "op=sum type=f32 accumulator=f32 result=f32");
  CHECK(field_text(Reduction{.op = Operator::max,
                             .type = i16,
                             .determinism = Determinism::any,
                             .nan_policy = NanPolicy::ignore}) ==
        "op=max type=i16 accumulator=i16 result=i16 determinism=any nan=ignore");
  CHECK(field_text(Reduction{.op = Operator::stddev, .type = u8, .result = f16, .ddof = 1}) ==
        "op=stddev type=u8 accumulator=f64 result=f16 ddof=1");
}

TEST_CASE("What follows and what is said are the same reduction") {
  const Reduction follows{.op = Operator::sum, .type = i8};
  const Reduction said{.op = Operator::sum, .type = i8, .accumulator = i64, .result = i64};
  CHECK(Problem(follows) == Problem(said));
  CHECK(field_text(follows) == field_text(said));
  Problem nothing(reduce_family());
  reduce_family().complete(nothing);
  CHECK(nothing == Problem(Reduction{}));
}

TEST_CASE("Every reduction comes back from its text, and as a struct") {
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      for (const ElementType accumulator : accumulators(op, type)) {
        for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::ignore}) {
          const Problem problem = Reduction{.op = op,
                                            .type = type,
                                            .accumulator = accumulator,
                                            .determinism = Determinism::config_independent,
                                            .nan_policy = policy,
                                            .ddof = has_ddof(op) ? 1 : 0};
          INFO(field_text(problem));
          CHECK(reread(problem) == problem);
          CHECK(Problem(reduction_of(problem)) == problem);
        }
      }
    }
  }
}

TEST_CASE("A workload is a reduction with its count and alignment") {
  const Workload workload = Reduction{.type = f64, .count = 12345, .alignment = Alignment::element};
  CHECK(workload.shape == Shape{{12345}});
  CHECK(workload.problem.family().layouts()[workload.layout] == "element");
  const Reduction reduction = reduction_of(workload);
  CHECK(reduction.type == f64);
  CHECK(reduction.count == 12345);
  CHECK(reduction.alignment == Alignment::element);
  CHECK(Workload(reduction) == workload);
}

TEST_CASE("The text of a custom operator has its name, its hash and all its types") {
  CustomOperator mixed = wins();
  mixed.accumulator = {{.name = "count", .type = i32}, {.name = "total", .type = f32}};
  const Problem problem = make_reduction(mixed);
  CHECK(field_text(problem) ==
        "op=wins:" + mixed.hash() + " type=f32,u8 accumulator=i32,f32 result=i32");
  const std::optional<Problem> copy = reread(problem);
  REQUIRE(copy);
  const Reduction reduction = reduction_of(*copy);
  CHECK(reduction.op == Operator::custom);
  REQUIRE(reduction.custom != nullptr);
  CHECK(reduction.custom->name == "wins");
  CHECK(reduction.input_types() == std::vector{f32, u8});
  CHECK(reduction.custom->accumulator_bytes() == 8);
  CHECK(reduction.result_type() == i32);
  CHECK(to_string(*copy) == to_string(problem));
  CHECK(find_fault(*copy).empty());  // names of its fields are no part of the text
}

TEST_CASE("Custom operators are equal that are kept under one text") {
  const Problem problem = make_reduction(wins());
  CHECK(problem == Problem(make_reduction(wins())));
  const auto changed = [](const auto& change) {
    CustomOperator op = wins();
    change(op);
    return Problem(make_reduction(op));
  };
  for (const Problem& other : {changed([](CustomOperator& op) { op.map = "x < y"; }),
                               changed([](CustomOperator& op) { op.name = "losses"; })}) {
    CHECK_FALSE(other == problem);
    CHECK(field_text(other) != field_text(problem));
  }
  const Problem tolerant = changed([](CustomOperator& op) { op.tolerance = 1; });
  CHECK(tolerant == problem);
  CHECK(field_text(tolerant) == field_text(problem));

  // Set by whoever does not know the family.
  Problem set(reduce_family());
  const Field& op = reduce_family().fields().front();
  REQUIRE(reduce_family().parse(set, op, "custom"));
  set.set_custom(std::make_shared<const CustomOperator>(wins()));
  reduce_family().complete(set);
  CHECK(set == problem);
}

TEST_CASE("Texts of no reduction are none") {
  const auto is_known = [](std::string_view text) {
    return problem_of(reduce_family(), text).has_value();
  };
  CHECK(is_known("op=sum type=f32 accumulator=f32 result=f32"));
  CHECK(is_known("result=f32 accumulator=f32 op=sum type=f32"));
  CHECK(is_known("op=wins:0123456789abcdef type=f32,u8 accumulator=i32 result=i32"));
  CHECK(is_known("accumulator=i32 op=wins:0123456789abcdef result=i32 type=f32,u8"));
  for (const char* text : {"op=median type=f32",
                           "op=sum type=f31",
                           "op=sum type=f32,u8",
                           "op=sum type=f32 bins=3",
                           "op=sum op=sum",
                           "op=sum  type=f32",
                           "op=sum ",
                           " op=sum",
                           "op=",
                           "op",
                           "ddof=2",
                           "ddof=-1",
                           "ddof=x",
                           "ddof=1x",
                           "ddof=",
                           "nan=maybe",
                           "op=custom",
                           "op=custom type=f32",
                           "op=wins:01 type=f32,x",
                           "op=wins:01 type=",
                           "op=wins:01 type=f32,",
                           "op=wins:01 type=f32 result=f32,f32",
                           "op=wins:01"}) {
    INFO(text);
    CHECK_FALSE(is_known(text));
  }
}

TEST_CASE("A reduction of which nothing is said has a fault, and no text") {
  Problem problem(reduce_family());
  CHECK(find_fault(problem) == "op has to be said: What is computed [sum]");
  CHECK(field_text(problem).empty());
}

TEST_CASE("Calls take the result and the inputs") {
  const Problem dot = Reduction{.op = Operator::dot, .type = f16};
  const std::vector<Argument> arguments = reduce_family().arguments(dot);
  REQUIRE(arguments.size() == 3);
  CHECK(arguments[0].access == Access::output);
  CHECK(output_place(dot) == 0);
  for (const std::size_t i : {1, 2}) {
    CHECK(arguments[i].access == Access::input);
    CHECK(arguments[i].type == f16);
    CHECK(arguments[i].element_bytes == 2);
    CHECK(arguments[i].alignment == 2);
  }
  const Workload workload{.problem = dot, .shape = {{1000}}};
  CHECK(input_bytes(workload) == 4000);
  CHECK(output_bytes(workload) == 4);
  CHECK(input_bytes(Workload(make_reduction(wins()))) == 0);
  CHECK(reduce_family().arguments(make_reduction(wins())).size() == 3);

  const Argument index = reduce_family().arguments(Reduction{.op = Operator::argmin}).front();
  CHECK(index.element_bytes == 16);
  CHECK(index.alignment == 8);
}

TEST_CASE("The inputs' addresses are the layout of a call, whatever the output's") {
  const Problem dot = Reduction{.op = Operator::dot};
  const auto layout = [&](std::uintptr_t output, std::uintptr_t x, std::uintptr_t y) {
    Call call;
    call.arguments = {reinterpret_cast<void*>(output), reinterpret_cast<void*>(x),
                      reinterpret_cast<void*>(y)};
    return reduce_family().layouts()[reduce_family().layout(dot, call)];
  };
  CHECK(layout(0x1004, 0x2000, 0x3010) == "vector");
  CHECK(layout(0x1000, 0x2004, 0x3010) == "element");
  CHECK(layout(0x1000, 0x2000, 0x3008) == "element");
}

TEST_CASE("There is no call on more than the most, and none on nothing without a result of it") {
  const auto fault = [](const Reduction& reduction) {
    return reduce_family().find_call_fault(reduction, {{reduction.count}});
  };
  CHECK(fault({.op = Operator::argmax, .count = 1}).empty());
  CHECK(fault({.op = Operator::sum, .count = 0}).empty());
  CHECK_THAT(fault({.op = Operator::argmax, .count = 0}),
             ContainsSubstring("there is no argmax of nothing"));
  CHECK_THAT(fault({.op = Operator::sum, .count = kMaxCount + 1}), ContainsSubstring("2^40"));
  // Whatever the count is, there is such a reducer.
  CHECK(find_fault(Reduction{.op = Operator::argmax, .count = 0}).empty());
}

TEST_CASE("An operator of one's own beside another operator is a fault") {
  CHECK_THAT(find_fault(Reduction{.op = Operator::sum,
                                  .custom = std::make_shared<const CustomOperator>()}),
             ContainsSubstring("the operator sum and one of its own"));
}

TEST_CASE("A number that was cast to an enumerator that there is not is a fault") {
  const std::string fault = "a number was cast to an enumerator that there is not";
  CHECK(find_fault(Reduction{.op = static_cast<Operator>(250)}) == fault);
  CHECK(find_fault(Reduction{.op = static_cast<Operator>(-1)}) == fault);
  CHECK(find_fault(Reduction{.op = static_cast<Operator>(INT32_MIN)}) == fault);
  CHECK(find_fault(Reduction{.type = static_cast<ElementType>(INT32_MIN)}) == fault);
  CHECK_THROWS_WITH(name(static_cast<Operator>(26)), fault);
  CHECK_THROWS_WITH(size_of(static_cast<ElementType>(1'000'000)), fault);
  CHECK(find_fault(Reduction{.type = static_cast<ElementType>(77)}) == fault);
  CHECK(find_fault(Reduction{.accumulator = static_cast<ElementType>(77)}) == fault);
  CHECK(find_fault(Reduction{.result = static_cast<ElementType>(12)}) == fault);
  CHECK(find_fault(Reduction{.determinism = static_cast<Determinism>(3)}) == fault);
  CHECK(find_fault(Reduction{.nan_policy = static_cast<NanPolicy>(2)}) == fault);
  CHECK_THAT(find_fault(Reduction{.alignment = static_cast<Alignment>(7)}),
             ContainsSubstring("layout"));
  const auto unknown = static_cast<ElementType>(77);
  for (const CustomOperator& custom :
       {CustomOperator{.name = "odd", .inputs = {unknown}},
        CustomOperator{.name = "odd", .inputs = {ElementType::f32, unknown}},
        CustomOperator{.name = "odd", .accumulator = {{"", unknown}}},
        CustomOperator{.name = "odd", .accumulator = {{"a", ElementType::f32}, {"b", unknown}}},
        CustomOperator{.name = "odd", .result = unknown}}) {
    CHECK_THAT(find_fault(make_reduction(custom)), StartsWith("a number was cast to"));
    CHECK_THAT(custom.find_fault(), StartsWith("a number was cast to"));
  }
}

}  // namespace
}  // namespace foldtune::test
