/// A problem with the tunables to solve it: the text that a compiler is given.
#pragma once

#include "foldtune/problem.h"
#include "runtime/device/compiler.h"
#include "templates/space.h"

namespace foldtune {

/// What the kernels of a variant's program are, by their index.
enum class KernelRole : std::size_t {
  main = 0,    ///< the reduction itself
  helper = 1,  ///< a launch before it (`atomic`, `zero_first`) or after it (`two_pass`)
};

struct Variant {
  Problem problem;
  Params params;
};

/// Whether the kernel of a variant counts in 64 bits. It is a matter of the size class, so that one
/// program serves all counts of a class.
bool counts_in_64_bits(const Variant& variant);

/// Whether a call stores each word of its result once, so that the host may take what it sees.
bool shows_result(const Params& params);

/// The program of a variant. It depends on the types, the operator, the alignment class, the width
/// of indices and the tunables that the kernel sees, not on the count or the grid: equal programs
/// are compiled once.
Program make_program(const Variant& variant);

}  // namespace foldtune
