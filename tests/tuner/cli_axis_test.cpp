// Reductions along axes from the command line, on the CPU device.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/tuner/npy_file.h"
#include "tests/tuner/program.h"
#include "tests/tuner/run_on_cpu.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

Json results_of(const Workplace& place, Arguments arguments) {
  return report_of_run(place, std::move(arguments))["result"];
}

std::string message(const Workplace& place, Arguments arguments) {
  const Outcome outcome = run_cpu(place, std::move(arguments));
  CHECK(outcome.exit_code != 0);
  return outcome.err;
}

/// 2 x 3 floats.
std::string matrix(const Workplace& place, const char* order = "False") {
  const std::vector<float> values{1, 5, 3, 9, 2, 9};
  return place.write("x.npy", npy_file(npy_header("<f4", "(2, 3)", order), bytes_of(values)));
}

TEST_CASE("run --axis gives a result for each row or column") {
  const Workplace place;
  const std::string file = matrix(place);
  CHECK(results_of(place, {"--axis", "1", file}) == Json{{"shape", {2}}, {"values", {9, 20}}});
  CHECK(results_of(place, {"--axis", "-1", "--op", "argmax", file}) ==
        Json{{"shape", {2}}, {"values", {1, 0}}});
  CHECK(results_of(place, {"--axis", "0", "--op", "max", file, "--keepdims"}) ==
        Json{{"shape", {1, 3}}, {"values", {9, 5, 9}}});
  CHECK(results_of(place, {"--axis", "0,1", "--op", "minmax", file}) ==
        Json{{"shape", {2}}, {"values", {1, 9}}});
  // The same elements, the first axis innermost: {{1, 3, 2}, {5, 9, 9}}.
  CHECK(results_of(place, {"--axis", "1", matrix(place, "True")})["values"] == Json{6, 23});
  const Outcome text = run_cpu(place, {"--axis", "1", matrix(place)});
  CHECK_THAT(text.out, ContainsSubstring("result  9, 20, an array (2,) of f32\n") &&
                           ContainsSubstring("--family axis --op sum --type f32 --shape 1x1x2x3"));
}

TEST_CASE("run --output writes a .npy file, which run reads") {
  const Workplace place;
  const std::string file = matrix(place);
  const std::string output = place.file("sums.npy");
  CHECK_THAT(
      run_cpu(place, {"--axis", "1", "--op", "argmax", "--result", "i32", file, "--output", output})
          .out,
      ContainsSubstring("(2,) of i32, in " + output));
  std::ifstream stream(output, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  CHECK(bytes.size() == 128 + 8);
  CHECK_THAT(bytes,
             ContainsSubstring("{'descr': '<i4', 'fortran_order': False, 'shape': (2, ), }"));
  CHECK(results_of(place, {"--op", "sum", output}) == 1);
  // A file that is not read is replaced.
  CHECK(run_cpu(place, {"--axis", "1", "--op", "sum", file, "--output", output}).exit_code == 0);
  CHECK(results_of(place, {"--op", "sum", output}) == 29);
  CHECK_THAT(message(place, {"--axis", "1", file, "--output", file}), ContainsSubstring("x.npy"));
  const std::string custom = place.write("k.json", R"({"name": "k", "map": "x"})");
  CHECK_THAT(message(place, {"--custom", custom, "--axis", "1", file, "--output", custom}),
             ContainsSubstring("k.json"));
  CHECK(results_of(place, {"--axis", "1", file})["values"] == Json{9, 20});
}

TEST_CASE("What cannot be reduced along axes is refused in words") {
  const Workplace place;
  const std::string file = matrix(place);
  CHECK_THAT(message(place, {"--axis", "2", file}), ContainsSubstring("there is no axis 2"));
  CHECK_THAT(message(place, {"--axis", "one", file}), ContainsSubstring("'one' is no number"));
  CHECK_THAT(message(place, {"--family", "axis", file}), ContainsSubstring("--axis is required"));
  CHECK_THAT(message(place, {"--family", "reduce", "--axis", "1", file}),
             ContainsSubstring("arrays of the family reduce have no axes"));
  CHECK_THAT(message(place, {"--output", place.file("o.npy"), file}),
             ContainsSubstring("--output is for"));
  CHECK_THAT(message(place, {"--axis", "1", file, "--output", "-"}),
             ContainsSubstring("name a file for the results"));
  CHECK_THAT(message(place, {"--axis", "0", "--op", "histogram", file}),
             ContainsSubstring("histograms are of rows"));
}

TEST_CASE("tune takes the extents of arrays with --axis, and run uses what it chose") {
  const Workplace place;
  const Outcome tuned = place.run({"tune", "--device", "cpu", "--axis", "1", "--op", "sum",
                                   "--shape", "2x3,4x5x6", "--max-evals", "2"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("sum f32 along an axis 1x1x2x3") &&
                            ContainsSubstring("sum f32 along an axis 4x5x6x1"));
  const Outcome ran = run_cpu(place, {"--axis", "1", matrix(place)});
  CHECK_THAT(ran.out, ContainsSubstring("why     exact: tuned"));
  CHECK(place.run({"why", "--device", "cpu", "--axis", "1", "--shape", "2x3"}).exit_code == 0);
  CHECK_THAT(place.run({"tune", "--device", "cpu", "--axis", "1"}).err,
             ContainsSubstring("--shape is required"));
  CHECK_THAT(place.run({"tune", "--device", "cpu", "--axis", "1", "--shape", "2xx3"}).err,
             ContainsSubstring("lacks an extent"));
}

}  // namespace
}  // namespace foldtune::test
