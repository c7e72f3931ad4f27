#include "tuner/commands/progress.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "foldtune/reduction.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

const Workload kWorkload =
    Reduction{.op = Operator::sum, .type = ElementType::f32, .count = std::uint64_t{1} << 16};

TuneProgress progress_at(double elapsed_s) {
  return {.workload = kWorkload,
          .problem_index = 2,
          .problem_count = 9,
          .measured = 45,
          .failed = 1,
          .best_us = 3.215,
          .elapsed_s = elapsed_s,
          .budget_s = 60};
}

ProblemResult result() {
  return {.workload = kWorkload,
          .best = {},
          .best_us = 2,
          .default_us = 3,
          .gain = Ratio{.value = 1.5, .lower = 1.49, .upper = 1.52},
          .gbps = 131.072,
          .read_bandwidth_fraction = 0.5,
          .measured = 45,
          .failed = 0};
}

/// What is printed to a stream.
template <class Function>
std::string printed(Function print) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  print(file);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_CASE("The progress says where it is, what is best, and what is left") {
  CHECK(format_progress(progress_at(48)) ==
        "3/9 sum f32 2^16: 12 s left, best 3.215 us, 45 timed, 1 failed");
}

TEST_CASE("Before the first measurement there is no best") {
  TuneProgress progress = progress_at(1);
  progress.best_us = 0;
  CHECK(format_progress(progress).find("best") == std::string::npos);
}

TEST_CASE("A result tells its gain over the default") {
  CHECK(format_result(result()) ==
        "sum f32 2^16: 2.000 us, 131.1 GB/s, 1.50x the default's speed; 45 timed");
}

TEST_CASE("A gain that the samples do not show is none") {
  CHECK(format_gain(Ratio{.value = 1.02, .lower = 0.99, .upper = 1.04}) == "none");
  CHECK(format_gain(Ratio{}) == "none");  // the default was chosen
  CHECK(format_gain(Ratio{.value = 0.97, .lower = 0.96, .upper = 0.98}) == "0.97x");
  CHECK(format_gain(Ratio{.value = 1.2, .lower = 1.2, .upper = 1.2}) == "1.20x");
  CHECK(format_gain({}) == "-");
  ProblemResult same = result();
  same.gain = Ratio{};
  CHECK(format_result(same).find(", as fast as the default; ") != std::string::npos);
}

TEST_CASE("A failure is its first line, after the problem") {
  CHECK(format_failure(
            {.workload = kWorkload, .reason = "compiling: there is an error\nin line 2"}) ==
        "sum f32 2^16: not tuned: compiling: there is an error");
}

TEST_CASE("What takes long is told before") {
  const std::string text = printed([](std::FILE* file) {
    ProgressPrinter printer(file, 0);
    printer.on_preparing(kWorkload, 39.5);
  });
  CHECK(text == "sum f32 2^16: to make its inputs and the result to expect takes about 40 s\n");
}

TEST_CASE("Without a terminal there is a line every couple of seconds at most") {
  const std::string text = printed([](std::FILE* file) {
    ProgressPrinter printer(file, 0);
    for (int i = 0; i < 100; ++i) printer.on_progress(progress_at(0.1 * i));
  });
  CHECK(lines_in(text) == 4);
  CHECK(text.find('\r') == std::string::npos);
}

TEST_CASE("On a terminal the progress is one line, which fits and goes away") {
  constexpr std::size_t kWidth = 40;
  const std::string text = printed([](std::FILE* file) {
    ProgressPrinter printer(file, kWidth);
    printer.on_progress(progress_at(1));
    printer.on_progress(progress_at(2));
  });
  const std::string clear = "\r\x1b[K";
  CHECK(lines_in(text) == 0);
  CHECK(text.starts_with(clear + "3/9 sum"));
  CHECK(text.ends_with(clear));
  CHECK(text.size() == 3 * clear.size() + 2 * (kWidth - 1));
}

TEST_CASE("A finished problem has a line of its own, which nothing overwrites") {
  const std::string text = printed([](std::FILE* file) {
    ProgressPrinter printer(file, 80);
    printer.on_start(4600);
    printer.on_progress(progress_at(1));
    printer.on_result(result());
    printer.on_progress(progress_at(2));
    printer.on_failure({.workload = kWorkload, .reason = "no memory"});
  });
  CHECK_THAT(text, ContainsSubstring("read bandwidth: 4600 GB/s\n"));
  CHECK_THAT(text, ContainsSubstring("\r\x1b[K" + format_result(result()) + "\n"));
  CHECK(text.ends_with("\r\x1b[Ksum f32 2^16: not tuned: no memory\n"));
}

}  // namespace
}  // namespace foldtune
