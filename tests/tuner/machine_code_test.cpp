// What batches of programs rest on.
#include "tests/tuner/machine_code.h"

#include <memory>

#include "foldtune/error.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tuner/measure/compile_pool.h"

namespace foldtune {
namespace {

/// Null, with the reason printed, where there is no NVRTC.
std::unique_ptr<Compiler> nvrtc() {
  try {
    return make_nvrtc_compiler("sm_90");
  } catch (const Unavailable& error) {
    WARN("skipped: " << error.what());
    return nullptr;
  }
}

Program program_of(const ReduceParams& params) {
  return make_program({.workload = Reduction{.count = 1 << 20}, .params = params});
}

TEST_CASE("Machine code: a kernel is the same alone and beside others") {
  const auto compiler = nvrtc();
  if (compiler == nullptr) return;
  const Program program = program_of({.block_size = 128, .final_stage = FinalStage::two_pass});
  std::vector<Program> several = {program_of({.block_size = 64})};
  for (const int unroll : {1, 2, 4}) several.push_back(program_of({.unroll = unroll}));
  several.push_back(program);
  CompilePool pool(*compiler, 1);
  std::vector<CompilePool::Compilation> compilations;
  for (const Program& one : several) compilations.push_back(pool.request(one));
  const std::string alone = test::machine_code(compiler->compile(program));
  REQUIRE_FALSE(alone.empty());
  CHECK(test::machine_code(*compilations.back().get()) == alone);
  CHECK(test::machine_code(*compilations[1].get()) != alone);
}

}  // namespace
}  // namespace foldtune
