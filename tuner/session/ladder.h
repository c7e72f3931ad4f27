/// The kernels that tutorials, studies and contests of GPU reductions build up, from the naive ones
/// to the library's, with the speeds that were published for them on other GPUs. All that is known
/// of them is in the files of examples/textbook.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "templates/space.h"

namespace foldtune {

/// The letters of the ladder's sections, in their order: "ABCDE".
const std::string& ladder_sections();

/// What a section is about.
std::string_view ladder_section_title(char section);

/// Another library's function, by the name that library_kernels.h gives it.
struct LibraryFunction {
  std::string name;
};

/// What this program has no part in.
struct NotLinked {
  std::string reason;
};

/// A kernel for one workload.
struct LadderKernel {
  Workload workload;
  char section = 'A';
  std::string name{};  ///< "V1 interleaved"
  std::variant<Config, LibraryFunction, NotLinked> how{};
  std::string published{};  ///< its speed as published; empty if there is none for this size
  /// Floating-point operations of a call, where they are what speeds are published in; else 0.
  double flops = 0;
};

struct LadderOptions {
  std::string sections = ladder_sections();
  /// Elements of every kernel; 0: the sizes of the sections.
  std::uint64_t count = 0;
};

/// The kernels in the order of the sections, each at all of its sizes.
std::vector<LadderKernel> make_ladder(const LadderOptions& options);

}  // namespace foldtune
