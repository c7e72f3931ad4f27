// Compiles the variants of the space with NVRTC; needs no GPU.
//
//     compile_space --arch sm_75,sm_80,sm_90,sm_120      a covering sample of every problem
//     compile_space --arch sm_75,sm_120 --most 8         8 of the sample of one problem of each
//                                                        operator and type
//     compile_space --arch sm_75,sm_120 --most 1 --share the same, each problem for one of them
//     compile_space --arch sm_90 --all                   every variant
//
// Exit codes: 0 everything compiles; 1 something does not; 2 a wrong argument; 3 there is no NVRTC.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "foldtune/error.h"
#include "templates/reduce/space.h"
#include "tests/support/axis_variants.h"
#include "tests/support/batch_compiler.h"
#include "tests/support/histogram_variants.h"
#include "tests/support/segment_variants.h"
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
  bool share = false;    ///< each of `most` and the histograms is compiled for one architecture
  std::size_t jobs = 0;  ///< compilations at a time; 0: one per core
};

struct Totals {
  std::size_t programs = 0;
  std::size_t variants = 0;
  std::size_t failures = 0;
};

/// Programs that are compiled one after another, under what the progress calls them.
struct Portion {
  std::string name;
  std::function<std::vector<Variant>()> variants;  ///< those of all portions fill the memory
};

/// Whether problem number `index` is one for architecture number `architecture`. Not the same types
/// of all operators.
bool is_for(const Options& options, std::size_t index, std::size_t architecture) {
  const std::size_t count = options.architectures.size();
  return !options.share || (index + index / count) % count == architecture;
}

/// One reduction of each operator and type: the first of them, of the next ones the second, and so
/// on in turn.
std::vector<Reduction> reductions_of_each_type() {
  const std::vector<Reduction> all = all_reductions();
  std::vector<Reduction> result;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(), [&](const Reduction& one) {
      return one.op != first->op || one.type != first->type;
    });
    result.push_back(first[static_cast<std::ptrdiff_t>(result.size()) % (last - first)]);
    first = last;
  }
  return result;
}

/// `most` variants of a reduction of each operator and type.
std::vector<Variant> some_of_each_type(const Options& options, std::size_t architecture) {
  std::vector<Variant> result;
  std::size_t index = 0;
  for (const Reduction& reduction : reductions_of_each_type()) {
    if (is_for(options, index, architecture)) {
      const std::vector<Variant> some = some_of(covering_variants(reduction), options.most, index);
      result.insert(result.end(), some.begin(), some.end());
    }
    ++index;
  }
  return result;
}

/// Some variants of each histogram, or of every third one. The bins are part of the problem, so
/// there is no whole space.
std::vector<Variant> some_histograms(const Options& options, std::size_t architecture) {
  const bool few = !options.all && options.most > 0;
  const std::vector<HistogramWorkload> histograms = all_histograms();
  std::vector<Variant> result;
  for (std::size_t i = 0; i < histograms.size(); i += few ? 3 : 1) {
    if (!is_for(options, i / 3, architecture)) continue;
    const std::vector<Variant> some =
        random_variants(with_rows_in_turn(histograms[i], i / 3), options.all ? 20 : 1, i);
    result.insert(result.end(), some.begin(), some.end());
  }
  return result;
}

/// Some variants of each of the reductions along axes or of segments, or of every fifth one: what
/// they fold, and how, is mostly compiled for whole arrays.
template <class Folds>
std::vector<Variant> some_of_folds(const std::vector<Folds>& reductions, const Options& options,
                                   std::size_t architecture) {
  constexpr std::size_t kStep = 5;
  const bool few = !options.all && options.most > 0;
  std::vector<Variant> result;
  for (std::size_t i = 0; i < reductions.size(); i += few ? kStep : 1) {
    if (!is_for(options, i / kStep, architecture)) continue;
    const std::vector<Variant> some = random_variants(reductions[i], options.all ? 20 : 1, i);
    result.insert(result.end(), some.begin(), some.end());
  }
  return result;
}

std::vector<Portion> make_portions(const Options& options, std::size_t architecture) {
  std::vector<Portion> portions{
      {.name = "histograms",
       .variants = [options, architecture] { return some_histograms(options, architecture); }},
      {.name = "along axes",
       .variants =
           [options, architecture] {
             return some_of_folds(all_axis_reductions(), options, architecture);
           }},
      {.name = "of segments", .variants = [options, architecture] {
         return some_of_folds(all_segment_reductions(), options, architecture);
       }}};
  if (!options.all && options.most > 0) {
    portions.push_back({.name = "each operator and type", .variants = [options, architecture] {
                          return some_of_each_type(options, architecture);
                        }});
    return portions;
  }
  for (const Reduction& reduction : all_reductions()) {
    portions.push_back({.name = describe(reduction), .variants = [reduction, all = options.all] {
                          return all ? every_variant(reduction) : covering_variants(reduction);
                        }});
  }
  return portions;
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

void compile_portion(const Compiler& compiler, const std::string& architecture,
                     const Portion& portion, const Options& options, Totals& totals) {
  const BatchCompiler batches(compiler, group_by_program(portion.variants()), options.jobs);
  const std::vector<ProgramGroup>& groups = batches.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    show_progress(fmt::format("{} {}: {} of {}", architecture, portion.name, i, groups.size()));
    try {
      batches.get(i);
    } catch (const CompileError&) {
      if (!compiles_alone(compiler, groups[i].program)) ++totals.failures;
    }
    ++totals.programs;
    totals.variants += groups[i].variants.size();
  }
}

bool compile_all(std::size_t number, const Options& options) {
  const std::string& architecture = options.architectures[number];
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<Compiler> compiler = make_nvrtc_compiler(architecture);
  Totals totals;
  for (const Portion& portion : make_portions(options, number)) {
    compile_portion(*compiler, architecture, portion, options, totals);
  }
  show_progress("");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  fmt::print("{} {}: {} programs ({} variants), {} failed, {:.1f} s\n", compiler->version(),
             architecture, totals.programs, totals.variants, totals.failures, elapsed.count());
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
  app.add_flag("--share", options.share, "with --most: each problem for one of the architectures")
      ->needs("--most");
  app.add_option("--jobs", options.jobs, "compilations at a time; 0: one per core");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : foldtune::test::kWrongArgument;
  }
  try {
    bool good = true;
    for (std::size_t i = 0; i < options.architectures.size(); ++i) {
      good &= foldtune::test::compile_all(i, options);
    }
    return good ? 0 : foldtune::test::kDoesNotCompile;
  } catch (const foldtune::Unavailable& error) {
    fmt::print(stderr, "{}\n", error.what());
    return foldtune::test::kUnavailable;
  }
}
