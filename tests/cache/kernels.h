/// Kernels for the tests of the stores that keep them.
#pragma once

#include <string>

#include "cache/kernel_store.h"

namespace foldtune::test {

inline constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40;

inline KernelKey key_of(const std::string& program, const std::string& compiler = "nvrtc 13.0") {
  return {.program = program, .architecture = "sm_90", .compiler = compiler};
}

inline KernelRecord kernel_of(const KernelKey& key, const std::string& image = "a cubin") {
  return {.key = key,
          .template_fingerprint = "templates-1",
          .name = "foldtune::reduce<...>",
          .lowered_names = {"_Z6reduce", "_Z6helper"},
          .compile_ms = 41.5,
          .image = image};
}

}  // namespace foldtune::test
