// Histograms on the command line.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/catch.h"
#include "tests/tuner/npy_file.h"
#include "tests/tuner/program.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class HistogramFixture {
 protected:
  Outcome run(const Arguments& arguments, bool json) const {
    Arguments all{"run", "--device", "cpu", "--op", "histogram", "--repeat", "1"};
    if (json) all.emplace_back("--json");
    all.insert(all.end(), arguments.begin(), arguments.end());
    return place_.run(all);
  }
  Json report(const Arguments& arguments) const {
    const Outcome outcome = run(arguments, /*json=*/true);
    CAPTURE(outcome.out, outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return Json::parse(outcome.out);
  }
  std::string text(const Arguments& arguments) const { return run(arguments, /*json=*/false).out; }
  void check_usage_error(const Arguments& arguments, const std::string& message) const {
    const Outcome outcome = run(arguments, /*json=*/false);
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring(message));
  }

  Workplace place_;
  std::string bytes_ = place_.write("bytes", bytes_of(std::vector<std::uint8_t>{7, 255, 7, 0, 7}));
  std::string floats_ = place_.write(
      "floats.npy", npy_file(npy_header("<f4", "(5,)"),
                             bytes_of(std::vector<float>{-1, -0.25F, 0.5F, 0.75F, 9})));
};

TEST_CASE_METHOD(HistogramFixture, "Of bytes each value is counted") {
  const Json json = report({"--type", "u8", bytes_});
  const Json& counts = json["result"]["counts"];
  REQUIRE(counts.size() == 256);
  CHECK(counts[0] == 1);
  CHECK(counts[7] == 3);
  CHECK(counts[255] == 1);
  CHECK(json["result"]["counted"] == 5);
  CHECK(json["result"]["bins"] == 256);
  CHECK_FALSE(json["result"].contains("range"));
  CHECK(json["problem"] == Json{{"op", "histogram"},
                                {"type", "u8"},
                                {"counter", "u64"},
                                {"bins", "256"},
                                {"binning", "key"}});
  CHECK(json["result"]["first_key"] == 0);
  const Json of_signed = report({"--type", "i8", bytes_})["result"];
  CHECK(of_signed["counts"][127] == 1);  // -1
  CHECK(of_signed["first_key"] == -128);

  const std::string shown = text({"--type", "i8", bytes_});
  CHECK_THAT(shown, ContainsSubstring("result  256 bins, 5 of 5 elements counted\n"));
  CHECK_THAT(shown, ContainsSubstring("bin  key  count      %\n"));
  CHECK_THAT(shown, ContainsSubstring("        135    7      3  60.00\n"
                                      "        127   -1      1  20.00\n"
                                      "        128    0      1  20.00\nwhat"));
}

TEST_CASE_METHOD(HistogramFixture, "A range has even bins") {
  const Json json = report({"--bins", "4", "--range", "-1:1", "--counter", "u32", floats_});
  CHECK(json["result"]["counts"] == Json{1, 1, 0, 2});
  CHECK(json["result"]["range"] == Json{-1.0, 1.0});
  CHECK(json["result"]["counted"] == 4);
  CHECK(json["problem"]["counter"] == "u32");
  CHECK(report({"--type", "u8", "--range", "0:256", "--bins", "2", bytes_})["result"]["counts"] ==
        Json{4, 1});
  const std::string shown = text({"--bins", "4", "--range", "-1:1", floats_});
  CHECK_THAT(shown, ContainsSubstring("4 bins, 4 of 5 elements counted\n"));
  CHECK_THAT(shown, ContainsSubstring("3    [0.5, 1]      2  50.00\n"));
  CHECK_THAT(shown, ContainsSubstring("0  [-1, -0.5)      1  25.00\n"));
}

TEST_CASE_METHOD(HistogramFixture, "A range has the bounds that were written") {
  std::vector<std::int64_t> values(8);
  std::iota(values.begin(), values.end(), std::int64_t{1} << 53);
  const std::string wide = place_.write("wide", bytes_of(values));
  const Arguments range{
      "--type", "i64", "--bins", "8", "--range", "9007199254740993:9007199254741001", wide};
  const Json json = report(range);
  CHECK(json["result"]["counts"] == Json{1, 1, 1, 1, 1, 1, 1, 0});
  CHECK(json["result"]["range"] == Json{9007199254740993, 9007199254741001});
  CHECK_THAT(text(range), ContainsSubstring("[9007199254740993, 9007199254740994)"));
  const std::string last = place_.write("last", bytes_of(std::vector{UINT64_MAX, UINT64_MAX - 2}));
  CHECK(report({"--type", "u64", "--bins", "2", "--range",
                "18446744073709551614:+18446744073709551615", last})["result"]["counts"] ==
        Json{0, 1});
  const std::string small =
      place_.write("small", bytes_of(std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  CHECK(report({"--type", "i32", "--bins", "4", "--range", "0.0001:3.9999",
                small})["result"]["counts"] == Json{1, 0, 1, 1});
  const std::string real = place_.write("real", bytes_of(std::vector<float>{10007.1231F}));
  CHECK(report({"--type", "f32", "--range", "10007.123346875:26200", real})["result"]["counted"] ==
        0);
  const std::string tiny = place_.write("tiny", bytes_of(std::vector<double>{0, 1e-310, 2e-310}));
  CHECK(report({"--type", "f64", "--bins", "2", "--range", "0:1e-310", tiny})["result"]["counts"] ==
        Json{1, 1});
}

TEST_CASE_METHOD(HistogramFixture, "Edges have bins between them") {
  const std::vector<float> values{-1, 0.5F, 10};
  const std::string raw = place_.write("edges", bytes_of(values));
  const Json json = report({"--edges", raw, floats_});
  CHECK(json["result"]["counts"] == Json{2, 3});
  CHECK(json["result"]["edges"] == Json{-1.0, 0.5, 10.0});
  const std::string npy =
      place_.write("edges.npy", npy_file(npy_header("<f4", "(3,)"), bytes_of(values)));
  CHECK(report({"--edges", npy, "--bins", "2", floats_})["result"]["counts"] == Json{2, 3});
  CHECK_THAT(text({"--edges", raw, floats_}), ContainsSubstring("[0.5, 10]      3  60.00\n"));
}

TEST_CASE_METHOD(HistogramFixture, "Ten bins are shown, and all are told") {
  std::vector<std::uint8_t> values(1000);
  std::iota(values.begin(), values.end(), std::uint8_t{0});
  const std::string file = place_.write("values", bytes_of(values));
  const std::string shown = text({"--type", "u8", file});
  CHECK_THAT(shown, ContainsSubstring("\n          9    9      4  0.40\nwhat"));
  CHECK(report({"--type", "u8", file})["result"]["counts"][231] == 4);
  const std::string none = place_.write("none", "");
  CHECK_THAT(text({"--type", "u8", none}),
             ContainsSubstring("result  256 bins, 0 of 0 elements counted\nwhat"));
}

TEST_CASE_METHOD(HistogramFixture, "Each row of an array has counts of its own") {
  const std::string matrix = place_.write(
      "matrix.npy",
      npy_file(npy_header("|u1", "(2, 3)"), bytes_of<std::uint8_t>({1, 1, 2, 3, 0, 9})));
  const Arguments even{"--bins", "4", "--range", "0:4", matrix};
  const auto with = [&](Arguments more) {
    more.insert(more.end(), even.begin(), even.end());
    return more;
  };
  const Json json = report(with({"--axis", "1"}))["result"];
  CHECK(json["counts"] == Json{{0, 2, 1, 0}, {1, 0, 0, 1}});
  CHECK(json["bins"] == 4);
  CHECK(json["counted"] == 5);
  CHECK(report(with({}))["result"]["counts"] == Json{1, 2, 1, 1});
  CHECK(report(with({"--axis", "0,1"}))["result"]["counts"] == Json{1, 2, 1, 1});
  const std::string output = (place_.path() / "counts.npy").string();
  const std::string shown = text(with({"--axis", "-1", "--output", output}));
  CHECK_THAT(shown,
             ContainsSubstring("2 rows of 4 bins, 5 of 6 elements counted: 0, 2, 1, 0, 1, 0, "
                               "0, 1, an array (2, 4) of u64, in "));
  CHECK_THAT(shown, ContainsSubstring("--shape 2x3\n"));
  const std::string reduced = place_.run({"run", "--device", "cpu", "--op", "sum", output}).out;
  CHECK_THAT(reduced, ContainsSubstring("5"));
  check_usage_error(with({"--axis", "0"}), "transpose it");
  check_usage_error(with({"--axis", "2"}), "there is no axis 2");
  const std::string columns = place_.write(
      "columns.npy",
      npy_file(npy_header("|u1", "(2, 3)", "True"), bytes_of<std::uint8_t>({1, 3, 1, 0, 2, 9})));
  CHECK(report({"--bins", "4", "--range", "0:4", "--axis", "1", columns})["result"] == json);
  const std::string none = place_.write("none.npy", npy_file(npy_header("|u1", "(0, 3)"), ""));
  CHECK(report({"--axis", "1", none})["result"]["counts"] == Json::array());
}

TEST_CASE_METHOD(HistogramFixture, "Rows are tuned by their shape, and found by it") {
  const auto tune = [&](const Arguments& shape) {
    Arguments all{"tune",   "--device", "cpu",         "--op", "histogram",
                  "--type", "u8",       "--max-evals", "1"};
    all.insert(all.end(), shape.begin(), shape.end());
    return place_.run(all);
  };
  const Outcome tuned = tune({"--shape", "2x3"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("histogram u8 (256 bins, key, uniform) 2x3"));
  const std::string matrix = place_.write(
      "matrix.npy",
      npy_file(npy_header("|u1", "(2, 3)"), bytes_of<std::uint8_t>({1, 1, 2, 3, 0, 9})));
  const Json rows = report({"--axis", "1", matrix});
  CHECK(rows["config_source"] == "exact");
  CHECK(rows["tuned_shape"] == "2x3");
  CHECK(report({matrix})["config_source"] == "default");
  CHECK_THAT(place_.run({"show"}).out, ContainsSubstring("2x3"));
  const Outcome why = place_.run({"why", "--device", "cpu", "--op", "histogram", "--type", "u8",
                                  "--axis", "1", "--shape", "2x3"});
  CAPTURE(why.out, why.err);
  CHECK(why.exit_code == 0);
  CHECK_THAT(why.out, ContainsSubstring("rows x n = 2x3"));
  CHECK(tune({"--axis", "-1", "--shape", "4x100"}).exit_code == 0);
  CHECK(tune({"--shape", "1x100"}).exit_code == 0);
  CHECK_THAT(
      place_.run({"why", "--device", "cpu", "--op", "histogram", "--type", "u8", "--n", "100"}).out,
      ContainsSubstring("n = 100"));
  const Outcome several = tune({"--shape", "1x2x3"});
  CHECK(several.exit_code == 2);
  CHECK_THAT(several.err, ContainsSubstring("no shape of the family histogram: that is rowsxn"));
  const Outcome missing = tune({"--axis", "1"});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err, ContainsSubstring("--shape is required"));
}

TEST_CASE_METHOD(HistogramFixture, "A histogram is tuned for a distribution, and found by it") {
  const Outcome tuned =
      place_.run({"tune", "--device", "cpu", "--op", "histogram", "--type", "u8,f32", "--bins",
                  "256", "--distribution", "zipf", "--n", "5", "--max-evals", "1"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("histogram u8 (256 bins, key, zipf) 5"));
  CHECK_THAT(tuned.out, ContainsSubstring("privacy"));
  const auto source = [&](const Arguments& arguments) {
    return report(arguments)["config_source"];
  };
  CHECK(source({"--type", "u8", "--distribution", "zipf", bytes_}) == "exact");
  CHECK(source({"--range", "0:1", "--distribution", "zipf", floats_}) == "exact");
  CHECK(source({"--type", "u8", bytes_}) == "default");
  CHECK(source({"--type", "u8", "--range", "0:1", "--distribution", "zipf", bytes_}) == "default");

  const std::string shown = place_.run({"show", "--op", "histogram"}).out;
  CHECK_THAT(shown, ContainsSubstring("histogram f32 (256 bins, even, zipf) 5"));
  CHECK_THAT(shown, ContainsSubstring("privacy"));
  const Json rows = Json::parse(place_.run({"show", "--json", "--type", "f32"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["problem"]["binning"] == "even");
  CHECK(rows[0]["problem"]["distribution"] == "zipf");
}

TEST_CASE_METHOD(HistogramFixture, "The command that tunes a histogram tunes what was run") {
  const std::string edges = place_.write("edges", bytes_of(std::vector<float>{0, 1, 2, 3}));
  const std::string shown = text({"--edges", edges, "--counter", "u32", floats_});
  const std::string command = " --counter u32 --bins 3 --binning custom --n 5\n";
  CHECK_THAT(shown, ContainsSubstring("--op histogram --type f32" + command));
  const Outcome tuned = place_.run({"tune", "--device", "cpu", "--op", "histogram", "--n", "5",
                                    "--bins", "3", "--binning", "custom", "--distribution",
                                    "uniform", "--counter", "u32", "--max-evals", "1"});
  CAPTURE(tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK(report({"--edges", edges, "--counter", "u32", floats_})["config_source"] == "exact");
}

TEST_CASE_METHOD(HistogramFixture, "A histogram that cannot be is an error of usage") {
  const std::string falling = place_.write("falling", bytes_of(std::vector<float>{1, 2, 0}));
  const std::string two = place_.write("two", bytes_of(std::vector<float>{1, 2}));
  check_usage_error({floats_}, "need a range");
  check_usage_error({"--type", "u8", "--bins", "16", bytes_}, "need a range");
  check_usage_error({"--range", "1:0", floats_}, "not below the upper bound");
  check_usage_error({"--range", "0:inf", floats_}, "not both finite");
  for (const std::string range : {"1", ":", "1:", ":1", "a:b", "0:1:2", "0:1 "}) {
    check_usage_error({"--range", range, floats_}, "--range: '" + range + "'");
  }
  check_usage_error({"--range", "0:1", "--edges", two, floats_}, "give one of them");
  check_usage_error({"--edges", two, floats_}, "has 2 edges");
  const std::string table = place_.write(
      "table.npy", npy_file(npy_header("<f4", "(2, 2)"), bytes_of<float>({1, 2, 3, 4})));
  check_usage_error({"--edges", table, floats_}, "has the shape (2, 2)");
  check_usage_error({"--edges", falling, floats_}, "edge 2 is 0, after 2");
  const std::string no_number = place_.write("nan", bytes_of(std::vector<float>{1, NAN, 3}));
  check_usage_error({"--edges", no_number, floats_}, "edge 1 is nan, after 1");
  check_usage_error({"--edges", bytes_, floats_}, "not a multiple");
  check_usage_error({"--edges", floats_, "--bins", "5", floats_}, "the edges of 4 bins");
  check_usage_error({"--range", "0:1", "--bins", "1", floats_}, "a whole number from 2 to 1048576");
  check_usage_error({"--range", "0:1", "--bins", "2M", floats_},
                    "a whole number from 2 to 1048576");
  check_usage_error({"--range", "0:1", "--counter", "f32", floats_},
                    "counts in u64 or u32, not in f32");
  check_usage_error({"--type", "u8", "--distribution", "odd", bytes_},
                    "--distribution: there is no 'odd'");
  check_usage_error({"--type", "u8", "--nan", "ignore", bytes_}, "histogram has no --nan");
  check_usage_error({"--type", "u8", bytes_, bytes_}, "histogram takes 1 file, not 2");
  check_usage_error({"--type", "u8", "--range", "0:1", "--binning", "key", bytes_},
                    "--range is for even bins");
  check_usage_error({"--binning", "custom", floats_}, "need their edges");
  const Outcome sum = place_.run({"run", "--device", "cpu", "--op", "sum", "--bins", "4", floats_});
  CHECK(sum.exit_code == 2);
  CHECK_THAT(sum.err, ContainsSubstring("reduce has no --bins"));
  const Outcome range = place_.run({"run", "--device", "cpu", "--range", "0:1", floats_});
  CHECK(range.exit_code == 2);
  CHECK_THAT(range.err, ContainsSubstring("--range is for --family histogram"));
  const Outcome keys = place_.run({"tune", "--device", "cpu", "--op", "histogram", "--type", "f32",
                                   "--binning", "key", "--n", "1K"});
  CHECK(keys.exit_code == 2);
  CHECK_THAT(keys.err, ContainsSubstring("8-bit types"));
}

}  // namespace
}  // namespace foldtune::test
