// What a program called, in the file that FOLDTUNE_RECORD names.
#include "runtime/api/call_record.h"

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/scoped_variable.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Lines = std::vector<std::string>;

Lines lines_of(const std::string& path) {
  std::ifstream file(path);
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

class CallRecordTest {
 protected:
  /// Sums of elements of an array, at two alignments.
  void call(const ContextOptions& options = {}) {
    Context context(std::make_shared<FakeDevice>(), nullptr, options);
    const Reducer sum = context.reducer({.op = Operator::sum, .type = ElementType::f32});
    float result = 0;
    sum(values_.data(), 100, &result);
    sum(values_.data(), 99, &result);  // of the same class
    sum(values_.data() + 1, 99, &result);
    sum(values_.data(), 0, &result);
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("calls.txt");
  alignas(16) std::array<float, 256> values_{};
};

TEST_CASE_METHOD(CallRecordTest, "FOLDTUNE_RECORD has a line for each class of calls, once") {
  const std::string sum = "--op sum --type f32 --accumulator f32 --result f32";
  const Lines lines{"--family reduce " + sum + " --n 100",
                    "--family reduce " + sum + " --n 99 --layout element"};
  {
    const ScopedVariable variable("FOLDTUNE_RECORD", path_);
    call();
    CHECK(lines_of(path_) == lines);
    call({.conditions = Conditions::warm_stream});
  }
  REQUIRE(lines_of(path_).size() == 2 * lines.size());
  CHECK(lines_of(path_)[lines.size()] == lines[0] + " --conditions warm_stream");
  std::ofstream(path_, std::ios::app) << "--op sum --n 5";  // without its end
  {
    const ScopedVariable variable("FOLDTUNE_RECORD", path_);
    call();
  }
  const Lines all = lines_of(path_);
  REQUIRE(all.size() == 3 * lines.size() + 1);
  CHECK(all[2 * lines.size() + 1] == lines[0]);
  call();  // without the variable
  CHECK(lines_of(path_) == all);
}

TEST_CASE("The options of a workload name all of its extents") {
  const AxisReduction argmax{.row = {.op = Operator::argmax, .type = ElementType::bf16},
                             .shape = {{3, 1, 5, 40}}};
  CHECK_THAT(tune_options(argmax), StartsWith(" --family axis --op argmax --type bf16 ") &&
                                       ContainsSubstring(" --result i64 --shape 3x1x5x40"));
}

TEST_CASE_METHOD(CallRecordTest, "Of an operator of one's own, the record has a comment") {
  const ScopedVariable variable("FOLDTUNE_RECORD", path_);
  const auto op = std::make_shared<CustomOperator>();
  CHECK(tune_options(Reduction{.op = Operator::custom, .count = 8, .custom = op}).empty());
  const auto record = record_of_environment([](const std::string&) {});
  record(Reduction{.op = Operator::custom, .count = 8, .custom = op});
  REQUIRE(lines_of(path_).size() == 1);
  CHECK_THAT(lines_of(path_)[0], StartsWith("# ") && ContainsSubstring("--custom"));
}

TEST_CASE_METHOD(CallRecordTest, "A record that cannot be written is told once, and calls go on") {
  const ScopedVariable variable("FOLDTUNE_RECORD", folder_.file("none/calls.txt"));
  Lines told;
  call({.notify = [&](const std::string& text) { told.push_back(text); }});
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0], ContainsSubstring("none/calls.txt") && ContainsSubstring("No such file"));
}

TEST_CASE_METHOD(CallRecordTest, "A file that is no record is not written to") {
  const std::string content = "SQLite format 3";
  std::ofstream(path_) << content;
  const ScopedVariable variable("FOLDTUNE_RECORD", path_);
  Lines told;
  call({.notify = [&](const std::string& text) { told.push_back(text); }});
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0], ContainsSubstring("something else than a record"));
  CHECK(lines_of(path_) == Lines{content});
}

}  // namespace
}  // namespace foldtune::test
