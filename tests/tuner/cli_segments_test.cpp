// Reductions of segments from the command line, on the CPU device.
#include <cstdint>
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

std::string values(const Workplace& place) {
  const std::vector<float> elements{1, 5, 3, 9, 2};
  return place.write("x.npy", npy_file(npy_header("<f4", "(5,)"), bytes_of(elements)));
}

template <class Offset>
std::string offsets(const Workplace& place, const char* type, const std::vector<Offset>& all) {
  return place.write(
      "offsets.npy",
      npy_file(npy_header(type, "(" + std::to_string(all.size()) + ",)"), bytes_of(all)));
}

Arguments segments(Arguments rest) {
  rest.insert(rest.begin(), {"--family", "segments"});
  return rest;
}

std::string segments_message(const Workplace& place, Arguments rest) {
  const Outcome outcome = run_cpu(place, segments(std::move(rest)));
  CHECK(outcome.exit_code != 0);
  return outcome.err;
}

TEST_CASE("run --segments gives a result for each segment") {
  const Workplace place;
  const std::string file = values(place);
  const std::string narrow = offsets<std::int32_t>(place, "<i4", {0, 2, 2, 5});
  const auto result_of = [&](Arguments rest) {
    return report_of_run(place, segments(std::move(rest)))["result"];
  };
  CHECK(result_of({"--op", "sum", "--segments", narrow, file}) ==
        Json{{"shape", {3}}, {"values", {6, 0, 14}}});
  const std::string wide = offsets<std::int64_t>(place, "<i8", {0, 2, 2, 5});
  CHECK(result_of({"--op", "argmax", "--segments", wide, file})["values"] == Json{1, -1, 1});
  const std::string output = place.file("sums.npy");
  const Outcome text =
      run_cpu(place, segments({"--op", "sum", "--segments", wide, file, "--output", output}));
  CHECK_THAT(text.out, ContainsSubstring("6, 0, 14, an array (3,) of f32, in " + output) &&
                           ContainsSubstring("--op sum --type f32 --offsets i64 --shape 3x5"));
  CHECK(report_of_run(place, {"--op", "sum", output})["result"] == 20);
}

TEST_CASE("Segments that cannot be are refused in words") {
  const Workplace place;
  const std::string file = values(place);
  CHECK_THAT(segments_message(place, {file}), ContainsSubstring("--segments FILE is required"));
  const auto fault = [&](const std::string& list, Arguments more = {}) {
    more.insert(more.end(), {"--segments", list, file});
    return segments_message(place, std::move(more));
  };
  CHECK_THAT(fault(offsets<std::int32_t>(place, "<i4", {0, 6})),
             ContainsSubstring("offset 1 is 6, outside of 5 elements"));
  CHECK_THAT(fault(offsets<std::int32_t>(place, "<i4", {0, 3, 2})),
             ContainsSubstring("offset 2 is 2, less than the one before it, 3"));
  CHECK_THAT(fault(offsets<float>(place, "<f4", {0, 3})),
             ContainsSubstring("offsets are i32 or i64"));
  CHECK_THAT(fault(offsets<std::int32_t>(place, "<i4", {})), ContainsSubstring("has no offsets"));
  CHECK_THAT(fault(offsets<std::int32_t>(place, "<i4", {0, 3}), {"--offsets", "i64"}),
             ContainsSubstring("--offsets says i64"));
  const std::string list = offsets<std::int32_t>(place, "<i4", {0, 3});
  CHECK_THAT(run_cpu(place, {"--op", "sum", "--segments", list, file}).err,
             ContainsSubstring("--segments is for --family segments"));
  CHECK_THAT(fault(list, {"--output", list}), ContainsSubstring("offsets.npy"));
}

TEST_CASE("tune takes numbers of segments and elements, and run uses what it chose") {
  const Workplace place;
  const Outcome tuned =
      place.run({"tune", "--device", "cpu", "--family", "segments", "--op", "sum", "--shape",
                 "3x5,100x2000", "--lengths", "uniform", "--max-evals", "2"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("sum f32 of segments 3x5") &&
                            ContainsSubstring("sum f32 of segments 100x2000"));
  const std::string list = offsets<std::int32_t>(place, "<i4", {0, 2, 2, 5});
  const Outcome ran = run_cpu(place, segments({"--op", "sum", "--segments", list, values(place)}));
  CHECK_THAT(ran.out, ContainsSubstring("why     exact: tuned"));
}

}  // namespace
}  // namespace foldtune::test
