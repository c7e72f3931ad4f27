#include "foldtune/catalog.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "templates/catalog.h"
#include "templates/fold/operators.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using enum ElementType;
using Types = std::vector<ElementType>;

std::set<std::string_view> names_of(auto values) {
  std::set<std::string_view> names;
  for (const auto value : values) names.insert(name(value));
  return names;
}

TEST_CASE("Names are read back as what they name") {
  for (const Operator op : operators()) CHECK(parse_operator(name(op)) == op);
  CHECK(parse_operator(name(Operator::custom)) == Operator::custom);
  for (const ElementType type : element_types()) CHECK(parse_element_type(name(type)) == type);
  for (const Determinism determinism :
       {Determinism::any, Determinism::run_to_run, Determinism::config_independent}) {
    CHECK(parse_determinism(name(determinism)) == determinism);
  }
  for (const NanPolicy policy : {NanPolicy::propagate, NanPolicy::ignore}) {
    CHECK(parse_nan_policy(name(policy)) == policy);
  }
}

TEST_CASE("Unknown names are nothing") {
  for (const char* text : {"", "Sum", "sum ", "average", "f31", "F32", "float", "bit and"}) {
    CHECK_FALSE(parse_operator(text));
    CHECK_FALSE(parse_element_type(text));
    CHECK_FALSE(parse_determinism(text));
    CHECK_FALSE(parse_nan_policy(text));
  }
}

TEST_CASE("The catalogue has these operators over twelve types") {
  CHECK(names_of(operators()) ==
        std::set<std::string_view>{
            "sum",       "product", "min",    "max",      "argmin",        "argmax",
            "minmax",    "bit_and", "bit_or", "bit_xor",  "all",           "any",
            "asum",      "nansum",  "nrm2",   "absmax",   "count_nonzero", "sum_of_squares",
            "argabsmax", "dot",     "mean",   "variance", "stddev",        "logsumexp"});
  CHECK(operators().size() == 24);
  CHECK(names_of(element_types()) == std::set<std::string_view>{"i8", "u8", "i16", "u16", "i32",
                                                                "u32", "i64", "u64", "f16", "bf16",
                                                                "f32", "f64"});
  CHECK(element_types().size() == 12);
}

TEST_CASE("Types have the size, the sign and the kind that their names say") {
  for (const ElementType type : element_types()) {
    const std::string_view text = name(type);
    INFO(text);
    const bool has_sign = !text.starts_with('u');
    CHECK(is_signed(type) == has_sign);
    CHECK(is_floating(type) == (text.find('f') != std::string_view::npos));
    const std::string bits(text.substr(text.find_first_of("0123456789")));
    CHECK(std::to_string(8 * size_of(type)) == bits);
  }
}

TEST_CASE("Types have a spelling of their own in the kernels") {
  CHECK(device_name(i8) == "signed char");
  CHECK(device_name(u16) == "unsigned short");
  CHECK(device_name(i64) == "long long");
  CHECK(device_name(f16) == "foldtune::float16");
  CHECK(device_name(bf16) == "foldtune::bfloat16");
  std::set<std::string_view> spellings;
  for (const ElementType type : element_types()) spellings.insert(device_name(type));
  CHECK(spellings.size() == element_types().size());
}

// The 16-bit floating types are known by their names, without the headers that define them.
static_assert(element_type_of<std::int8_t>() == i8);
static_assert(element_type_of<std::uint8_t>() == u8);
static_assert(element_type_of<std::int16_t>() == i16);
static_assert(element_type_of<std::uint16_t>() == u16);
static_assert(element_type_of<std::int32_t>() == i32);
static_assert(element_type_of<std::uint32_t>() == u32);
static_assert(element_type_of<std::int64_t>() == i64);
static_assert(element_type_of<std::uint64_t>() == u64);
static_assert(element_type_of<__half>() == f16);
static_assert(element_type_of<__nv_bfloat16>() == bf16);
static_assert(element_type_of<float>() == f32);
static_assert(element_type_of<double>() == f64);

TEST_CASE("C++ types of the same size and sign are the same type") {
  CHECK(element_type_of<long>() == element_type_of<long long>());
  CHECK(element_type_of<unsigned long>() == element_type_of<unsigned long long>());
  CHECK(element_type_of<signed char>() == i8);
  CHECK(size_of(element_type_of<char>()) == 1);
}

/// The operators that are of the same kind as others.
constexpr Operator kArithmetic[] = {Operator::sum,  Operator::product, Operator::sum_of_squares,
                                    Operator::asum, Operator::nansum,  Operator::dot};
constexpr Operator kReal[] = {Operator::nrm2, Operator::mean, Operator::variance, Operator::stddev,
                              Operator::logsumexp};
constexpr Operator kComparing[] = {Operator::min,      Operator::max,    Operator::argmin,
                                   Operator::argmax,   Operator::minmax, Operator::absmax,
                                   Operator::argabsmax};
constexpr Operator kOfBits[] = {Operator::bit_and, Operator::bit_or, Operator::bit_xor};

bool is_one_of(std::span<const Operator> list, Operator op) {
  return std::ranges::find(list, op) != list.end();
}

TEST_CASE("Sums of integers are kept in 64 bits of their sign, of small floats in f32") {
  for (const Operator op : kArithmetic) {
    INFO(name(op));
    for (const ElementType type : {i8, i16, i32}) {
      CHECK(accumulators(op, type) == Types{i64, i32, f64});
    }
    for (const ElementType type : {u8, u16, u32}) {
      CHECK(accumulators(op, type) == Types{u64, u32, f64});
    }
    CHECK(accumulators(op, i64) == Types{i64, f64});
    CHECK(accumulators(op, u64) == Types{u64, f64});
    for (const ElementType type : {f16, bf16, f32}) {
      CHECK(accumulators(op, type) == Types{f32, f64});
    }
    CHECK(accumulators(op, f64) == Types{f64});
  }
}

TEST_CASE("What is a real number is kept in f64, of small floats in f32") {
  for (const Operator op : kReal) {
    INFO(name(op));
    for (const ElementType type : element_types()) {
      const bool is_small_float = is_floating(type) && type != f64;
      CHECK(accumulators(op, type) == (is_small_float ? Types{f32, f64} : Types{f64}));
    }
  }
}

TEST_CASE("Extremes and bits are kept in the element's type alone") {
  for (const ElementType type : element_types()) {
    for (const Operator op : kComparing) CHECK(accumulators(op, type) == Types{type});
    for (const Operator op : kOfBits) {
      CHECK(takes(op, type) == !is_floating(type));
      CHECK(accumulators(op, type) == (is_floating(type) ? Types{} : Types{type}));
    }
  }
}

TEST_CASE("Truths are kept in u8, and counts in 64 or in 32 bits") {
  for (const ElementType type : element_types()) {
    CHECK(accumulators(Operator::all, type) == Types{u8});
    CHECK(accumulators(Operator::any, type) == Types{u8});
    CHECK(accumulators(Operator::count_nonzero, type) == Types{u64, u32});
  }
}

TEST_CASE("The default accumulator is the first of those that there are") {
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      INFO(name(op) << " " << name(type));
      const Types legal = accumulators(op, type);
      CHECK(legal.empty() == !takes(op, type));
      if (legal.empty()) continue;
      CHECK(default_accumulator(op, type) == legal.front());
      // No sum is narrower than its elements.
      for (const ElementType accumulator : legal) {
        if (depends_on_order(op, f64)) CHECK(size_of(accumulator) >= size_of(type));
      }
    }
  }
}

TEST_CASE("Operators say how many inputs they take and what they give") {
  for (const Operator op : operators()) {
    INFO(name(op));
    CHECK(input_count(op) == (op == Operator::dot ? 2 : 1));
    CHECK(has_nan_policy(op) == is_one_of(kComparing, op));
    CHECK(has_ddof(op) == (op == Operator::variance || op == Operator::stddev));
    if (!is_one_of(kOfBits, op)) {
      for (const ElementType type : element_types()) CHECK(takes(op, type));
    }
  }
}

TEST_CASE("Results are numbers, but for those with an index and for minmax") {
  for (const Operator op : operators()) {
    INFO(name(op));
    const bool has_index = name(op).starts_with("arg");
    CHECK(result_shape(op) == (has_index                ? ResultShape::indexed_value
                               : op == Operator::minmax ? ResultShape::min_max
                                                        : ResultShape::value));
  }
}

TEST_CASE("There is no index and no mean of nothing") {
  std::set<std::string_view> none;
  for (const Operator op : operators()) {
    if (!has_empty_result(op)) none.insert(name(op));
  }
  CHECK(none ==
        std::set<std::string_view>{"argmin", "argmax", "argabsmax", "mean", "variance", "stddev"});
  CHECK(has_empty_result(Operator::custom));
}

TEST_CASE("Only floating-point operations that round depend on their order") {
  for (const Operator op : operators()) {
    INFO(name(op));
    const bool rounds = is_one_of(kArithmetic, op) || is_one_of(kReal, op);
    CHECK(depends_on_order(op, f32) == rounds);
    CHECK(depends_on_order(op, f64) == rounds);
    CHECK_FALSE(depends_on_order(op, i64));
  }
}

TEST_CASE("Functors name the element, the accumulator and the NaN policy") {
  CHECK(device_operator({.op = Operator::sum, .type = f32}, false) ==
        "foldtune::Sum<float, float>");
  CHECK(device_operator({.op = Operator::sum, .type = u8, .accumulator = f64}, false) ==
        "foldtune::Sum<unsigned char, double>");
  CHECK(device_operator({.op = Operator::min, .type = bf16}, true) ==
        "foldtune::Min<foldtune::bfloat16, foldtune::bfloat16, foldtune::NanPolicy::propagate>");
  CHECK(device_operator({.op = Operator::max, .type = i16, .nan_policy = NanPolicy::ignore},
                        true) == "foldtune::Max<short, short, foldtune::NanPolicy::ignore>");
  CHECK(device_operator({.op = Operator::argmin, .type = f32}, false) ==
        "foldtune::ArgMin<float, float, foldtune::uint32, foldtune::NanPolicy::propagate>");
  CHECK(device_operator({.op = Operator::variance, .type = f32, .ddof = 1}, true) ==
        "foldtune::Variance<float, float, foldtune::uint64, 1>");
  CHECK(device_operator({.op = Operator::custom}, true) == "foldtune::CustomOperator");
  for (const Operator op : operators()) {
    const std::string functor = device_operator({.op = op}, true);
    CHECK_THAT(functor, ContainsSubstring("foldtune::") && !ContainsSubstring("{"));
  }
}

TEST_CASE("A partial result takes whole words of 4 bytes") {
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      for (const ElementType accumulator : accumulators(op, type)) {
        const Reduction reduction{.op = op, .type = type, .accumulator = accumulator};
        for (const bool wide : {false, true}) {
          const std::size_t bytes = accumulator_bytes(reduction, wide);
          CHECK(bytes % 4 == 0);
          CHECK(bytes >= size_of(accumulator));
        }
      }
    }
  }
  CHECK(accumulator_bytes({.op = Operator::sum, .type = i32}, false) == 8);
  CHECK(accumulator_bytes({.op = Operator::sum, .type = f16}, true) == 4);
  CHECK(accumulator_bytes({.op = Operator::max, .type = u8}, true) == 4);
  // With the index, two of them, or two and a count.
  CHECK(accumulator_bytes({.op = Operator::argmax, .type = f32}, false) == 8);
  CHECK(accumulator_bytes({.op = Operator::argmax, .type = f32}, true) == 16);
  CHECK(accumulator_bytes({.op = Operator::argmax, .type = f64}, false) == 16);
  CHECK(accumulator_bytes({.op = Operator::minmax, .type = i16}, true) == 8);
  CHECK(accumulator_bytes({.op = Operator::variance, .type = f32}, false) == 20);
  CHECK(accumulator_bytes({.op = Operator::variance, .type = f32}, true) == 24);
  CHECK(accumulator_bytes({.op = Operator::stddev, .type = f64}, false) == 40);
  CHECK(accumulator_bytes({.op = Operator::nrm2, .type = bf16}, false) == 8);
  CHECK(accumulator_bytes({.op = Operator::mean, .type = f16}, false) == 4);
}

TEST_CASE("Blocks combine into the output where a partial result is a result of one word") {
  CHECK(can_combine_atomically({.op = Operator::sum, .type = f32}));
  CHECK(can_combine_atomically({.op = Operator::sum, .type = i8}));
  CHECK(can_combine_atomically({.op = Operator::max, .type = f64}));
  // The result is of another type, or narrower than what the hardware combines.
  CHECK_FALSE(can_combine_atomically({.op = Operator::sum, .type = f16, .result = f16}));
  CHECK_FALSE(can_combine_atomically({.op = Operator::sum, .type = i32, .result = f64}));
  CHECK_FALSE(can_combine_atomically({.op = Operator::max, .type = f16}));
  CHECK_FALSE(can_combine_atomically({.op = Operator::min, .type = u8}));
  CHECK_FALSE(can_combine_atomically({.op = Operator::all, .type = f32}));
  // It is more than a word, or not yet the result.
  for (const Operator op : {Operator::argmin, Operator::minmax, Operator::variance, Operator::mean,
                            Operator::nrm2, Operator::logsumexp}) {
    CHECK_FALSE(can_combine_atomically({.op = op, .type = f32}));
  }
  CHECK(can_combine_atomically({.op = Operator::dot, .type = f32}));
  CHECK(can_combine_atomically({.op = Operator::bit_xor, .type = u64}));
  CHECK(can_combine_atomically({.op = Operator::count_nonzero, .type = f64}));

  CustomOperator custom{.name = "product", .identity = "1", .combine = "a * b"};
  CHECK(can_combine_atomically(make_reduction(custom)));
  CustomOperator other_result = custom;
  other_result.result = f64;
  CHECK_FALSE(can_combine_atomically(make_reduction(other_result)));
  CustomOperator finished = custom;
  finished.finish = "a / n";
  CHECK_FALSE(can_combine_atomically(make_reduction(finished)));
  custom.accumulator = {{.name = "low", .type = f32}, {.name = "high", .type = f32}};
  CHECK_FALSE(can_combine_atomically(make_reduction(custom)));
}

TEST_CASE("A warp folds order, bits, sums of 32-bit integers and what is merged at once") {
  CHECK(has_warp_fold({.op = Operator::sum, .type = i32, .accumulator = i32}));
  CHECK(has_warp_fold({.op = Operator::sum, .type = u8, .accumulator = u32}));
  CHECK(has_warp_fold({.op = Operator::count_nonzero, .type = f32, .accumulator = u32}));
  CHECK(has_warp_fold({.op = Operator::any, .type = f64}));
  CHECK(has_warp_fold({.op = Operator::bit_xor, .type = u64}));
  for (const ElementType type : {i8, u32, i64, f16, f32, f64}) {
    for (const Operator op : {Operator::min, Operator::max, Operator::absmax, Operator::argmin,
                              Operator::argmax, Operator::argabsmax, Operator::minmax,
                              Operator::variance, Operator::stddev, Operator::logsumexp}) {
      CHECK(has_warp_fold({.op = op, .type = type}));
    }
  }
  CHECK_FALSE(has_warp_fold({.op = Operator::sum, .type = i32}));
  CHECK_FALSE(has_warp_fold({.op = Operator::sum, .type = f32}));
  CHECK_FALSE(has_warp_fold({.op = Operator::sum, .type = i32, .accumulator = f64}));
  CHECK_FALSE(has_warp_fold({.op = Operator::product, .type = i32, .accumulator = i32}));
  CHECK_FALSE(has_warp_fold({.op = Operator::mean, .type = i32}));
  CHECK_FALSE(has_warp_fold(
      make_reduction({.name = "fold", .accumulator = {{.name = "", .type = i32}}, .result = i32})));
}

}  // namespace
}  // namespace foldtune::test
