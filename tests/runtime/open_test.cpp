// What opening says where something is missing or wrong.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "foldtune/context.h"
#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "runtime/support/temporary_folder.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// What the error of type E says that `work` throws.
template <class E, class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_CASE("Opening: a name that is no device's is an InvalidArgument that says which there are") {
  for (const char* name :
       {"", "gpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:0 ", "cpu:", "cpu:real", "CPU"}) {
    INFO(name);
    CHECK_THAT(error_of<InvalidArgument>([&] { open_device(name); }), ContainsSubstring("cuda:N"));
  }
}

TEST_CASE("Opening: a GPU that is not there is Unavailable") {
  CHECK_THROWS_AS(open_device("cuda:99"), Unavailable);
}

TEST_CASE("Opening: devices say who they are") {
  CHECK(open_device("cpu")->info().record.kind == "cpu");
}

TEST_CASE("Opening: a database that does not exist is none, and is not made") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "tuning.db";
  Context untuned({.device = "cpu", .database = path.string()});
  CHECK(untuned.reducer({}).explain(10).source == ConfigSource::untuned_default);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("Opening: what is no database is left as it is, and everything runs untuned") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "tuning.db";
  const std::string text = "not a database, but a text that is long enough to have a header";
  write_file(path, text);
  std::vector<std::string> notes;
  Context context({.device = "cpu",
                   .database = path.string(),
                   .notify = [&](const std::string& note) { notes.push_back(note); }});
  const Reducer sum = context.reducer({.op = Operator::sum, .type = ElementType::i32});
  CHECK(sum.explain(10).source == ConfigSource::untuned_default);
  CHECK_THAT(sum.explain(10).reason, ContainsSubstring("file is not a database"));
  const std::array<std::int32_t, 4> input{1, 2, 3, 4};
  std::int64_t result = 0;
  sum(input.data(), input.size(), &result);
  CHECK(result == 10);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], ContainsSubstring("running untuned") && ContainsSubstring(path.string()));
  CHECK(read_file(path) == text);
}

TEST_CASE("Opening: a note is told once, and what its listener throws is lost") {
  const TemporaryFolder folder;
  write_file(folder.path() / "bundle.db", "no database");
  int notes = 0;
  const std::string bundle = (folder.path() / "bundle.db").string();
  const Context context({.device = "cpu",
                         .database = (folder.path() / "none.db").string(),
                         .bundles = {bundle, bundle},
                         .notify = [&](const std::string&) {
                           ++notes;
                           throw std::runtime_error("a listener's own fault");
                         }});
  CHECK(notes == 1);
}

TEST_CASE("Errors may be shown as they are: control characters are text, and long words are cut") {
  const std::string long_word(5000, 'x');
  const std::string text = Error("a\x1b[31m " + long_word + "\nb").what();
  CHECK_THAT(text, ContainsSubstring("a\\x1b[31m") && ContainsSubstring("... (5000 bytes)\nb"));
  CHECK(text.size() < 1100);
  CHECK(Error(text).what() == text);
}

/// NVRTC for `architecture`; null, with a warning, where there is none.
std::unique_ptr<Compiler> find_nvrtc(const std::string& architecture) {
  try {
    return make_nvrtc_compiler(architecture);
  } catch (const Unavailable& error) {
    WARN("skipped: " << error.what());
    CHECK_THAT(error.what(), ContainsSubstring("FOLDTUNE_NVRTC"));
    return nullptr;
  }
}

TEST_CASE("NVRTC: errors are shown at the lines of the templates and of the program") {
  const auto compiler = find_nvrtc("sm_90");
  if (compiler == nullptr) return;
  CHECK_THAT(compiler->version(), ContainsSubstring("nvrtc 1"));
  const Program program{
      .source = include_lines(Reduction{.op = Operator::sum, .type = ElementType::f32}),
      .name_expressions = {"foldtune::store_identity<foldtune::Sum<float, foldtune::ReduceParams>, "
                           "float>"}};
  const std::string log = error_of<CompileError>([&] { compiler->compile(program); });
  CHECK_THAT(log, ContainsSubstring("templates/device/operators/sum.cuh(") &&
                      ContainsSubstring("store_identity"));
}

TEST_CASE("NVRTC: an error of a custom operator is shown at the line of its expression") {
  const auto compiler = find_nvrtc("sm_90");
  if (compiler == nullptr) return;
  const Variant variant{.workload = make_reduction({.name = "fold", .map = "x +\n undefined_name"}),
                        .params = ReduceParams{}};
  const std::string log = error_of<CompileError>([&] { compiler->compile(make_program(variant)); });
  CHECK_THAT(log, ContainsSubstring("map(2): error") && ContainsSubstring("undefined_name"));
}

TEST_CASE("NVRTC: an architecture that it does not know is a CompileError") {
  const auto compiler = find_nvrtc("sm_1");
  if (compiler == nullptr) return;
  const Program program{.source = "__global__ void kernel() {}", .name_expressions = {"kernel"}};
  CHECK_THAT(error_of<CompileError>([&] { compiler->compile(program); }),
             ContainsSubstring("gpu-architecture=sm_1"));
}

}  // namespace
}  // namespace foldtune::test
