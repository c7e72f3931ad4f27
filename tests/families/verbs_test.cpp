// Families from outside the tree, one in C++ and one from a file, in every verb of the program.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cache/config_store.h"
#include "foldtune/error.h"
#include "runtime/device/compiler.h"
#include "runtime/lookup/lookup.h"
#include "templates/described/judge/judge.h"
#include "templates/fingerprint.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/families/copy_description.h"
#include "tests/families/device.h"
#include "tests/families/stencil.h"
#include "tests/tuner/program.h"
#include "tuner/exchange/bundle.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

struct Toy {
  std::string family;
  std::string field;  ///< the option that a value of the problem has
  std::string value;
  std::string shape;
  std::string nearby;  ///< of another bucket, near enough
  std::string text;    ///< of the problem
};

const Toy kStencil{"stencil", "--type", "f64", "5x20x70", "5x40x70", "stencil f64"};
const Toy kCopy{"scaled_copy", "--T", "i32", "7x1000", "7x2000", "scaled_copy i32"};

class ToyPlace : public Workplace {
 public:
  ToyPlace() { set("FOLDTUNE_WORKER", FOLDTUNE_WORKER_PROGRAM); }
};

std::vector<std::string> arguments_of(const std::string& verb, const Toy& toy) {
  return {verb, "--family", toy.family, toy.field, toy.value, "--shape", toy.shape};
}

Outcome run_with(const Workplace& place, std::vector<std::string> arguments,
                 const std::vector<std::string>& more = {}) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return place.run(arguments);
}

Outcome tune(const Workplace& place, const Toy& toy) {
  return run_with(place, arguments_of("tune", toy),
                  {"--device", test_device(), "--max-evals", "4", "--seed", "3"});
}

/// Says so if the program was built without the verb.
bool has_report(const Workplace& place) {
  if (place.run({"report", "--db", place.file("none.db")}).exit_code != kUsage) return true;
  WARN("skipped: report, which this program was built without");
  return false;
}

TEST_CASE("A family from outside the tree is tuned, and what was found is shown by every verb") {
  const Toy toy = GENERATE(kStencil, kCopy);
  const ToyPlace place;
  const Outcome tuned = tune(place, toy);
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring(toy.text));

  const auto shows = [&](const std::vector<std::string>& arguments) {
    const Outcome shown = place.run(arguments);
    CAPTURE(arguments, shown.out, shown.err);
    CHECK(shown.exit_code == 0);
    CHECK_THAT(shown.out, ContainsSubstring(toy.text));
  };
  shows({"show"});
  shows({"show", toy.field, toy.value});
  shows(arguments_of("why", toy));
  shows(arguments_of("landscape", toy));
  CHECK(place.run({"doctor"}).exit_code == 0);

  const json rows = json::parse(place.run({"show", "--json"}).out);
  REQUIRE(!rows.empty());
  const json& row = rows.is_array() ? rows[0] : rows["results"][0];
  CHECK(row["family"] == toy.family);
  CHECK(row["problem"][toy.field.substr(2)] == toy.value);
  CHECK(row["shape"] == toy.shape);

  if (!has_report(place)) return;
  const std::string report = place.file("report.html");
  CHECK(place.run({"report", "-o", report}).exit_code == 0);
  CHECK_THAT(read_file(report), ContainsSubstring(toy.text));
}

TEST_CASE("A family whose calls are made of more than files is refused by run") {
  const Toy toy = GENERATE(kStencil, kCopy);
  const ToyPlace place;
  const Outcome run = place.run({"run", "--device", "cpu", "--family", toy.family, toy.field,
                                 toy.value, place.file("x.npy")});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, ContainsSubstring("knows no files of the family " + toy.family));
}

TEST_CASE("A result of a family from outside the tree is exported, imported and compared") {
  const Toy toy = GENERATE(kStencil, kCopy);
  const ToyPlace place;
  REQUIRE(tune(place, toy).exit_code == 0);
  const std::string file = place.file("all.json");
  const std::string copy = place.file("copy.db");
  CHECK(place.run({"export", "-o", file}).exit_code == 0);
  const Outcome imported = place.run({"import", file, "--db", copy});
  CAPTURE(imported.err);
  CHECK(imported.exit_code == 0);
  CHECK_THAT(place.run({"show", "--db", copy}).out, ContainsSubstring(toy.text));
  const Outcome merged = place.run({"import", place.database(), "--db", copy});
  CAPTURE(merged.err);
  CHECK(merged.exit_code == 0);
  const Outcome differences = place.run({"diff", place.database(), copy});
  CAPTURE(differences.out, differences.err);
  CHECK(differences.exit_code == 0);
}

TEST_CASE("A second tuning of a family from outside the tree finds the first one's results") {
  const Toy toy = GENERATE(kStencil, kCopy);
  const ToyPlace place;
  REQUIRE(tune(place, toy).exit_code == 0);
  const std::size_t rows =
      open_sqlite_store(place.database(), OpenMode::read_only)->measurements().size();
  REQUIRE(tune(place, toy).exit_code == 0);
  CHECK(open_sqlite_store(place.database(), OpenMode::read_only)->measurements().size() == rows);
}

/// A result of a GPU that this machine has not.
RunRecord run_on_gpu() {
  return {.device = {.kind = "cuda",
                     .name = "NVIDIA Test",
                     .architecture = "sm_90",
                     .multiprocessor_count = 132,
                     .driver = "580.1"},
          .compiler = "nvrtc 13.0",
          .foldtune_version = "0",
          .command = "test"};
}

void store_on_gpu(const std::string& database, const Workload& workload) {
  const auto store = open_sqlite_store(database, OpenMode::read_write);
  const auto run = store->begin_run(run_on_gpu());
  const Family& family = workload.problem.family();
  store->put(run, {.problem = make_problem_key(workload),
                   .template_fingerprint = kernel_fingerprint(workload.problem),
                   .shape = to_text(family, workload.shape),
                   .bytes = input_bytes(workload),
                   .params = to_json(Config(family)),
                   .round = 2,
                   .samples_us = {50, 50, 50},
                   .median_us = 50});
}

TEST_CASE("Results of another version of a family's file are a note of doctor, and no fault") {
  const ToyPlace place;
  const auto store = open_sqlite_store(place.database(), OpenMode::read_write);
  store->put(
      store->begin_run(run_on_gpu()),
      {.problem = {.family = "scaled_copy", .problem = "T=gone", .layout = "any", .bucket = "7x12"},
       .template_fingerprint = "older",
       .shape = "100x5000",
       .bytes = 2'000'000,
       .params = "{}",
       .round = 2,
       .samples_us = {5},
       .median_us = 5});
  const Outcome doctor = place.run({"doctor", "--db", place.database()});
  CAPTURE(doctor.out);
  CHECK(doctor.exit_code == 0);
  CHECK_THAT(doctor.out, ContainsSubstring("1 measurement of the family scaled_copy, of another"));
}

TEST_CASE("The kernels of families from outside the tree go into a bundle") {
  use_stencil();
  const std::string path = std::string(FOLDTUNE_FAMILIES_FOLDER) + "/scaled_copy.json";
  const Family& copy = use_family(path);
  const ToyPlace place;
  store_on_gpu(place.database(), stencil_workload(ElementType::f32, 64, 64, 64));
  store_on_gpu(place.database(),
               {.problem = problem_of(copy, "T=f32").value(), .shape = {{100, 5000}}});
  const Outcome bundled = place.run({"bundle", "-o", place.file("bundle.db")});
  CAPTURE(bundled.out, bundled.err);
  if (bundled.exit_code == kUnavailable) {
    WARN("skipped: " << bundled.err);
    return;
  }
  CHECK(bundled.exit_code == 0);
  const auto bundle = open_sqlite_store(place.file("bundle.db"), OpenMode::read_only);
  CHECK(bundle->best().size() == 2);
}

TEST_CASE("A bundle has kernels for all buckets for which a result would be looked up") {
  const Family& family = stencil_family();
  const Bucket stored{{20, 0, 40}};
  constexpr int kMost = 48;
  const std::vector<Bucket> bundled = bundled_buckets(family, {stored, stored});
  std::size_t near = 0;
  Bucket other;
  for (other.classes[0] = 0; other.classes[0] <= kMost; ++other.classes[0]) {
    for (other.classes[1] = 0; other.classes[1] <= kMost; ++other.classes[1]) {
      for (other.classes[2] = 0; other.classes[2] <= kMost; ++other.classes[2]) {
        const bool has_shapes = family.bucket(family.max_shape(other)) == other;
        near += has_shapes && family.distance(stored, other).has_value();
      }
    }
  }
  CHECK(near == 9 * 2 * 9);  // of the classes from 0 to 4 three are empty
  CHECK(bundled.size() == near);
  for (const Bucket& bucket : bundled) CHECK(family.distance(stored, bucket));
}

TEST_CASE("No output replaces the description or the source of a family that is named") {
  const ToyPlace place;
  json description = copy_description();
  description["name"] = "kept";
  const std::string file = place.write("copy.json", description.dump());
  place.write("copy.cu", "precious");
  std::vector<std::string> verbs{"export", "bundle"};
  if (has_report(place)) verbs.emplace_back("report");
  for (const std::string& verb : verbs) {
    for (const char* const name : {"copy.json", "copy.cu"}) {
      CAPTURE(verb, name);
      const Outcome written = place.run({verb, "--family", file, "-o", place.file(name)});
      CHECK(written.exit_code == kFile);
      CHECK_THAT(written.err, ContainsSubstring("it is what is read"));
    }
  }
  CHECK(test::read_file(place.file("copy.cu")) == "precious");
}

TEST_CASE("The command that tunes a problem of a family from outside the tree names the family") {
  use_stencil();
  const ToyPlace place;
  store_on_gpu(place.database(), stencil_workload(ElementType::f32, 64, 64, 64));
  const auto command_for = [&](const Toy& toy) {
    const Outcome why = run_with(place, arguments_of("why", toy), {"--json"});
    CAPTURE(why.out, why.err);
    REQUIRE(why.exit_code == 0);
    return json::parse(why.out)[0]["tune_command"].get<std::string>();
  };
  CHECK(command_for(kStencil) ==
        "foldtune tune --device cuda:0 --family stencil --type f64 --shape 5x20x70");
  CHECK_THAT(command_for(kCopy), ContainsSubstring("scaled_copy.json --T i32 --shape 7x1000"));
}

TEST_CASE("A family is chosen by name or by the path of its description") {
  const ToyPlace place;
  const std::string description = std::string(FOLDTUNE_FAMILIES_FOLDER) + "/scaled_copy.json";
  const Outcome tuned = place.run({"tune", "--family", description, "--shape", "3x500", "--device",
                                   test_device(), "--max-evals", "2"});
  CAPTURE(tuned.out, tuned.err);
  CHECK(tuned.exit_code == 0);
  const Outcome unknown = place.run({"tune", "--family", "frobnicate", "--shape", "3x5"});
  CHECK(unknown.exit_code == kUsage);
  CHECK_THAT(unknown.err, ContainsSubstring("scaled_copy"));
  const Outcome wrong =
      place.run(arguments_of("tune", {"stencil", "--type", "i8", "1x1x1", "", ""}));
  CHECK(wrong.exit_code == kUsage);
  const Outcome few = place.run({"tune", "--family", "stencil", "--shape", "7x7"});
  CHECK(few.exit_code == kUsage);
}

TEST_CASE(
    "A kernel that does not write all of its output is found, whichever configuration it is") {
  for (const auto& [name, writes] :
       {std::pair{"writes_nothing", "false"}, {"writes_in_one_block_size", "BLOCK == 128"}}) {
    const ToyPlace place;
    json description = copy_description();
    description["name"] = name;
    place.write("copy.cu", fmt::format("__global__ void copy(const T* in, T* out, char*, "
                                       "unsigned long long n) {{\n"
                                       "  const size_t first = size_t(blockIdx.x) * BLOCK * "
                                       "PER_THREAD;\n"
                                       "  for (size_t i = first + threadIdx.x; i < first + BLOCK * "
                                       "PER_THREAD && i < n; i += BLOCK) {{\n"
                                       "    if ({}) out[i] = in[i];\n  }}\n}}\n",
                                       writes));
    const std::string file = place.write("copy.json", description.dump());
    const Outcome tuned = place.run({"tune", "--family", file, "--T", "f32", "--n", "1000",
                                     "--device", test_device(), "--effort", "exhaustive"});
    CAPTURE(tuned.out, tuned.err);
    if (writes == std::string("false")) {
      CHECK(tuned.exit_code == 6);
      CHECK_THAT(tuned.err, ContainsSubstring("write every element"));
    } else {
      CHECK(tuned.exit_code == 0);
      const auto store = open_sqlite_store(place.database(), OpenMode::read_only);
      for (const auto& row : store->measurements()) {
        const bool is_right = row.measurement.params.find("\"BLOCK\":128") != std::string::npos;
        CHECK((row.measurement.outcome == foldtune::Outcome::ok) == is_right);
      }
    }
  }
}

}  // namespace
}  // namespace foldtune::test
