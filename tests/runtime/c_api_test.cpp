#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "foldtune/foldtune.h"
#include "runtime/support/temporary_folder.h"
#include "tests/catch.h"
#include "tests/runtime/scoped_variable.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// With a database of its own, which is not there.
foldtune_context_options options_of(const char* device) {
  static const TemporaryFolder folder;
  static const std::string database = (folder.path() / "tuning.db").string();
  foldtune_context_options options{};
  options.database = database.c_str();
  options.device = device;
  return options;
}
foldtune_problem problem_of(const char* op, const char* type = nullptr) {
  foldtune_problem problem{};
  problem.op = op;
  problem.type = type;
  return problem;
}
foldtune_histogram_options bins_of(std::uint32_t bins, const char* binning) {
  foldtune_histogram_options options{};
  options.bins = bins;
  options.binning = binning;
  return options;
}

/// A context on the CPU device.
class CApiTest {
 protected:
  CApiTest() {
    const foldtune_context_options options = options_of("cpu");
    REQUIRE(foldtune_context_create(&options, &context_) == FOLDTUNE_OK);
  }
  CApiTest(const CApiTest&) = delete;
  CApiTest& operator=(const CApiTest&) = delete;
  ~CApiTest() {
    for (foldtune_reducer* const reducer : reducers_) foldtune_reducer_destroy(reducer);
    for (foldtune_histogram* const histogram : histograms_) foldtune_histogram_destroy(histogram);
    foldtune_context_destroy(context_);
  }

  foldtune_reducer* reducer(const foldtune_problem& problem) {
    foldtune_reducer* reducer = nullptr;
    INFO(foldtune_last_error());
    REQUIRE(foldtune_reducer_create(context_, &problem, &reducer) == FOLDTUNE_OK);
    return reducers_.emplace_back(reducer);
  }
  foldtune_histogram* histogram(const foldtune_histogram_options& options) {
    foldtune_histogram* histogram = nullptr;
    REQUIRE(foldtune_histogram_create(context_, &options, &histogram) == FOLDTUNE_OK);
    return histograms_.emplace_back(histogram);
  }
  /// Why no reducer is made of the problem.
  std::string refusal(const foldtune_problem& problem) {
    auto* reducer = reinterpret_cast<foldtune_reducer*>(this);
    CHECK(foldtune_reducer_create(context_, &problem, &reducer) == FOLDTUNE_INVALID_ARGUMENT);
    CHECK(reducer == nullptr);
    return foldtune_last_error();
  }

  foldtune_context* context_ = nullptr;
  std::vector<foldtune_reducer*> reducers_;
  std::vector<foldtune_histogram*> histograms_;
};

/// What foldtune_reduce writes, in bytes of a result.
template <class Result>
Result reduce(const foldtune_reducer* reducer, const std::vector<const void*>& inputs,
              std::uint64_t count) {
  alignas(16) Result result{};
  INFO(foldtune_last_error());
  CHECK(foldtune_reducer_result_bytes(reducer) == sizeof(Result));
  CHECK(foldtune_reduce(reducer, inputs.data(), inputs.size(), count, &result, nullptr) ==
        FOLDTUNE_OK);
  return result;
}

TEST_CASE_METHOD(CApiTest, "C API: reduces by the names of the catalogue") {
  const float values[] = {3, 1, 4, 1, 5};
  CHECK(reduce<float>(reducer(problem_of("sum")), {values}, 5) == 14);

  const std::int32_t integers[] = {3, -1, 4};
  CHECK(reduce<std::int64_t>(reducer(problem_of("sum", "i32")), {integers}, 3) == 6);

  struct IndexedFloat {
    float value;
    alignas(8) std::uint64_t index;
  };
  const auto largest = reduce<IndexedFloat>(reducer(problem_of("argmax")), {values}, 5);
  CHECK(largest.value == 5);
  CHECK(largest.index == 4);
}

TEST_CASE_METHOD(CApiTest, "C API: takes every option of a problem") {
  const float values[] = {1, 2, 3, std::numeric_limits<float>::quiet_NaN()};
  foldtune_problem largest = problem_of("max", "f32");
  CHECK(std::isnan(reduce<float>(reducer(largest), {values}, 4)));
  largest.nan_policy = "ignore";
  CHECK(reduce<float>(reducer(largest), {values}, 4) == 3);

  foldtune_problem variance = problem_of("variance", "f32");
  variance.ddof = 1;
  variance.accumulator = "f64";
  variance.result = "f64";
  variance.determinism = "config_independent";
  CHECK(reduce<double>(reducer(variance), {values}, 3) == 1);
}

TEST_CASE_METHOD(CApiTest, "C API: an operator of two inputs takes two") {
  const double x[] = {1, 2, 3};
  const double y[] = {4, 5, 6};
  const foldtune_reducer* const dot = reducer(problem_of("dot", "f64"));
  CHECK(foldtune_reducer_input_count(dot) == 2);
  CHECK(reduce<double>(dot, {x, y}, 3) == 32);

  double result = -1;
  const void* const inputs[] = {x, y, x, y, x};
  for (const std::size_t count : {0, 1, 3, 4, 5}) {
    CHECK(foldtune_reduce(dot, inputs, count, 3, &result, nullptr) == FOLDTUNE_INVALID_ARGUMENT);
    CHECK_THAT(foldtune_last_error(), ContainsSubstring("inputs"));
  }
  CHECK(result == -1);
}

TEST_CASE_METHOD(CApiTest, "C API: a custom operator is made of expressions") {
  const char* const inputs[] = {"f32", "f64"};
  const foldtune_field fields[] = {{"total", "f64"}, {"n", "u64"}};
  const foldtune_custom_operator mean_product{
      .name = "mean_product",
      .inputs = inputs,
      .input_count = 2,
      .fields = fields,
      .field_count = 2,
      .identity = "Accumulator{0, 0}",
      .map = "Accumulator{x * y, 1}",
      .combine = "Accumulator{a.total + b.total, a.n + b.n}",
      .finish = "a.total / a.n",
      .result = "f64",
      .tolerance = 1e-6};
  foldtune_problem problem{};
  problem.custom = &mean_product;
  const float x[] = {1, 2, 3};
  const double y[] = {2, 2, 4};
  const foldtune_reducer* const mean = reducer(problem);
  CHECK(foldtune_reducer_input_count(mean) == 2);
  CHECK(reduce<double>(mean, {x, y}, 3) == 6);

  foldtune_custom_operator scaled{};  // of defaults
  scaled.name = "scaled";
  scaled.finish = "a * 0.5f";
  problem = problem_of("custom");
  problem.custom = &scaled;
  CHECK(reduce<float>(reducer(problem), {x}, 3) == 3);

  problem.op = "sum";
  CHECK_THAT(refusal(problem), ContainsSubstring("'sum'") && ContainsSubstring("custom operator"));
}

TEST_CASE_METHOD(CApiTest, "C API: an operator needs no name") {
  foldtune_custom_operator squares{};
  squares.map = "x * x";
  foldtune_problem problem{};
  problem.custom = &squares;
  const float x[] = {1, 2, 3};
  CHECK(reduce<float>(reducer(problem), {x}, 3) == 14);
  squares.name = "";
  CHECK_THAT(refusal(problem), ContainsSubstring("'' is no name"));
}

TEST_CASE_METHOD(CApiTest, "C API: a tolerance is a finite number that is not negative") {
  foldtune_custom_operator op{};
  foldtune_problem problem{};
  problem.custom = &op;
  for (const double tolerance : {std::numeric_limits<double>::quiet_NaN(), -1.0, -1e-300,
                                 std::numeric_limits<double>::infinity()}) {
    op.tolerance = tolerance;
    CHECK_THAT(refusal(problem), ContainsSubstring("tolerance"));
  }
  op.tolerance = 0.5;
  reducer(problem);
  // The operator is known now; what it takes besides is looked at all the same.
  op.tolerance = -1;
  CHECK_THAT(refusal(problem), ContainsSubstring("tolerance"));
}

TEST_CASE_METHOD(CApiTest, "C API: lists of an operator that cannot be are not read") {
  const char* const inputs[] = {"f32", nullptr};
  const foldtune_field fields[] = {{"a", nullptr}, {"b", "u64"}};
  foldtune_custom_operator op{};
  foldtune_problem problem{};
  problem.custom = &op;
  op.input_count = 2;
  CHECK_THAT(refusal(problem), ContainsSubstring("list of inputs is NULL"));
  op.inputs = inputs;
  op.field_count = 2;
  CHECK_THAT(refusal(problem), ContainsSubstring("list of fields is NULL"));
  op.fields = fields;
  op.input_count = std::numeric_limits<std::size_t>::max();
  CHECK_THAT(refusal(problem), ContainsSubstring("inputs: 4 are the most"));
  op.input_count = 2;
  op.field_count = std::numeric_limits<std::size_t>::max();
  CHECK_THAT(refusal(problem), ContainsSubstring("fields: 8 are the most"));
  op.field_count = 0;
  CHECK_THAT(refusal(problem), ContainsSubstring("from 1 to 8 fields"));
}

TEST_CASE_METHOD(CApiTest, "C API: without a compiler it is explained what a call would lack") {
  const ScopedVariable compiler("CXX", "/bin/false");
  const foldtune_reducer* const sum = reducer(problem_of("sum"));
  foldtune_explanation explanation{};
  CHECK(foldtune_reducer_explain(sum, 1000, &explanation) == FOLDTUNE_OK);
  CHECK_THAT(explanation.reason, ContainsSubstring("there is no compiler"));
  const float values[] = {1, 2};
  const void* const inputs[] = {values};
  float result = 0;
  CHECK(foldtune_reduce(sum, inputs, 1, 2, &result, nullptr) == FOLDTUNE_UNAVAILABLE);
}

TEST_CASE_METHOD(CApiTest, "C API: an operator that does not compile tells the compiler's words") {
  foldtune_custom_operator wrong{};
  wrong.name = "wrong";
  wrong.map = "no_such_function(x)";
  foldtune_problem problem{};
  problem.custom = &wrong;
  const float x[] = {1};
  const void* const inputs[] = {x};
  float result = 0;
  CHECK(foldtune_reduce(reducer(problem), inputs, 1, 1, &result, nullptr) ==
        FOLDTUNE_COMPILE_ERROR);
  CHECK_THAT(foldtune_last_error(), ContainsSubstring("no_such_function"));
}

TEST_CASE_METHOD(CApiTest, "C API: the blocking form writes the result to memory of the caller") {
  const float values[] = {3, 1, 4, 1, 5};
  const void* const inputs[] = {values};
  const foldtune_reducer* const sum = reducer(problem_of("sum"));
  float result = -1;
  CHECK(foldtune_reduce_value(sum, inputs, 1, 5, &result, sizeof result, nullptr) == FOLDTUNE_OK);
  CHECK(result == 14);

  CHECK(foldtune_reduce_value(sum, inputs, 1, 5, &result, sizeof(double), nullptr) ==
        FOLDTUNE_INVALID_ARGUMENT);
  CHECK_THAT(foldtune_last_error(), ContainsSubstring("8 bytes") && ContainsSubstring("4 bytes"));
  CHECK(foldtune_reduce_value(sum, inputs, 1, 5, nullptr, sizeof result, nullptr) ==
        FOLDTUNE_INVALID_ARGUMENT);
  CHECK_THAT(foldtune_last_error(), ContainsSubstring("the place for the result is null"));
  CHECK(foldtune_reduce_value(sum, nullptr, 1, 5, &result, sizeof result, nullptr) ==
        FOLDTUNE_INVALID_ARGUMENT);
  CHECK(foldtune_reduce_value(nullptr, inputs, 1, 5, &result, sizeof result, nullptr) ==
        FOLDTUNE_INVALID_ARGUMENT);
  CHECK(result == 14);
}

TEST_CASE_METHOD(CApiTest, "C API: what cannot be reduced is refused, and the next call works") {
  CHECK_THAT(refusal(problem_of("summ")),
             ContainsSubstring("'summ'") && ContainsSubstring(" sum "));
  CHECK_THAT(refusal(problem_of("sum", "f31")),
             ContainsSubstring("'f31'") && ContainsSubstring(" f32 "));
  CHECK_THAT(refusal(problem_of("bit_and", "f32")), ContainsSubstring("bit_and"));
  CHECK_THAT(refusal(problem_of(nullptr)), ContainsSubstring("no operator"));
  CHECK_THAT(refusal(problem_of("histogram")), ContainsSubstring("histogram"));
  foldtune_problem problem = problem_of("sum");
  problem.determinism = "sometimes";
  CHECK_THAT(refusal(problem), ContainsSubstring("config_independent"));
  problem = problem_of("max");
  problem.nan_policy = "keep";
  CHECK_THAT(refusal(problem), ContainsSubstring("propagate"));

  const float values[] = {1, 2};
  const void* const inputs[] = {values};
  const foldtune_reducer* const sum = reducer(problem_of("sum"));
  CHECK(foldtune_reduce(sum, inputs, 1, 2, nullptr, nullptr) == FOLDTUNE_INVALID_ARGUMENT);
  CHECK_THAT(foldtune_last_error(), ContainsSubstring("output pointer"));
  CHECK(reduce<float>(sum, {values}, 2) == 3);
}

TEST_CASE_METHOD(CApiTest, "C API: what is NULL and should not be is an invalid argument") {
  foldtune_explanation explanation{};
  const foldtune_problem problem = problem_of("sum");
  foldtune_reducer* made = nullptr;
  foldtune_plan* plan = nullptr;
  foldtune_histogram* counts = nullptr;
  const foldtune_histogram_rows rows{};
  for (const foldtune_status status : {
           foldtune_context_create(nullptr, nullptr),
           foldtune_reducer_create(nullptr, &problem, &made),
           foldtune_reducer_create(context_, nullptr, &made),
           foldtune_reducer_create(context_, &problem, nullptr),
           foldtune_reduce(nullptr, nullptr, 0, 0, nullptr, nullptr),
           foldtune_reducer_prepare(nullptr, nullptr, 0, 0, nullptr),
           foldtune_reducer_explain(nullptr, 1, &explanation),
           foldtune_reducer_explain(reducer(problem), 1, nullptr),
           foldtune_reducer_with_inputs_ready(nullptr, &made),
           foldtune_reducer_with_inputs_ready(reducer(problem), nullptr),
           foldtune_plan_create(nullptr, 1, 1, &plan),
           foldtune_plan_create(reducer(problem), 1, 1, nullptr),
           foldtune_plan_reduce(nullptr, nullptr, 0, 0, nullptr, nullptr),
           foldtune_plan_with_scratch(nullptr, nullptr, 0, &plan),
           foldtune_histogram_create(nullptr, nullptr, &counts),
           foldtune_histogram_create(context_, nullptr, nullptr),
           foldtune_histogram_even(nullptr, nullptr, 0, 0, 1, nullptr, nullptr),
           foldtune_histogram_even_i64(nullptr, nullptr, 0, 0, 1, nullptr, nullptr),
           foldtune_histogram_even_u64(nullptr, nullptr, 0, 0, 1, nullptr, nullptr),
           foldtune_histogram_edges(nullptr, nullptr, 0, nullptr, nullptr, nullptr),
           foldtune_histogram_keys(nullptr, nullptr, 0, nullptr, nullptr),
           foldtune_histogram_prepare(nullptr, nullptr, 0, nullptr),
           foldtune_histogram_explain(nullptr, 1, &explanation),
           foldtune_histogram_even_of_rows(nullptr, nullptr, &rows, 0, 1, nullptr, nullptr),
           foldtune_histogram_even_of_rows(histogram({}), nullptr, nullptr, 0, 1, nullptr, nullptr),
           foldtune_histogram_even_i64_of_rows(nullptr, nullptr, &rows, 0, 1, nullptr, nullptr),
           foldtune_histogram_even_u64_of_rows(nullptr, nullptr, &rows, 0, 1, nullptr, nullptr),
           foldtune_histogram_edges_of_rows(nullptr, nullptr, &rows, nullptr, nullptr, nullptr),
           foldtune_histogram_keys_of_rows(nullptr, nullptr, &rows, nullptr, nullptr),
           foldtune_histogram_prepare_rows(nullptr, nullptr, &rows, nullptr),
           foldtune_histogram_explain_rows(nullptr, &rows, &explanation),
           foldtune_histogram_explain_rows(histogram({}), nullptr, &explanation),
       }) {
    CHECK(status == FOLDTUNE_INVALID_ARGUMENT);
  }
  CHECK(made == nullptr);
  CHECK(plan == nullptr);
  CHECK(counts == nullptr);
  CHECK(foldtune_plan_max_count(nullptr) == 0);
  CHECK(foldtune_plan_scratch_bytes(nullptr) == 0);
  CHECK(foldtune_reducer_input_count(nullptr) == 0);
  CHECK(foldtune_reducer_result_bytes(nullptr) == 0);
  CHECK(std::string(foldtune_context_device_name(nullptr)).empty());
  foldtune_context_destroy(nullptr);
  foldtune_reducer_destroy(nullptr);
  foldtune_plan_destroy(nullptr);
  foldtune_histogram_destroy(nullptr);
}

TEST_CASE_METHOD(CApiTest, "C API: explains which configuration is used, for what and why") {
  foldtune_explanation explanation{};
  CHECK(foldtune_reducer_explain(reducer(problem_of("sum")), 1 << 20, &explanation) == FOLDTUNE_OK);
  CHECK(std::string(explanation.problem) == "sum f32 2^20");
  CHECK(std::string(explanation.source) == "default");
  CHECK_THAT(explanation.config, ContainsSubstring("block_size"));
  CHECK_THAT(explanation.reason, !Catch::Matchers::Equals(""));
  CHECK(explanation.tuned_count == 0);
  CHECK(explanation.tuned_us == 0);

  CHECK(foldtune_histogram_explain(histogram({}), 1000, &explanation) == FOLDTUNE_OK);
  CHECK_THAT(explanation.problem, ContainsSubstring("histogram f32 (256 bins, even"));
  const foldtune_histogram_rows rows{.rows = 3, .count = 1000, .pitch = 1000};
  CHECK(foldtune_histogram_explain_rows(histogram({}), &rows, &explanation) == FOLDTUNE_OK);
  CHECK_THAT(explanation.problem, ContainsSubstring("3x1000"));
}

TEST_CASE_METHOD(CApiTest, "C API: prepare compiles, and the call after it gives the result") {
  const float values[] = {1, 2, 3};
  const void* const inputs[] = {values, values};
  const foldtune_reducer* const sum = reducer(problem_of("sum"));
  CHECK(foldtune_reducer_prepare(sum, inputs, 1, 3, nullptr) == FOLDTUNE_OK);
  CHECK(reduce<float>(sum, {values}, 3) == 6);
  CHECK(foldtune_reducer_prepare(sum, inputs, 2, 3, nullptr) == FOLDTUNE_INVALID_ARGUMENT);
}

TEST_CASE_METHOD(CApiTest, "C API: a plan takes counts of its size, and scratch of the caller") {
  std::vector<float> values(100000, 1);
  const void* inputs[] = {values.data()};
  foldtune_plan* plan = nullptr;
  REQUIRE(foldtune_plan_create(reducer(problem_of("sum")), values.size(), 0, &plan) == FOLDTUNE_OK);
  float result = 0;
  CHECK(foldtune_plan_reduce(plan, inputs, 1, values.size(), &result, nullptr) == FOLDTUNE_OK);
  CHECK(result == 100000);
  CHECK(foldtune_plan_max_count(plan) >= values.size());
  CHECK(foldtune_plan_reduce(plan, inputs, 1, foldtune_plan_max_count(plan) + 1, &result,
                             nullptr) == FOLDTUNE_INVALID_ARGUMENT);

  const std::size_t bytes = foldtune_plan_scratch_bytes(plan);
  REQUIRE(bytes > 0);
  std::vector<char> memory(bytes + 127);
  void* scratch = memory.data();
  std::size_t space = memory.size();
  std::align(128, bytes, scratch, space);
  foldtune_plan* with_scratch = nullptr;
  CHECK(foldtune_plan_with_scratch(plan, scratch, bytes - 1, &with_scratch) ==
        FOLDTUNE_INVALID_ARGUMENT);
  CHECK(with_scratch == nullptr);
  REQUIRE(foldtune_plan_with_scratch(plan, scratch, bytes, &with_scratch) == FOLDTUNE_OK);
  foldtune_plan_destroy(plan);
  CHECK(foldtune_plan_reduce(with_scratch, inputs, 1, 90000, &result, nullptr) == FOLDTUNE_OK);
  CHECK(result == 90000);
  foldtune_plan_destroy(with_scratch);
}

TEST_CASE_METHOD(CApiTest, "C API: the promise that inputs are ready makes a reducer of its own") {
  foldtune_reducer* ready = nullptr;
  const foldtune_reducer* const sum = reducer(problem_of("sum"));
  REQUIRE(foldtune_reducer_with_inputs_ready(sum, &ready) == FOLDTUNE_OK);
  reducers_.push_back(ready);
  const float values[] = {1, 2};
  CHECK(reduce<float>(ready, {values}, 2) == 3);
}

TEST_CASE("C API: where it is asked for, what was not tuned fails and is told so") {
  foldtune_context_options options = options_of("cpu");
  options.fail_untuned = 1;
  foldtune_context* context = nullptr;
  REQUIRE(foldtune_context_create(&options, &context) == FOLDTUNE_OK);
  foldtune_reducer* sum = nullptr;
  const foldtune_problem problem = problem_of("sum");
  REQUIRE(foldtune_reducer_create(context, &problem, &sum) == FOLDTUNE_OK);
  const float values[] = {1, 2};
  const void* const inputs[] = {values};
  float result = -1;
  CHECK(foldtune_reduce(sum, inputs, 1, 2, &result, nullptr) == FOLDTUNE_NOT_TUNED);
  CHECK(result == -1);
  foldtune_reducer_destroy(sum);
  foldtune_context_destroy(context);
}

TEST_CASE("C API: conditions have names, of which others are refused") {
  foldtune_context_options options = options_of("cpu");
  foldtune_context* context = nullptr;
  options.conditions = "warm_stream";
  CHECK(foldtune_context_create(&options, &context) == FOLDTUNE_OK);
  foldtune_context_destroy(context);
  options.conditions = "warm";
  CHECK(foldtune_context_create(&options, &context) == FOLDTUNE_INVALID_ARGUMENT);
  CHECK_THAT(foldtune_last_error(), ContainsSubstring("'warm'") && ContainsSubstring("warm_graph"));
}

TEST_CASE("C API: what was not tuned cannot both fail and be tuned") {
  foldtune_context_options options = options_of("cpu");
  options.fail_untuned = 1;
  options.tune_untuned_s = 1;
  foldtune_context* context = nullptr;
  CHECK(foldtune_context_create(&options, &context) == FOLDTUNE_INVALID_ARGUMENT);
  CHECK(context == nullptr);
}

TEST_CASE("C API: a time to tune that is no sensible one is refused") {
  for (const double seconds : {-1.0, std::nan(""), HUGE_VAL, 1e300}) {
    foldtune_context_options options = options_of("cpu");
    options.tune_untuned_s = seconds;
    foldtune_context* context = nullptr;
    CHECK(foldtune_context_create(&options, &context) == FOLDTUNE_INVALID_ARGUMENT);
    CHECK(context == nullptr);
    CHECK_THAT(foldtune_last_error(), ContainsSubstring("no sensible time"));
  }
}

TEST_CASE_METHOD(CApiTest, "C API: more elements than any call takes are not explained") {
  const foldtune_reducer* const sum = reducer(problem_of("sum"));
  foldtune_explanation explanation{};
  CHECK(foldtune_reducer_explain(sum, std::uint64_t{1} << 40, &explanation) == FOLDTUNE_OK);
  for (const std::uint64_t count : {(std::uint64_t{1} << 40) + 1, UINT64_MAX}) {
    CHECK(foldtune_reducer_explain(sum, count, &explanation) == FOLDTUNE_INVALID_ARGUMENT);
  }
}

TEST_CASE_METHOD(CApiTest, "C API: counts between bounds of 64 bits, which double does not hold") {
  constexpr std::int64_t kFirst = (std::int64_t{1} << 53) + 1;
  const std::int64_t values[] = {kFirst - 1, kFirst, kFirst + 1, kFirst + 2, kFirst + 3};
  std::uint64_t counts[2] = {9, 9};
  foldtune_histogram_options options = bins_of(2, "even");
  options.type = "i64";
  CHECK(foldtune_histogram_even_i64(histogram(options), values, 5, kFirst, kFirst + 2, counts,
                                    nullptr) == FOLDTUNE_OK);
  CHECK(counts[0] == 1);
  CHECK(counts[1] == 2);
  CHECK(foldtune_histogram_even_i64(histogram(options), values, 5, kFirst, kFirst, counts,
                                    nullptr) == FOLDTUNE_INVALID_ARGUMENT);
  options.type = "u64";
  const std::uint64_t large[] = {UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX};
  CHECK(foldtune_histogram_even_u64(histogram(options), large, 3, UINT64_MAX - 1, UINT64_MAX,
                                    counts, nullptr) == FOLDTUNE_OK);
  CHECK(counts[0] == 1);
  CHECK(counts[1] == 1);
}

TEST_CASE_METHOD(CApiTest, "C API: counts each row of a matrix") {
  const foldtune_histogram_rows rows{.rows = 2, .count = 2, .pitch = 3};
  std::uint64_t counts[4] = {9, 9, 9, 9};
  const auto check = [&](std::array<std::uint64_t, 4> expected) {
    CHECK(std::ranges::equal(counts, expected));
    std::ranges::fill(counts, 9);
  };
  const float values[] = {0, 0.5, 9, 1.5, 2};
  const foldtune_histogram* const even = histogram(bins_of(2, nullptr));
  CHECK(foldtune_histogram_prepare_rows(even, values, &rows, nullptr) == FOLDTUNE_OK);
  CHECK(foldtune_histogram_even_of_rows(even, values, &rows, 0, 2, counts, nullptr) == FOLDTUNE_OK);
  check({2, 0, 0, 2});
  const foldtune_histogram_rows dense{.rows = 2, .count = 2, .pitch = 0};  // a pitch left out
  CHECK(foldtune_histogram_even_of_rows(even, values, &dense, 0, 2, counts, nullptr) ==
        FOLDTUNE_OK);
  check({2, 0, 0, 1});
  const float edges[] = {0, 0.5, 2};
  const foldtune_histogram* const custom = histogram(bins_of(2, "custom"));
  CHECK(foldtune_histogram_edges_of_rows(custom, values, &rows, edges, counts, nullptr) ==
        FOLDTUNE_OK);
  check({1, 1, 0, 2});
  foldtune_histogram_options options = bins_of(2, "even");
  options.type = "i64";
  const std::int64_t integers[] = {0, 1, 9, -1, 1};
  CHECK(foldtune_histogram_even_i64_of_rows(histogram(options), integers, &rows, 0, 2, counts,
                                            nullptr) == FOLDTUNE_OK);
  check({1, 1, 0, 1});
  options.type = "u64";
  const std::uint64_t large[] = {UINT64_MAX - 1, UINT64_MAX, 9, 0, UINT64_MAX};
  CHECK(foldtune_histogram_even_u64_of_rows(histogram(options), large, &rows, UINT64_MAX - 1,
                                            UINT64_MAX, counts, nullptr) == FOLDTUNE_OK);
  check({1, 1, 0, 1});
  options = bins_of(0, "key");
  options.type = "u8";
  const std::uint8_t keys[] = {7, 7, 9, 255, 0};
  std::vector<std::uint64_t> by_key(512, 9);
  CHECK(foldtune_histogram_keys_of_rows(histogram(options), keys, &rows, by_key.data(), nullptr) ==
        FOLDTUNE_OK);
  CHECK(by_key[7] == 2);
  CHECK(by_key[256] == 1);
  CHECK(by_key[511] == 1);
}

TEST_CASE_METHOD(CApiTest, "C API: counts in even bins, between edges and by keys") {
  const float values[] = {0, 0.5, 1.5, 2, 7};
  std::uint64_t counts[2] = {9, 9};
  const foldtune_histogram* const even = histogram(bins_of(2, nullptr));
  CHECK(foldtune_histogram_prepare(even, values, 5, nullptr) == FOLDTUNE_OK);
  CHECK(foldtune_histogram_even(even, values, 5, 0, 2, counts, nullptr) == FOLDTUNE_OK);
  CHECK(counts[0] == 2);
  CHECK(counts[1] == 2);
  CHECK(foldtune_histogram_even(even, values, 5, 2, 0, counts, nullptr) ==
        FOLDTUNE_INVALID_ARGUMENT);
  CHECK(foldtune_histogram_keys(even, values, 5, counts, nullptr) == FOLDTUNE_INVALID_ARGUMENT);

  const float edges[] = {0, 1, 10};
  std::uint32_t narrow[2] = {9, 9};
  foldtune_histogram_options options = bins_of(2, "custom");
  options.counter = "u32";
  options.distribution = "zipf";
  const foldtune_histogram* const custom = histogram(options);
  CHECK(foldtune_histogram_edges(custom, values, 5, edges, narrow, nullptr) == FOLDTUNE_OK);
  CHECK(narrow[0] == 2);
  CHECK(narrow[1] == 3);

  const std::uint8_t keys[] = {7, 7, 255};
  std::vector<std::uint64_t> by_key(256, 9);
  options = bins_of(0, "key");
  options.type = "u8";
  const foldtune_histogram* const key = histogram(options);
  CHECK(foldtune_histogram_keys(key, keys, 3, by_key.data(), nullptr) == FOLDTUNE_OK);
  CHECK(by_key[7] == 2);
  CHECK(by_key[255] == 1);
  CHECK(by_key[0] == 0);

  const foldtune_histogram_options wrong = bins_of(1, nullptr);
  foldtune_histogram* none = nullptr;
  CHECK(foldtune_histogram_create(context_, &wrong, &none) == FOLDTUNE_INVALID_ARGUMENT);
  CHECK(none == nullptr);
}

TEST_CASE_METHOD(CApiTest, "C API: handles may be destroyed in any order") {
  foldtune_context* context = nullptr;
  const foldtune_context_options options = options_of("cpu");
  REQUIRE(foldtune_context_create(&options, &context) == FOLDTUNE_OK);
  foldtune_reducer* sum = nullptr;
  const foldtune_problem problem = problem_of("sum");
  REQUIRE(foldtune_reducer_create(context, &problem, &sum) == FOLDTUNE_OK);
  foldtune_context_destroy(context);
  const float values[] = {1, 2};
  CHECK(reduce<float>(sum, {values}, 2) == 3);
  foldtune_reducer_destroy(sum);
}

TEST_CASE_METHOD(CApiTest, "C API: a plan and a histogram outlive what they were made of") {
  foldtune_context* context = nullptr;
  const foldtune_context_options options = options_of("cpu");
  REQUIRE(foldtune_context_create(&options, &context) == FOLDTUNE_OK);
  foldtune_reducer* sum = nullptr;
  const foldtune_problem problem = problem_of("sum");
  REQUIRE(foldtune_reducer_create(context, &problem, &sum) == FOLDTUNE_OK);
  foldtune_histogram* bins = nullptr;
  const foldtune_histogram_options two = bins_of(2, "even");
  REQUIRE(foldtune_histogram_create(context, &two, &bins) == FOLDTUNE_OK);
  foldtune_plan* plan = nullptr;
  REQUIRE(foldtune_plan_create(sum, 1000, 0, &plan) == FOLDTUNE_OK);
  std::vector<std::byte> memory(foldtune_plan_scratch_bytes(plan) + 128);
  void* scratch = memory.data();
  std::size_t space = memory.size();
  REQUIRE(std::align(128, foldtune_plan_scratch_bytes(plan), scratch, space) != nullptr);
  foldtune_plan* with_scratch = nullptr;
  REQUIRE(foldtune_plan_with_scratch(plan, scratch, space, &with_scratch) == FOLDTUNE_OK);
  const bool is_context_first = GENERATE(false, true);
  if (is_context_first) foldtune_context_destroy(context);
  foldtune_reducer_destroy(sum);

  const std::vector<float> values(1000, 1.5F);
  const void* const inputs[] = {values.data()};
  const auto check = [&](const foldtune_plan* which) {
    float result = -1;
    CHECK(foldtune_plan_reduce(which, inputs, 1, 1000, &result, nullptr) == FOLDTUNE_OK);
    CHECK(result == 1500);
  };
  check(plan);
  check(with_scratch);
  foldtune_plan_destroy(plan);
  check(with_scratch);
  std::uint64_t counts[2] = {9, 9};
  CHECK(foldtune_histogram_even(bins, values.data(), 1000, 0, 2, counts, nullptr) == FOLDTUNE_OK);
  CHECK(counts[0] == 0);
  CHECK(counts[1] == 1000);
  if (!is_context_first) foldtune_context_destroy(context);
  foldtune_histogram_destroy(bins);
  foldtune_plan_destroy(with_scratch);
}

TEST_CASE_METHOD(CApiTest, "C API: a thread sees its own last error") {
  CHECK_THAT(refusal(problem_of("summ")), ContainsSubstring("'summ'"));
  std::string of_other_thread = "unread";
  std::thread([&] { of_other_thread = foldtune_last_error(); }).join();
  CHECK(of_other_thread.empty());
  CHECK_THAT(foldtune_last_error(), ContainsSubstring("'summ'"));
}

TEST_CASE("C API: a device that is unknown or not there makes no context") {
  foldtune_context* context = nullptr;
  const foldtune_context_options options = options_of("abacus");
  CHECK(foldtune_context_create(&options, &context) == FOLDTUNE_INVALID_ARGUMENT);
  CHECK_THAT(foldtune_last_error(), ContainsSubstring("abacus"));
  CHECK(context == nullptr);
  const foldtune_context_options absent = options_of("cuda:4095");
  CHECK(foldtune_context_create(&absent, &context) == FOLDTUNE_UNAVAILABLE);
  CHECK(context == nullptr);
}

TEST_CASE("C API: why a database is not used goes to the caller's function") {
  const TemporaryFolder folder;
  const std::string database = (folder.path() / "no_database.db").string();
  write_file(database, "this is a text");
  std::string told;
  foldtune_context_options options = options_of("cpu");
  options.database = database.c_str();
  options.notify = [](const char* text, void* data) { *static_cast<std::string*>(data) += text; };
  options.notify_data = &told;
  foldtune_context* context = nullptr;
  REQUIRE(foldtune_context_create(&options, &context) == FOLDTUNE_OK);
  CHECK_THAT(foldtune_context_device_name(context), !Catch::Matchers::Equals(""));
  foldtune_reducer* sum = nullptr;
  const foldtune_problem problem = problem_of("sum");
  REQUIRE(foldtune_reducer_create(context, &problem, &sum) == FOLDTUNE_OK);
  foldtune_explanation explanation{};
  CHECK(foldtune_reducer_explain(sum, 1000, &explanation) == FOLDTUNE_OK);
  CHECK_THAT(told, ContainsSubstring(database));
  foldtune_reducer_destroy(sum);
  foldtune_context_destroy(context);
}

TEST_CASE("C API: statuses have names, and the library a version") {
  CHECK(std::string(foldtune_status_name(FOLDTUNE_OK)) == "ok");
  for (const foldtune_status status :
       {FOLDTUNE_INVALID_ARGUMENT, FOLDTUNE_UNAVAILABLE, FOLDTUNE_COMPILE_ERROR,
        FOLDTUNE_DEVICE_ERROR, FOLDTUNE_OUT_OF_MEMORY, FOLDTUNE_DATABASE_ERROR, FOLDTUNE_NOT_TUNED,
        FOLDTUNE_FAILED}) {
    CHECK_THAT(foldtune_status_name(status),
               !ContainsSubstring("ok") && !ContainsSubstring("unknown"));
  }
  CHECK(std::strchr(foldtune_version(), '.') != nullptr);
}

}  // namespace
}  // namespace foldtune::test
