// Compiles every kernel of the ladder that is ours with NVRTC, for the architectures that are
// named; needs no GPU.
//
// Exit codes: 0 everything compiles; 1 something does not; 3 there is no NVRTC, or no toolkit.

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "foldtune/error.h"
#include "templates/family.h"
#include "tuner/measure/compile_pool.h"
#include "tuner/session/ladder.h"

namespace foldtune::test {
namespace {

constexpr int kDoesNotCompile = 1;
constexpr int kUnavailable = 3;

bool compile_all(const std::string& architecture) {
  const std::unique_ptr<Compiler> compiler = make_nvrtc_compiler(architecture);
  CompilePool pool(*compiler, static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  std::vector<CompilePool::Compilation> compilations;
  for (const LadderKernel& kernel : make_ladder({})) {
    if (const auto* const params = std::get_if<Config>(&kernel.how)) {
      compilations.push_back(
          pool.request(make_program({.workload = kernel.workload, .params = *params})));
    }
  }
  std::size_t failures = 0;
  for (const CompilePool::Compilation& compilation : compilations) {
    try {
      compilation.get();
    } catch (const MissingToolkit&) {
      throw;
    } catch (const CompileError& error) {
      fmt::print(stderr, "{}\n", error.what());
      ++failures;
    }
  }
  fmt::print("{} {}: {} kernels, {} failed\n", compiler->version(), architecture,
             compilations.size(), failures);
  return failures == 0;
}

}  // namespace
}  // namespace foldtune::test

int main(int argc, char** argv) {
  try {
    bool good = true;
    for (int i = 1; i < argc; ++i) good &= foldtune::test::compile_all(argv[i]);
    return good ? 0 : foldtune::test::kDoesNotCompile;
  } catch (const foldtune::Error& error) {  // NVRTC or the toolkit
    fmt::print(stderr, "skipped: {}\n", error.what());
    return foldtune::test::kUnavailable;
  }
}
