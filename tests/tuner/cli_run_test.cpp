// Reducing files on the CPU device without a tuning database.
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/catch.h"
#include "tests/tuner/npy_file.h"
#include "tests/tuner/npz_file.h"
#include "tests/tuner/program.h"
#include "tests/tuner/run_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

TEST_CASE("A raw file is reduced untuned, and no database is made") {
  const Workplace place;
  const std::string file = place.write("data", bytes_of(std::vector<float>{1.5F, -2.0F, 4.25F}));
  const Outcome outcome = run_cpu(place, {"--type", "f32", file});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("result  3.75\n") &&
                              ContainsSubstring("default: there is no tuning database") &&
                              ContainsSubstring("foldtune tune --device cpu --op sum --type f32"));
  const std::string other = place.file("other.db");
  const Json report = report_of_run(place, {"--type", "f32", file, "--db", other});
  CHECK(report["tune_command"] ==
        "foldtune tune --device cpu --db " + other + " --op sum --type f32 --n 3");
  CHECK(report["tuned_us"].is_null());
  CHECK(report["tuned_shape"].is_null());
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("A .npy file brings its type, whatever its name") {
  const Workplace place;
  const std::vector<double> values{0.1, 0.2, 0.3, 0.4, 0.5, -6.0};
  const std::string file =
      place.write("data.bin", npy_file(npy_header("<f8", "(2, 3)", "True"), bytes_of(values)));
  const Json report = report_of_run(place, {"--op", "max", file});
  CHECK(report["result"] == 0.5);
  CHECK(report["problem"]["type"] == "f64");
  CHECK(report["shape"] == "6");
}

template <class T>
std::string npy_of(const std::string& dtype, const std::vector<T>& values) {
  return npy_file(npy_header(dtype, "(" + std::to_string(values.size()) + ",)"), bytes_of(values));
}

TEST_CASE("Elements of any type are reduced to a number in the JSON report", "[kernels]") {
  struct Case {
    const char* what;
    std::string file;
    Arguments options;
    Json result;
  };
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::int32_t> large(3, 2'000'000'000);
  const std::vector<std::int32_t> whole{1, 2, 6};
  const std::vector<double> with_nan{1.0, std::nan(""), 3.0};
  const std::string bf16 = bytes_of(std::vector<std::uint16_t>{0x3f80, 0x4000});  // 1 and 2
  const std::vector<Case> cases{
      {"64 bits", bytes_of(large), {"--type", "i32"}, 6'000'000'000},
      {"--accumulator", bytes_of(large), {"--type", "i32", "--accumulator", "i32"}, 1'705'032'704},
      {"i64", npy_of("<i8", std::vector<std::int64_t>{5'000'000'000, -1}), {}, 4'999'999'999},
      {"u64", npy_of("<u8", std::vector<std::uint64_t>{kMost - 2, 1}), {}, kMost - 1},
      {"above 2^63", bytes_of(std::vector{1, kMost}), {"--type", "u64", "--op", "max"}, kMost},
      {"i8", npy_of("|i1", std::vector<std::int8_t>{-128, -1}), {}, -129},
      {"u16", bytes_of(std::vector<std::uint16_t>(3, 65535)), {"--type", "u16"}, 3 * 65535},
      {"f16", npy_of("<f2", std::vector<std::uint16_t>{0x3800, 0x3c00}), {}, 1.5},
      {"raw bf16", bf16, {"--type", "bf16"}, 3},
      {"bf16 as u16", npy_file(npy_header("<u2", "(2,)"), bf16), {"--type", "bf16"}, 3},
      {"bf16 as bytes", npy_file(npy_header("|V2", "(2,)"), bf16), {"--type", "bf16"}, 3},
      {"u16 untold", npy_file(npy_header("<u2", "(2,)"), bf16), {}, 0x3f80 + 0x4000},
      {"NaN", bytes_of(with_nan), {"--type", "f64", "--op", "max"}, "nan"},
      {"no NaN", bytes_of(with_nan), {"--type", "f64", "--op", "max", "--nan", "ignore"}, 3},
      {"n", bytes_of(whole), {"--op", "variance", "--type", "i32", "--ddof", "1"}, 7},
      {"empty raw", "", {"--type", "f32"}, 0.0},
      {"empty .npy", npy_file(npy_header("<f4", "(0,)"), ""), {"--op", "min"}, "inf"},
      {"lowest", "", {"--type", "f64", "--op", "max"}, "-inf"},
      {"greatest", "", {"--type", "i32", "--op", "min"}, 2147483647},
  };
  const Workplace place;
  for (const Case& one : cases) {
    CAPTURE(one.what);
    Arguments arguments = one.options;
    arguments.push_back(place.write("data", one.file));
    CHECK(report_of_run(place, arguments)["result"] == one.result);
  }
}

TEST_CASE("The report names what was asked for") {
  const Workplace place;
  const std::string file = place.write("whole", bytes_of(std::vector<std::int32_t>{1, 2, 6}));
  const Json narrow =
      report_of_run(place, {"--op", "mean", "--result", "bf16", "--type", "i32", file});
  CHECK(narrow["result"] == 3);
  CHECK(narrow["problem"]["accumulator"] == "f64");
  CHECK(narrow["problem"]["result"] == "bf16");
  const Json sample = report_of_run(place, {"--op", "stddev", "--ddof", "1", "--type", "i32",
                                            "--determinism", "config_independent", file});
  CHECK(sample["result"].get<double>() == Approx(std::sqrt(7.0)));
  CHECK(sample["problem"]["ddof"] == "1");
  CHECK(sample["problem"]["determinism"] == "config_independent");
}

TEST_CASE("A result is printed in its shape, and so that reading it gives the same bits",
          "[kernels]") {
  const Workplace place;
  const std::string file =
      place.write("data", bytes_of(std::vector<float>{1.5F, -2.0F, 4.25F, -2.0F}));
  CHECK(report_of_run(place, {"--op", "argmin", "--type", "f32", file})["result"] ==
        Json{{"value", -2.0}, {"index", 1}});
  CHECK(report_of_run(place, {"--op", "minmax", "--type", "f32", file})["result"] ==
        Json{{"min", -2.0}, {"max", 4.25}});
  const double value = 0.1 + 0.2;
  const std::string third = place.write("third", bytes_of(std::vector<double>{value}));
  CHECK(report_of_run(place, {"--type", "f64", third})["result"].get<double>() == value);
  const std::string great =
      place.write("great", bytes_of(std::vector{1, std::numeric_limits<std::uint64_t>::max()}));
  for (const auto& [arguments, text] : std::vector<std::pair<Arguments, std::string>>{
           {{"--op", "argabsmax", "--type", "f32", file}, "value 4.25 at index 2"},
           {{"--op", "minmax", "--type", "f32", file}, "min -2, max 4.25"},
           {{"--op", "count_nonzero", "--type", "f32", file}, "4"},
           {{"--op", "argmax", "--type", "u64", great}, "value 18446744073709551615 at index 1"},
           {{"--type", "f64", third}, "0.30000000000000004"}}) {
    CHECK_THAT(run_cpu(place, arguments).out, ContainsSubstring("result  " + text + "\n"));
  }
}

TEST_CASE("Two files are folded together") {
  const Workplace place;
  const std::string x = place.write("x.npy", npy_of("<i2", std::vector<std::int16_t>{1000, -2, 3}));
  const std::string y = place.write("y", bytes_of(std::vector<std::int16_t>{1000, 5, 7}));
  const Json report = report_of_run(place, {"--op", "dot", x, y});
  CHECK(report["result"] == 1000011);
  CHECK(report["files"] == Json{x, y});
  CHECK(report["shape"] == "3");
}

/// The numbers 0 to 5 as an array of 2 rows and 3 columns.
std::string matrix(const std::string& dtype, bool is_fortran_order, const std::string& shape) {
  const std::vector<float> rows{0, 1, 2, 3, 4, 5};
  const std::vector<float> columns{0, 3, 1, 4, 2, 5};
  return npy_file(npy_header(dtype, shape, is_fortran_order ? "True" : "False"),
                  bytes_of(is_fortran_order ? columns : rows));
}

TEST_CASE("Elements are paired and counted by their indices, in whatever order a file has them",
          "[kernels]") {
  const Workplace place;
  const std::string rows = place.write("rows.npy", matrix("<f4", false, "(2, 3)"));
  const std::string columns = place.write("columns.npy", matrix("<f4", true, "(2, 3)"));
  const std::string other = place.write("other.npy", matrix("<f4", false, "(3, 2)"));
  CHECK(report_of_run(place, {"--op", "dot", rows, columns})["result"] == 55);
  CHECK(report_of_run(place, {"--op", "custom", "--inputs", "f32,f32", "--map", "x * y", columns,
                              rows})["result"] == 55);
  CHECK(report_of_run(place, {"--op", "custom", "--inputs", "f32", "--map", "x * i",
                              columns})["result"] == 55);
  const Json least = report_of_run(place, {"--op", "argmax", columns});
  CHECK(least["result"] == Json{{"value", 5.0}, {"index", 5}, {"indices", {1, 2}}});
  CHECK(least["array_shape"] == Json{2, 3});
  CHECK_THAT(run_cpu(place, {"--op", "argmax", rows}).out,
             ContainsSubstring("result  value 5 at index 5, [1, 2] of (2, 3)\n"));
  const Outcome unlike = run_cpu(place, {"--op", "dot", rows, other});
  CHECK(unlike.exit_code == kUsage);
  CHECK_THAT(unlike.err, ContainsSubstring("(2, 3)") && ContainsSubstring("(3, 2)"));
}

TEST_CASE("An array of an .npz file is reduced by its name, and text as raw bytes on request") {
  const Workplace place;
  const std::string file = place.write(
      "data.npz",
      npz_file({{"x.npy", matrix("<f4", false, "(6,)")}, {"y.npy", matrix("<f4", true, "(6,)")}}));
  const Json report = report_of_run(place, {file + ":x"});
  CHECK(report["result"] == 15);
  CHECK(report["files"] == Json{file + ":x"});
  CHECK(report_of_run(place, {"--raw", "--type", "u8", place.write("text", "1\n")})["result"] ==
        '1' + '\n');
}

TEST_CASE("NaN is nan, whatever its sign", "[kernels]") {
  const Workplace place;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float negative = std::copysign(std::numeric_limits<float>::quiet_NaN(), -1.0F);
  const std::string file = place.write("nan", bytes_of(std::vector<float>{1, negative, 3}));
  const std::string sum = place.write("sum", bytes_of(std::vector<float>{kInfinity, -kInfinity}));
  CHECK_THAT(run_cpu(place, {"--op", "argmax", "--type", "f32", file}).out,
             ContainsSubstring("result  value nan at index 1\n"));
  CHECK_THAT(run_cpu(place, {"--type", "f32", sum}).out, ContainsSubstring("result  nan\n"));
  CHECK(report_of_run(place, {"--type", "f32", sum})["result"] == "nan");
  CHECK(report_of_run(place, {"--op", "argmin", "--type", "f32", file})["result"] ==
        Json{{"value", "nan"}, {"index", 1}});
}

TEST_CASE("What is not a number is nan, whatever made it", "[kernels]") {
  const Workplace place;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const float negative = std::copysign(std::numeric_limits<float>::quiet_NaN(), -1.0F);
  const std::string sum = place.write("sum", bytes_of(std::vector<double>{kInfinity, -kInfinity}));
  const std::string one = place.write("one", bytes_of(std::vector<float>{5}));
  const std::string some = place.write("some", bytes_of(std::vector<float>{1, negative, 3}));
  struct Case {
    Arguments arguments;
    std::string text;
    Json json;
  };
  for (const auto& [arguments, text, json] :
       std::vector<Case>{{{"--type", "f64", sum}, "nan", "nan"},
                         {{"--type", "f64", "--op", "mean", sum}, "nan", "nan"},
                         {{"--type", "f32", "--op", "variance", "--ddof", "1", one}, "nan", "nan"},
                         {{"--type", "f32", "--op", "stddev", "--ddof", "1", one}, "nan", "nan"},
                         {{"--type", "f32", "--op", "minmax", some},
                          "min nan, max nan",
                          {{"min", "nan"}, {"max", "nan"}}}}) {
    CAPTURE(arguments);
    CHECK_THAT(run_cpu(place, arguments).out, ContainsSubstring("result  " + text + "\n"));
    CHECK(report_of_run(place, arguments)["result"] == json);
  }
}

/// `count` whole numbers from `first` on, of which the digit from 0 to 9 is random.
std::vector<float> with_random_digit(std::size_t count, float first) {
  std::mt19937 random(1);
  std::vector<float> values(count);
  for (float& value : values) value = first + static_cast<float>(random() % 10);
  return values;
}

double variance_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (const float value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size());
}

TEST_CASE("Norms, means and variances stay in range, and keep the digits of a large offset",
          "[kernels]") {
  struct Case {
    const char* op;
    const char* type;
    std::string file;
    double right;
  };
  std::vector<float> large;
  for (int i = 0; i < 500; ++i) large.insert(large.end(), {1e20F, 1.2e20F});
  std::vector<float> digits;
  for (int i = 0; i < 9; ++i) digits.push_back(1.6e7F + static_cast<float>(i));
  const std::vector<float> many = with_random_digit(100'000, 1e7F);
  constexpr std::int64_t kOffset = std::int64_t{1} << 53;
  const std::vector<std::int64_t> offset{kOffset, kOffset + 2, kOffset + 4};
  const std::vector<double> same(offset.begin(), offset.end());
  const std::vector<Case> cases{
      {"nrm2", "f32", bytes_of(std::vector<float>{1e20F, 1, 1}), 1e20},
      {"nrm2", "f32", bytes_of(std::vector<float>(4, 1e-30F)), 2e-30},
      {"nrm2", "f32", bytes_of(std::vector<float>{3e-23F, 4e-23F}), 5e-23},
      {"nrm2", "f64", bytes_of(std::vector<double>{1e200, 1e200}), std::sqrt(2.0) * 1e200},
      {"stddev", "f32", bytes_of(large), 1e19},
      {"variance", "f32", bytes_of(large), 1e38},
      {"mean", "f32", bytes_of(std::vector<float>(3, 3e38F)), 3e38},
      {"variance", "i64", bytes_of(offset), 8.0 / 3},
      {"variance", "f64", bytes_of(same), 8.0 / 3},
      {"variance", "f32", bytes_of(digits), 60.0 / 9},
      {"variance", "f32", bytes_of(many), variance_of(many)},
  };
  const Workplace place;
  for (const auto& [op, type, file, right] : cases) {
    for (const std::string determinism : {"run_to_run", "config_independent"}) {
      CAPTURE(op, type, determinism);
      const Json report = report_of_run(place, {"--op", op, "--type", type, "--determinism",
                                                determinism, place.write("data", file)});
      CHECK(report["result"].get<double>() == Approx(right).epsilon(1e-4));
    }
  }
}

TEST_CASE("Where no element counts, the index is -1, and that is said", "[kernels]") {
  const Workplace place;
  const std::string file =
      place.write("nan", bytes_of(std::vector<float>(4, std::numeric_limits<float>::quiet_NaN())));
  const Arguments arguments{"--op", "argmin", "--nan", "ignore", "--type", "f32", file};
  const Outcome outcome = run_cpu(place, arguments);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("result  value inf at index -1\n"));
  CHECK_THAT(outcome.err, ContainsSubstring("no element counted") && ContainsSubstring("all 4"));
  CHECK(report_of_run(place, arguments)["result"] == Json{{"value", "inf"}, {"index", -1}});
}

TEST_CASE("Beside an index stands the element that is there, of zeros the first", "[kernels]") {
  const Workplace place;
  const std::string file = place.write("zeros", bytes_of(std::vector<float>{1, 0.0F, -0.0F, 1}));
  CHECK_THAT(run_cpu(place, {"--op", "argmin", "--type", "f32", file}).out,
             ContainsSubstring("result  value 0 at index 1\n"));
  CHECK_THAT(run_cpu(place, {"--op", "min", "--type", "f32", file}).out,
             ContainsSubstring("result  -0\n"));
}

TEST_CASE("Nothing has no least element") {
  const Workplace place;
  const std::string file = place.write("empty", "");
  for (const std::string op : {"argmin", "argabsmax", "mean", "stddev"}) {
    const Outcome outcome = run_cpu(place, {"--type", "f32", "--op", op, file});
    CAPTURE(op, outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring("calling " + op + " f32: an empty input"));
  }
}

TEST_CASE("The command that tunes what was run has its options") {
  const Workplace place;
  const std::string file = place.write("data", bytes_of(std::vector<float>{1, 2}));
  const Outcome outcome = run_cpu(
      place, {"--type", "f32", "--op", "max", "--nan", "ignore", "--determinism", "any", file});
  CHECK_THAT(outcome.out,
             ContainsSubstring("foldtune tune --device cpu --op max --type f32 --determinism any "
                               "--nan ignore --n 2\n"));
  const Outcome all = run_cpu(place, {"--type", "f32", "--op", "all", file});
  CHECK_THAT(all.out, ContainsSubstring("result  1\n") && ContainsSubstring(" --op all "));
}

TEST_CASE("A file of many chunks is reduced as a whole") {
  const Workplace place;
  // More than is copied to the device at a time, with elements that straddle no boundary.
  const std::size_t count = (std::size_t{33} << 20) / sizeof(std::int32_t) + 1;
  std::vector<std::int32_t> values(count, 0);
  values.front() = 1;
  values[(std::size_t{32} << 20) / sizeof(std::int32_t)] = 10;
  values.back() = 100;
  const std::string file = place.write("data", bytes_of(values));
  CHECK(report_of_run(place, {"--type", "i32", file})["result"] == 111);
}

}  // namespace
}  // namespace foldtune::test
