// Which cells the thresholds apply to.
#include <algorithm>
#include <set>
#include <string>

#include "bench/check.h"
#include "tests/bench/invented_report.h"
#include "tests/catch.h"

namespace foldtune::bench::test {
namespace {

constexpr std::uint64_t power(int exponent) { return std::uint64_t{1} << exponent; }

/// Names of the thresholds that apply to the cell and are for every cell.
std::set<std::string> applying(const Cell& cell) {
  std::set<std::string> names;
  for (const Threshold& threshold : thresholds()) {
    const bool applies = threshold.manner == cell.manner && threshold.applies(cell);
    if (applies && threshold.over == Over::each_cell) names.insert(std::string(threshold.name));
  }
  names.erase("best library, every cell");
  names.erase("untuned, every cell");
  return names;
}

using Names = std::set<std::string>;

TEST_CASE("Thresholds have names of their own") {
  std::set<std::string_view> names;
  for (const Threshold& threshold : thresholds()) CHECK(names.insert(threshold.name).second);
}

TEST_CASE("The band of f32 sums is from 2^13 to 2^22") {
  const Names band{"f32 sum, 2^13 to 2^22, every cell"};
  CHECK(applying(sum_cell(power(13) - 1)).empty());
  CHECK(applying(sum_cell(power(13))) == band);
  CHECK(applying(sum_cell(1000003)) == band);
  CHECK(applying(sum_cell(power(22))) == band);
  CHECK(applying(sum_cell(power(22) + 1)).empty());
  CHECK(applying(sum_cell(power(20), "f64")).empty());
}

TEST_CASE("Narrow sums are of 1 and 2 bytes") {
  const Names narrow{"sums of 1 and 2 bytes, from 2^24"};
  for (const char* type : {"i8", "u8", "i16", "f16", "bf16"}) {
    CAPTURE(type);
    CHECK(applying(sum_cell(power(24), type)) == narrow);
    CHECK(applying(sum_cell(power(22), type)).empty());
  }
  CHECK(applying(sum_cell(power(24), "i32")).empty());
}

TEST_CASE("Bandwidths are of inputs of a gibibyte and more") {
  CHECK(applying(sum_cell(power(27))).empty());
  CHECK(applying(sum_cell(power(28))) == Names{"GB/s of 4 and 8 bytes, 1 GiB"});
  CHECK(applying(sum_cell(power(28), "f64")) == Names{"GB/s of 4 and 8 bytes, 1 GiB"});
  CHECK(applying(sum_cell(power(30))) == Names{"GB/s of 4 and 8 bytes, from 4 GiB"});
  CHECK(applying(sum_cell(power(30), "i8")).count("GB/s of 1 and 2 bytes, from 1 GiB") == 1);
  CHECK(applying(sum_cell(power(28), "i8")).count("GB/s of 1 and 2 bytes, from 1 GiB") == 0);
}

TEST_CASE("Histograms of bytes have lines by size and distribution") {
  const Names large{"histogram of bytes, uniform and zipf, 2^28"};
  CHECK(applying(histogram_cell(power(28), "uniform")) == large);
  CHECK(applying(histogram_cell(power(28), "zipf")) == large);
  CHECK(applying(histogram_cell(power(24), "zipf")) ==
        Names{"histogram of bytes, uniform and zipf, 2^24"});
  for (const int exponent : {24, 26, 28}) {
    CHECK(applying(histogram_cell(power(exponent), "constant")) ==
          Names{"histogram of bytes, constant, from 2^24"});
  }
  CHECK(applying(histogram_cell(power(20), "constant")) == Names{"histogram of bytes, 2^20"});
  CHECK(applying(histogram_cell(power(22), "uniform")).empty());
}

TEST_CASE("What cuBLAS has of one vector is compared with it at every size") {
  for (const char* op : {"nrm2", "asum", "argabsmax"}) {
    Cell cell = sum_cell(1024);
    cell.problem["op"] = op;
    CHECK(applying(cell) == Names{"nrm2, asum and argabsmax"});
  }
}

TEST_CASE("A stream has no library before Foldtune, and a result is there much sooner up to 2^20") {
  CHECK(applying(sum_cell(power(20), "f32", "stream")) == Names{"back to back, every cell"});
  CHECK(applying(sum_cell(power(30), "f32", "stream")) == Names{"back to back, every cell"});
  CHECK(applying(sum_cell(power(20), "f32", "latency")) == Names{"to the result, up to 2^20"});
  CHECK(applying(sum_cell(power(20) + 1, "f32", "latency")) == Names{"to the result, above 2^20"});
  CHECK(applying(sum_cell(power(20), "f32", "hot")).empty());
}

TEST_CASE("The limits are those that the project claims") {
  const auto limit = [](std::string_view name) {
    const auto found = std::ranges::find(thresholds(), name, &Threshold::name);
    REQUIRE(found != thresholds().end());
    return found->limit;
  };
  CHECK(limit("best library, all cells") == 1.25);
  CHECK(limit("best library, every cell") == 0.98);
  CHECK(limit("f32 sum, 2^13 to 2^22") == 1.28);
  CHECK(limit("back to back, every cell") == 1);
  CHECK(limit("to the result, up to 2^20") == 0.8);
  CHECK(limit("to the result, above 2^20") == 1);
  CHECK(limit("GB/s of 4 and 8 bytes, from 4 GiB") == 4600);
  CHECK(limit("untuned, every cell") == 1.25);
}

}  // namespace
}  // namespace foldtune::bench::test
