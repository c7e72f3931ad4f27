#include "tuner/machine_code.h"

#include <memory>

#include "foldtune/error.h"
#include "runtime/variant.h"
#include "tests/catch.h"
#include "tuner/compile_pool.h"

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
  return make_program({.problem = {.count = 1 << 20}, .params = params});
}

/// The hash of `programs[index]`, compiled together with the others or, if alone, by itself.
std::optional<std::string> hash_in_pool(const Compiler& compiler,
                                        const std::vector<Program>& programs, std::size_t index) {
  CompilePool pool(compiler, 1);
  std::vector<CompilePool::Compilation> compilations;
  for (const Program& program : programs) compilations.push_back(pool.request(program));
  return hash_machine_code(*compilations[index].get());
}

TEST_CASE("Machine code: a kernel is the same alone and beside others") {
  const auto compiler = nvrtc();
  if (compiler == nullptr) return;
  const Program program = program_of({.block_size = 128, .final_stage = FinalStage::two_pass});
  std::vector<Program> several = {program_of({.block_size = 64})};
  for (const int unroll : {1, 2, 4}) several.push_back(program_of({.unroll = unroll}));
  several.push_back(program);
  const auto alone = hash_machine_code(compiler->compile(program));
  REQUIRE(alone.has_value());
  CHECK(hash_in_pool(*compiler, several, several.size() - 1) == alone);
}

TEST_CASE("Machine code: kernels that differ have different hashes") {
  const auto compiler = nvrtc();
  if (compiler == nullptr) return;
  const auto hash = [&](const ReduceParams& params) {
    return hash_machine_code(compiler->compile(program_of(params)));
  };
  const ReduceParams params{.block_size = 128, .unroll = 4};
  CHECK(hash(params) == hash(params));
  CHECK(hash(params) != hash({.block_size = 128, .unroll = 8}));
  CHECK(hash(params) != hash({.block_size = 256, .unroll = 4}));
}

TEST_CASE("Machine code: what is no cubin has no hash") {
  CHECK_FALSE(hash_machine_code({.image = "", .lowered_names = {"kernel"}}));
  CHECK_FALSE(hash_machine_code({.image = "\x7f"
                                          "ELF and nothing more",
                                 .lowered_names = {"k"}}));
  CHECK_FALSE(hash_machine_code({.image = std::string(4096, '\xff'), .lowered_names = {"k"}}));
}

}  // namespace
}  // namespace foldtune
