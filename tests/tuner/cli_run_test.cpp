// Reducing files on the CPU device without a tuning database.
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/tuner/npy_file.h"
#include "tests/tuner/program.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

/// The JSON report of `foldtune run` on the CPU device with these arguments.
Json run(const Workplace& place, std::vector<std::string> arguments) {
  const std::vector<std::string> common{"run", "--device", "cpu", "--json", "--repeat", "1"};
  arguments.insert(arguments.begin(), common.begin(), common.end());
  const Outcome outcome = place.run(arguments);
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

TEST_CASE("A raw file is reduced untuned, and no database is made") {
  const Workplace place;
  const std::string file = place.write("data", bytes_of(std::vector<float>{1.5F, -2.0F, 4.25F}));
  const Outcome outcome = place.run({"run", "--device", "cpu", "--type", "f32", file});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("result  3.75\n"));
  CHECK_THAT(outcome.out, ContainsSubstring("default: there is no tuning database"));
  CHECK_THAT(outcome.out, ContainsSubstring("foldtune tune --device cpu --op sum --type f32"));
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("A .npy file brings its type, whatever its name") {
  const Workplace place;
  const std::vector<double> values{0.1, 0.2, 0.3, 0.4, 0.5, -6.0};
  const std::string file =
      place.write("data.bin", npy_file(npy_header("<f8", "(2, 3)", "True"), bytes_of(values)));
  const Json report = run(place, {"--op", "max", file});
  CHECK(report["result"] == 0.5);
  CHECK(report["element_type"] == "f64");
  CHECK(report["element_count"] == 6);
}

TEST_CASE("The result is printed so that reading it gives the same bits") {
  const Workplace place;
  const double value = 0.1 + 0.2;
  const std::string file = place.write("data", bytes_of(std::vector<double>{value}));
  CHECK(run(place, {"--type", "f64", file})["result"].get<double>() == value);
  const Outcome text = place.run({"run", "--device", "cpu", "--type", "f64", file});
  CHECK_THAT(text.out, ContainsSubstring("result  0.30000000000000004\n"));
}

TEST_CASE("A sum of integers is kept in 64 bits, or in what --acc says") {
  const Workplace place;
  const std::vector<std::int32_t> values(3, 2000000000);
  const std::string file = place.write("data", bytes_of(values));
  CHECK(run(place, {"--type", "i32", file})["result"] == 6000000000);
  CHECK(run(place, {"--type", "i32", "--acc", "i32", file})["result"] == 1705032704);
}

TEST_CASE("Elements of 64 and of 16 bits are reduced") {
  const Workplace place;
  const std::vector<std::int64_t> wide{5'000'000'000, -1};
  const std::string npy =
      place.write("wide.npy", npy_file(npy_header("<i8", "(2,)"), bytes_of(wide)));
  CHECK(run(place, {npy})["result"] == 4999999999);
  CHECK(run(place, {"--op", "min", npy})["result"] == -1);
  const std::vector<std::uint16_t> narrow(3, 65535);
  const std::string raw = place.write("narrow", bytes_of(narrow));
  CHECK(run(place, {"--type", "u16", raw})["result"] == 3 * 65535);
  CHECK(run(place, {"--type", "i16", raw})["result"] == -3);
  const std::vector<std::uint16_t> halves(3, 0x3800);  // 0.5 as f16
  const std::string half = place.write("half", bytes_of(halves));
  CHECK(run(place, {"--type", "f16", half})["result"] == 1.5);
}

TEST_CASE("A .npy file of any type is reduced") {
  const Workplace place;
  const auto sum = [&](const std::string& dtype, const std::string& data) {
    const std::string file = place.write("data.npy", npy_file(npy_header(dtype, "(2,)"), data));
    return run(place, {file})["result"];
  };
  CHECK(sum("|i1", bytes_of(std::vector<std::int8_t>{-128, -1})) == -129);
  CHECK(sum("|u1", bytes_of(std::vector<std::uint8_t>{255, 1})) == 256);
  CHECK(sum("<i2", bytes_of(std::vector<std::int16_t>{-32768, -1})) == -32769);
  CHECK(sum("<u2", bytes_of(std::vector<std::uint16_t>{65535, 1})) == 65536);
  CHECK(sum("<u4", bytes_of(std::vector<std::uint32_t>{4294967295, 1})) == 4294967296);
  CHECK(sum("<u8", bytes_of(std::vector<std::uint64_t>{18446744073709551613U, 1})) ==
        18446744073709551614U);
  CHECK(sum("<f2", bytes_of(std::vector<std::uint16_t>{0x3800, 0x3c00})) == 1.5);
}

TEST_CASE("bf16 is read from raw files and from arrays of 2 bytes") {
  const Workplace place;
  const std::string data = bytes_of(std::vector<std::uint16_t>{0x3f80, 0x4000});  // 1 and 2
  const std::string raw = place.write("raw", data);
  CHECK(run(place, {"--type", "bf16", raw})["result"] == 3);
  const std::string words = place.write("words.npy", npy_file(npy_header("<u2", "(2,)"), data));
  CHECK(run(place, {"--type", "bf16", words})["result"] == 3);
  const std::string bytes = place.write("bytes.npy", npy_file(npy_header("|V2", "(2,)"), data));
  const Json report = run(place, {"--type", "bf16", "--op", "max", bytes});
  CHECK(report["result"] == 2);
  CHECK(report["accumulator_type"] == "bf16");
}

TEST_CASE("A number above 2^63 is printed as it is") {
  const Workplace place;
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::string file = place.write("data", bytes_of(std::vector<std::uint64_t>{1, most}));
  CHECK(run(place, {"--type", "u64", "--op", "max", file})["result"] == most);
  const Outcome text =
      place.run({"run", "--device", "cpu", "--type", "u64", "--op", "argmax", file});
  CHECK_THAT(text.out, ContainsSubstring("result  value 18446744073709551615 at index 1\n"));
}

TEST_CASE("A result is printed in its shape") {
  const Workplace place;
  const std::string file =
      place.write("data", bytes_of(std::vector<float>{1.5F, -2.0F, 4.25F, -2.0F}));
  const Json least = run(place, {"--op", "argmin", "--type", "f32", file})["result"];
  CHECK(least == Json{{"value", -2.0}, {"index", 1}});
  const Json extremes = run(place, {"--op", "minmax", "--type", "f32", file})["result"];
  CHECK(extremes == Json{{"min", -2.0}, {"max", 4.25}});
  const auto text = [&](const std::string& op) {
    return place.run({"run", "--device", "cpu", "--op", op, "--type", "f32", file}).out;
  };
  CHECK_THAT(text("argabsmax"), ContainsSubstring("result  value 4.25 at index 2\n"));
  CHECK_THAT(text("minmax"), ContainsSubstring("result  min -2, max 4.25\n"));
  CHECK_THAT(text("count_nonzero"), ContainsSubstring("result  4\n"));
  CHECK_THAT(text("all"), ContainsSubstring("result  1\n"));
}

TEST_CASE("Two files are folded together") {
  const Workplace place;
  const std::string x = place.write(
      "x.npy",
      npy_file(npy_header("<i2", "(3,)"), bytes_of(std::vector<std::int16_t>{1000, -2, 3})));
  const std::string y = place.write("y", bytes_of(std::vector<std::int16_t>{1000, 5, 7}));
  const Json report = run(place, {"--op", "dot", x, y});
  CHECK(report["result"] == 1000011);
  CHECK(report["files"] == Json{x, y});
  CHECK(report["element_count"] == 3);
}

TEST_CASE("Options change the result") {
  const Workplace place;
  const std::string file =
      place.write("data", bytes_of(std::vector<double>{1.0, std::nan(""), 3.0}));
  CHECK(run(place, {"--op", "max", "--type", "f64", file})["result"] == "nan");
  CHECK(run(place, {"--op", "max", "--nan", "ignore", "--type", "f64", file})["result"] == 3);
  const std::string whole = place.write("whole", bytes_of(std::vector<std::int32_t>{1, 2, 6}));
  const auto variance = [&](const std::string& ddof) {
    return run(place, {"--op", "variance", "--ddof", ddof, "--type", "i32", whole});
  };
  CHECK(variance("0")["result"].get<double>() == Approx(14.0 / 3));
  CHECK(variance("1")["result"] == 7);
  CHECK(variance("1")["ddof"] == 1);
  const Json narrow = run(place, {"--op", "mean", "--result", "bf16", "--type", "i32", whole});
  CHECK(narrow["result"] == 3);
  CHECK(narrow["accumulator_type"] == "f64");
  CHECK(narrow["result_type"] == "bf16");
  const Json ordered = run(place, {"--determinism", "config_independent", "--type", "i32", whole});
  CHECK(ordered["determinism"] == "config_independent");
}

TEST_CASE("Nothing has no least element") {
  const Workplace place;
  const std::string file = place.write("empty", "");
  for (const std::string op : {"argmin", "argabsmax", "mean", "stddev"}) {
    const Outcome outcome =
        place.run({"run", "--device", "cpu", "--type", "f32", "--op", op, file});
    CAPTURE(op, outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring("calling " + op + " on an empty input"));
  }
}

TEST_CASE("The command that tunes what was run has its options") {
  const Workplace place;
  const std::string file = place.write("data", bytes_of(std::vector<float>{1, 2}));
  const Outcome outcome = place.run({"run", "--device", "cpu", "--type", "f32", "--op", "max",
                                     "--nan", "ignore", "--determinism", "any", file});
  CHECK_THAT(outcome.out,
             ContainsSubstring("foldtune tune --device cpu --op max --type f32 --n 2 --nan ignore "
                               "--determinism any\n"));
  // Of which "all" alone would be every operator.
  const Outcome all = place.run({"run", "--device", "cpu", "--type", "f32", "--op", "all", file});
  CHECK_THAT(all.out, ContainsSubstring(" --op all,all "));
}

TEST_CASE("An empty file gives the operator's identity") {
  const Workplace place;
  const std::string raw = place.write("empty", "");
  const std::string npy = place.write("empty.npy", npy_file(npy_header("<f4", "(0,)"), ""));
  CHECK(run(place, {"--type", "f32", raw})["result"] == 0.0);
  CHECK(run(place, {npy})["result"] == 0.0);
  CHECK(run(place, {"--op", "min", "--type", "f32", raw})["result"] == "inf");
  CHECK(run(place, {"--op", "max", "--type", "f64", raw})["result"] == "-inf");
  CHECK(run(place, {"--op", "min", "--type", "i32", raw})["result"] == 2147483647);
}

TEST_CASE("NaN is propagated and printed") {
  const Workplace place;
  const std::string file =
      place.write("data", bytes_of(std::vector<float>{1.0F, std::nanf(""), 2.0F}));
  const Json report = run(place, {"--op", "min", "--type", "f32", file});
  CHECK_THAT(report["result"].get<std::string>(), ContainsSubstring("nan"));
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
  CHECK(run(place, {"--type", "i32", file})["result"] == 111);
}

}  // namespace
}  // namespace foldtune::test
