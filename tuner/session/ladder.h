/// The kernels that tutorials, studies and contests of GPU reductions build up, from the naive ones
/// to the library's, with the speeds that were published for them on other GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "foldtune/problem.h"
#include "templates/space.h"

namespace foldtune {

/// The letters of the ladder's sections, in their order.
inline constexpr std::string_view kLadderSections = "ABCDE";

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

/// A kernel for one problem at one size.
struct LadderKernel {
  char section = 'A';
  std::string name{};  ///< "V1 interleaved"
  Problem problem{};   ///< its count is set
  std::variant<Config, LibraryFunction, NotLinked> how{};
  std::string published{};  ///< its speed as published; empty if there is none for this size
};

struct LadderOptions {
  std::string sections{kLadderSections};
  /// Elements of every kernel; 0: the sizes of the sections.
  std::uint64_t count = 0;
};

/// The kernels in the order of the sections, each at all of its sizes.
std::vector<LadderKernel> make_ladder(const LadderOptions& options);

}  // namespace foldtune
