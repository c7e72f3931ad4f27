// Custom operators on the command line.
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "runtime/support/sanitizer.h"
#include "tests/catch.h"
#include "tests/tuner/program.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

/// An argmin over |x - y|, as a file.
constexpr const char* kNearest = R"({
  "name": "nearest",
  "inputs": ["f32", "i16"],
  "accumulator": {"value": "f32", "index": "u32"},
  "identity": "Accumulator{INFINITY, 0xffffffffu}",
  "map": "Accumulator{fabsf(x - y), static_cast<unsigned>(i)}",
  "combine": "a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b",
  "finish": "a.index",
  "result": "u32",
  "tolerance": 0
})";

class CustomFixture {
 protected:
  Outcome run(Arguments arguments, const Arguments& files) const {
    arguments.insert(arguments.begin(), {"run", "--device", "cpu", "--json", "--repeat", "1"});
    arguments.insert(arguments.end(), files.begin(), files.end());
    return place_.run(arguments);
  }
  Json report(const Arguments& arguments, const Arguments& files) const {
    const Outcome outcome = run(arguments, files);
    CAPTURE(outcome.out, outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return Json::parse(outcome.out);
  }
  void check_usage_error(const Arguments& arguments, const std::string& message) const {
    const Outcome outcome = run(arguments, {x_});
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring(message));
  }
  std::string write_operator(const std::string& json) const {
    return place_.write("operator.json", json);
  }

  Workplace place_;
  std::string x_ = place_.write("x", bytes_of(std::vector<float>{4, 2.5F, -1, 2}));
  std::string y_ = place_.write("y", bytes_of(std::vector<std::int16_t>{1, 2, 0, 2}));
};

TEST_CASE_METHOD(CustomFixture, "A custom operator stands in options") {
  const Json squares =
      report({"--op", "custom", "--map", "x * x", "--finish", "sqrt(a / n)"}, {x_});
  CHECK(squares["result"].get<double>() == Approx(2.6101));
  CHECK(squares["problem"]["op"].get<std::string>().starts_with("unnamed:"));
  const Json wide = report({"--op", "custom", "--name", "least", "--inputs", "i16", "--identity",
                            "32767", "--combine", "a < b ? a : b", "--map=-x"},
                           {y_});
  CHECK(wide["result"] == -2);
  CHECK(wide["problem"]["accumulator"] == "i64");
  CHECK(wide["problem"]["result"] == "i64");
}

TEST_CASE_METHOD(CustomFixture, "Functions in an operator are those of CUDA, not those of C",
                 "[kernels]") {
  for (const std::string map : {"abs(x)", "max(x, 1)", "min(x, 4.0) + (isnan(x) ? 0 : x < 0) * 2",
                                "1 / (rsqrt(abs(x)) * rsqrt(abs(x)))"}) {
    CAPTURE(map);
    CHECK(report({"--op", "custom", "--map", map}, {x_})["result"].get<double>() == Approx(9.5));
  }
  CHECK(report({"--op", "custom", "--identity", "-INFINITY", "--combine", "max(a, b)"},
               {x_})["result"] == 4);
}

TEST_CASE_METHOD(CustomFixture, "A custom operator stands in a file, which options change") {
  const std::string file = write_operator(kNearest);
  const Json nearest = report({"--custom", file}, {x_, y_});
  CHECK(nearest["result"] == 3);
  CHECK(nearest["problem"]["type"] == "f32,i16");
  CHECK(nearest["problem"]["accumulator"] == "f32,u32");
  CHECK(report({"--custom", file, "--finish", "a.value", "--result", "f64"}, {x_, y_})["result"] ==
        0.0);
  CHECK(report({"--op", "custom", "--custom", file, "--accumulator", "value:f64,index:u64", "--map",
                "Accumulator{i == 2 ? 0.0 : 1.0, i}"},
               {x_, y_})["result"] == 2);
}

TEST_CASE_METHOD(CustomFixture, "An accumulator is written as a type or an object") {
  const Json mean = report({"--custom", write_operator(R"({
    "combine": "Accumulator{a.total + b.total, a.weight + b.weight}",
    "identity": "Accumulator{0, 0}", "map": "Accumulator{x, 1}",
    "finish": "a.total / a.weight", "accumulator": {"total": "f64", "weight": "u32"}})")},
                           {x_});
  CHECK(mean["result"] == 1.875);
  CHECK(mean["problem"]["accumulator"] == "f64,u32");
  CHECK(mean["problem"]["result"] == "f64");
  const std::string one =
      write_operator(R"({"accumulator": "f64", "identity": 0, "inputs": "i16"})");
  CHECK(report({"--custom", one}, {y_})["result"] == 5);
  check_usage_error({"--custom", write_operator(R"({"accumulator": ["f64"]})")},
                    "accumulator is a type");
}

TEST_CASE_METHOD(CustomFixture, "A custom operator is tuned, and found by its expressions") {
  const std::string file = write_operator(kNearest);
  const Outcome tuned =
      place_.run({"tune", "--device", "cpu", "--custom", file, "--n", "4", "--max-evals", "2"});
  CAPTURE(tuned.out, tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, ContainsSubstring("nearest f32 i16 4"));
  CHECK(report({"--custom", file}, {x_, y_})["config_source"] == "exact");
  CHECK(report({"--custom", file, "--tolerance", "0.5"}, {x_, y_})["config_source"] == "exact");
  CHECK(report({"--custom", file, "--finish", "a.index + 1"}, {x_, y_})["config_source"] ==
        "default");

  CHECK_THAT(place_.run({"show"}).out, ContainsSubstring("nearest f32 i16 4"));
  const Json rows = Json::parse(place_.run({"show", "--json", "--op", "custom"}).out);
  REQUIRE(rows.size() == 1);
  const auto stored = rows[0]["problem"]["op"].get<std::string>();
  CHECK(stored.starts_with("nearest:"));
  CHECK(Json::parse(place_.run({"show", "--json", "--op", stored}).out).size() == 1);
  CHECK(Json::parse(place_.run({"show", "--json", "--op", stored + "0"}).out).empty());
  CHECK(Json::parse(place_.run({"show", "--json", "--type", "i16"}).out).size() == 1);
  CHECK(Json::parse(place_.run({"show", "--json", "--type", "f64"}).out).empty());
  CHECK(Json::parse(place_.run({"show", "--json", "--op", "sum"}).out).empty());
}

TEST_CASE_METHOD(CustomFixture, "The command that tunes a custom operator has its expressions") {
  const Outcome outcome = place_.run({"run", "--device", "cpu", "--op", "custom", "--accumulator",
                                      "f64", "--map", "x * 'a'", "--finish=-a", x_});
  CAPTURE(outcome.err);
  CHECK_THAT(outcome.out,
             ContainsSubstring("tune it: foldtune tune --device cpu --accumulator f64 --op custom "
                               "--map='x * '\\''a'\\''' --finish=-a --n 4\n"));
  const std::string file = write_operator(kNearest);
  CHECK_THAT(place_.run({"run", "--device", "cpu", "--custom", file, x_, y_}).out,
             ContainsSubstring("foldtune tune --device cpu --custom " + file + " --n 4\n"));
}

TEST_CASE_METHOD(CustomFixture, "What does not compile is shown with its name and its line") {
  const Arguments wrong{"--op", "custom", "--map", "x +\n  nothing"};
  const Outcome outcome = run(wrong, {x_});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 6);
  CHECK_THAT(outcome.err, ContainsSubstring("map:2:") && ContainsSubstring("nothing"));
  Arguments tune{"tune", "--device", "cpu", "--n", "1K,4K"};
  tune.insert(tune.end(), wrong.begin(), wrong.end());
  const Outcome tuned = place_.run(tune);
  CHECK(tuned.exit_code == 6);
  CHECK_THAT(tuned.err, ContainsSubstring("map:2:"));
  CHECK_THAT(tuned.err, ContainsSubstring("error: tuning unnamed f32 2^10, unnamed f32 2^12: "));
}

TEST_CASE_METHOD(CustomFixture, "A custom operator that cannot be is an error of usage") {
  check_usage_error({"--map", "x"}, "--map is for --op custom");
  check_usage_error({"--op", "sum", "--custom", write_operator(kNearest)},
                    "--custom is for --op custom");
  check_usage_error({"--op", "custom", "--type", "f32"},
                    "types in "
                    "--inputs");
  check_usage_error({"--op", "custom", "--nan", "ignore"}, "NaN policy");
  check_usage_error({"--op", "custom", "--inputs", "f32,f31"}, "inputs: there is no element type");
  check_usage_error({"--op", "custom", "--inputs", "f32,f32"}, "unnamed takes 2 files, not 1");
  check_usage_error({"--op", "custom", "--inputs", "f32,f32,f32,f32,f32"}, "takes from 1 to 4");
  check_usage_error({"--op", "custom", "--accumulator", "a:f16"}, "types of 32 or 64 bits");
  check_usage_error({"--op", "custom", "--map", " "}, "the expression map is empty");
  check_usage_error({"--op", "custom", "--name", "sum"}, "the name of a built-in operator");
  check_usage_error({"--op", "custom", "--tolerance", "-1"}, "tolerance: '-1'");
  for (const std::string text : {"nan", "inf", "1e999"}) {
    check_usage_error({"--op", "custom", "--tolerance", text}, "tolerance: '" + text + "'");
  }
  check_usage_error({"--op", "custom,sum"}, "name it alone");
  check_usage_error({"--op", "foo:abc"}, "--op: there is no 'foo:abc'; there is sum, product");
  check_usage_error({"--custom", write_operator(R"({"mapp": "x"})")},
                    "has no 'mapp'; it has name, inputs, accumulator, identity, map, combine, "
                    "finish, result, tolerance");
  check_usage_error({"--custom", write_operator(R"({"map": ["x"]})")}, "map is a string");
  check_usage_error({"--custom", write_operator(R"({"inputs": [1]})")}, "inputs is a list");
  check_usage_error({"--custom", write_operator(R"({"inputs": []})")}, "inputs is a list");
  check_usage_error({"--custom", write_operator(R"({"tolerance": true})")}, "is a number");
  check_usage_error({"--custom", write_operator(R"({"accumulator": {"a": 1}})")},
                    "accumulator is a type");
  check_usage_error({"--custom", write_operator("[]")}, "is not an object");
  const Outcome several = place_.run({"tune", "--device", "cpu", "--op", "custom,sum"});
  CHECK(several.exit_code == 2);
  CHECK_THAT(several.err, ContainsSubstring("name it alone"));
  for (const char* const text : {"{", "", R"({"map":"x","tolerance":1e999})",
                                 R"({"tolerance":-1e999})", "{\"map\":\"\xff\"}"}) {
    CAPTURE(text);
    const Outcome bad = run({"--custom", write_operator(text)}, {x_});
    CHECK(bad.exit_code == 4);
    CHECK_THAT(bad.err, ContainsSubstring("operator.json: it cannot be read as JSON: "));
  }
  const Outcome twice = run({"--custom", write_operator(R"({"map": "x", "map": "y"})")}, {x_});
  CHECK(twice.exit_code == 4);
  CHECK_THAT(twice.err, ContainsSubstring("'map' is there twice"));
  CHECK(run({"--custom", place_.file("none")}, {x_}).exit_code == 4);
}

TEST_CASE_METHOD(CustomFixture, "An operator whose result depends on the order is refused",
                 "[kernels]") {
  struct Case {
    const char* combine;
    const char* identity;
    const char* fault;
  };
  for (const auto& [combine, identity, fault] : std::vector<Case>{
           {"a - b", "0", "its identity is not neutral"},
           {"a < b ? a : b", "0", "its identity is not neutral: element 0 alone gives 4, and "},
           {"a + b", "1", "its identity is not neutral"},
           {"a + b", "INFINITY", "its identity is not neutral"},
           {"a == 0 ? b : a", "0", "its combine is not commutative"},
           {"a + b + a * a * b", "0", "its combine is not commutative"},
           {"a + b + a * b * (a + b)", "0", "its combine is not associative"}}) {
    CAPTURE(combine, identity);
    check_usage_error({"--op", "custom", "--combine", combine, "--identity", identity}, fault);
  }
  const Outcome tuned = place_.run({"tune", "--device", "cpu", "--op", "custom", "--combine",
                                    "a < b ? a : b", "--n", "1K", "--identity=-2"});
  CAPTURE(tuned.out, tuned.err);
  CHECK(tuned.exit_code == 6);
  CHECK_THAT(tuned.err, ContainsSubstring("its identity is not neutral"));
}

TEST_CASE_METHOD(CustomFixture, "An operator that loops for ever ends with the budget") {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome tuned =
      place_.run({"tune", "--device", "cpu", "--op", "custom", "--n", "1K", "--budget", "2s",
                  "--map", "[&] { volatile int more = 1; while (more) {} return x; }()"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CAPTURE(tuned.out, tuned.err);
  CHECK(tuned.exit_code == 6);
  CHECK_THAT(tuned.err, ContainsSubstring("for the first time: did not end within") &&
                            ContainsSubstring("Nothing was stored") &&
                            !ContainsSubstring("show --all"));
  CHECK(took.count() < 30);
}

/// A map that does not end for the element `index`.
std::string loop_at(int index) {
  return "[&] { volatile int more = i == " + std::to_string(index) +
         "; while (more) {} return x; }()";
}

TEST_CASE_METHOD(CustomFixture, "An operator that loops for ever ends a run at its limit") {
  const std::string many = place_.write("many", bytes_of(std::vector<float>(100, 1)));
  // Of a hundred elements the operator is tried on six, of which one is the first.
  for (const auto& [index, doing] : {std::pair{0, "trying unnamed on a few elements"},
                                     {50, "running unnamed on 100 elements"}}) {
    const Outcome outcome =
        run({"--op", "custom", "--map", loop_at(index), "--timeout", "1"}, {many});
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.exit_code == 6);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring(doing));
    CHECK_THAT(outcome.err, ContainsSubstring("did not end within 1 s"));
    CHECK_THAT(outcome.err, ContainsSubstring("--timeout SECONDS"));
  }
}

TEST_CASE_METHOD(CustomFixture, "An operator that crashes ends a run with a message") {
  if (kAddressSanitizer) {
    SUCCEED("AddressSanitizer tells of crashes itself");
    return;
  }
  const std::string many = place_.write("many", bytes_of(std::vector<float>(100, 1)));
  const auto check_crash = [&](int index, const std::string& doing, const std::string& code,
                               const std::string& crash) {
    const std::string map = "i == " + std::to_string(index) + " ? " + code + " : x";
    const Outcome outcome = run({"--op", "custom", "--map", map, "--timeout", "0"}, {many});
    CAPTURE(map, outcome.out, outcome.err);
    CHECK(outcome.exit_code == 6);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring("foldtune: error: " + doing));
    CHECK_THAT(outcome.err, ContainsSubstring("it crashed on the CPU device (" + crash));
  };
  // Of a hundred elements the operator is tried on six, of which one is the first.
  const char* const trying = "trying unnamed on a few elements";
  const std::string reads = "*reinterpret_cast<volatile float*>(0 * i + 64)";
  check_crash(0, trying, reads, "segmentation fault");
  check_crash(50, "running unnamed on 100 elements", reads, "segmentation fault");
  check_crash(0, trying,
              "[&] { struct Deep { static float sum(float v) { volatile float kept[64] = {v}; "
              "return Deep::sum(v + kept[0]) + kept[1]; } }; return Deep::sum(x); }()",
              "segmentation fault");
  check_crash(0, trying, "(__builtin_abort(), x)", "abort");
#if defined(__x86_64__)  // others divide by zero without a word
  check_crash(0, trying, "[&] { volatile int zero = 0; return x + 7 / zero; }()",
              "a division by zero");
#endif
}

TEST_CASE_METHOD(CustomFixture,
                 "An operator that throws or ends the program ends a run with a message") {
  const std::string many = place_.write("many", bytes_of(std::vector<float>(100, 1)));
  for (const auto& [map, message] : {std::pair{"(throw 1, x)", "it threw an exception"},
                                     {"(std::exit(0), x)", "it ended this program"},
                                     {"(std::quick_exit(0), x)", "it ended this program"}}) {
    const Outcome outcome = run({"--op", "custom", "--map", map}, {many});
    CAPTURE(map, outcome.out, outcome.err);
    CHECK(outcome.exit_code == 6);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring("foldtune: error: "));
    CHECK_THAT(outcome.err, ContainsSubstring(message));
  }
}

TEST_CASE_METHOD(CustomFixture, "An operator that crashes costs a tuning its worker alone") {
  const Outcome tuned = place_.run({"tune", "--device", "cpu", "--op", "custom", "--n", "1K",
                                    "--map", "(__builtin_abort(), x)"});
  CAPTURE(tuned.out, tuned.err);
  CHECK(tuned.exit_code == 6);
  CHECK_THAT(tuned.err, ContainsSubstring("the worker ended with signal 6"));
}

TEST_CASE_METHOD(CustomFixture, "A run whose calls end within the limit is left alone") {
  CHECK(report({"--op", "custom", "--map", "x * x", "--timeout", "1"}, {x_})["result"] == 27.25);
  CHECK(report({"--type", "f32", "--timeout", "0"}, {x_})["result"] == 7.5);
  check_usage_error({"--op", "custom", "--timeout", "-1"}, "--timeout takes a whole number");
}

TEST_CASE_METHOD(CustomFixture, "Ctrl-C ends a run at once, whatever its operator does") {
  const std::string folder = place_.file("tmp");
  std::filesystem::create_directory(folder);
  place_.set("TMPDIR", folder);
  place_.set("FOLDTUNE_LOG", "info");
  RunningProgram program =
      place_.start({"run", "--device", "cpu", "--op", "custom", "--map", loop_at(0), x_});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  const auto is_compiled = [&] {
    return program.err_so_far().find("compiled ") != std::string::npos;
  };
  while (!is_compiled() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // it is loaded
  const auto sent = std::chrono::steady_clock::now();
  program.send_signal(SIGINT);
  const Outcome outcome = program.wait();
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == kInterrupted);
  CHECK(std::chrono::steady_clock::now() - sent < std::chrono::seconds(5));
  CHECK(outcome.out.empty());
  // Of what is ended like that a later run removes what was left.
  CHECK(place_.run({"devices"}).exit_code == 0);
  CHECK(std::filesystem::is_empty(folder));
}

TEST_CASE_METHOD(CustomFixture, "Roundings, overflows and NaN are no fault of an operator",
                 "[kernels]") {
  const auto result = [&](const std::vector<float>& elements, const Arguments& options) {
    Arguments arguments{"--op", "custom"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return report(arguments, {place_.write("elements", bytes_of(elements))})["result"];
  };
  result({1e8F, -1e8F, 1e-3F, 1, 0.1F, 0.7F}, {});  // all digits cancel
  CHECK(result({0, 0, 0}, {"--combine", "a - b"}) == 0.0);
  result({1e30F, 1e30F, 1e-30F, 1e-30F}, {"--combine", "a * b", "--identity", "1"});
  CHECK(result({1, NAN, INFINITY, 2}, {"--combine", "fmaxf(a, b)", "--identity", "-INFINITY"}) ==
        "inf");
  CHECK(result({0.7F, 0.2F, 0.1F}, {"--finish", "static_cast<int>(a)", "--result", "i32"}) <= 1);
  CHECK(result({}, {"--combine", "a - b"}) == 0.0);
  result({5}, {"--combine", "fminf(a, b)", "--identity", "3e38f"});
}

}  // namespace
}  // namespace foldtune::test
