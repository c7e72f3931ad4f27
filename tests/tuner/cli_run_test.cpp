// Reducing files on the CPU device without a tuning database.
#include <cmath>
#include <filesystem>
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
