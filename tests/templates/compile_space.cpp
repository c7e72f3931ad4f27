// Compiles the variants of the space with NVRTC; needs no GPU.
//
//     compile_space --arch sm_75,sm_80,sm_90,sm_120      a covering sample of every problem
//     compile_space --arch sm_75,sm_120 --most 8         8 of each sample, other ones for every
//                                                        problem
//     compile_space --arch sm_90 --all                   every variant
//
// Exit codes: 0 everything compiles; 1 something does not; 2 a wrong argument; 3 there is no NVRTC.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "foldtune/error.h"
#include "templates/reduce/space.h"
#include "tests/support/batch_compiler.h"
#include "tests/support/variants.h"

namespace foldtune::test {
namespace {

constexpr int kDoesNotCompile = 1;
constexpr int kWrongArgument = 2;
constexpr int kUnavailable = 3;

struct Options {
  std::vector<std::string> architectures{"sm_90"};
  bool all = false;
  std::size_t most = 0;  ///< of each problem's covering sample; 0: all of it
  std::size_t jobs = 0;  ///< compilations at a time; 0: one per core
};

struct Totals {
  std::size_t programs = 0;
  std::size_t variants = 0;
  std::size_t failures = 0;
};

/// The programs that are compiled for `problem`, which has this number.
std::vector<ProgramGroup> choose_programs(const Problem& problem, std::size_t number,
                                          const Options& options) {
  if (options.all) return group_by_program(every_variant(problem, Toolkit::absent));
  const std::vector<Variant> sample = covering_variants(problem, Toolkit::absent);
  return group_by_program(options.most == 0 ? sample : some_of(sample, options.most, number));
}

/// Rewrites its line on a terminal.
void show_progress(const std::string& line) {
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{:<70}", line);
}

/// A program of a batch that does not compile may itself be right.
bool compiles_alone(const Compiler& compiler, const Program& program) {
  try {
    compiler.compile(program);
    return true;
  } catch (const CompileError& error) {
    fmt::print(stderr, "\n{}\n", error.what());
    return false;
  }
}

void compile_problem(const Compiler& compiler, const std::string& architecture,
                     const Problem& problem, std::size_t number, const Options& options,
                     Totals& totals) {
  const BatchCompiler batches(compiler, choose_programs(problem, number, options), options.jobs);
  const std::vector<ProgramGroup>& groups = batches.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    show_progress(
        fmt::format("{} {}: {} of {}", architecture, describe(problem), i, groups.size()));
    try {
      batches.get(i);
    } catch (const CompileError&) {
      if (!compiles_alone(compiler, groups[i].program)) ++totals.failures;
    }
    ++totals.programs;
    totals.variants += groups[i].variants.size();
  }
}

bool compile_all(const std::string& architecture, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<Compiler> compiler = make_nvrtc_compiler(architecture);
  Totals totals;
  const std::vector<Problem> problems = all_problems();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    compile_problem(*compiler, architecture, problems[i], i, options, totals);
  }
  show_progress("");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  fmt::print("{} {}: {} programs ({} variants) for {} problems, {} failed, {:.1f} s\n",
             compiler->version(), architecture, totals.programs, totals.variants, problems.size(),
             totals.failures, elapsed.count());
  std::fflush(stdout);
  return totals.programs > 0 && totals.failures == 0;
}

}  // namespace
}  // namespace foldtune::test

int main(int argc, char** argv) {
  foldtune::test::Options options;
  CLI::App app("Compiles the variants of the space with NVRTC; needs no GPU.");
  app.add_option("--arch", options.architectures, "real architectures, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  app.add_flag("--all", options.all, "the whole space instead of a covering sample");
  app.add_option("--most", options.most, "of each problem's covering sample; 0: all of it");
  app.add_option("--jobs", options.jobs, "compilations at a time; 0: one per core");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : foldtune::test::kWrongArgument;
  }
  try {
    bool good = true;
    for (const std::string& architecture : options.architectures) {
      good &= foldtune::test::compile_all(architecture, options);
    }
    return good ? 0 : foldtune::test::kDoesNotCompile;
  } catch (const foldtune::Unavailable& error) {
    fmt::print(stderr, "{}\n", error.what());
    return foldtune::test::kUnavailable;
  }
}
