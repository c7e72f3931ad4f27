/// What tells whether kernels are still those that were measured. The fingerprint of a program's
/// kernels follows all files that it includes, and no other: a new operator, or a change of another
/// family, leaves what was tuned as it is, and so does a change of comments or of white space.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foldtune/workload.h"
#include "templates/embedded.h"

namespace foldtune {

/// Hexadecimal hash over those of `files` that the text of a program includes, whose hashes with
/// what they include are `hashes`.
std::string fingerprint(std::string_view program, std::span<const EmbeddedFile> files,
                        std::span<const std::uint64_t> hashes);

/// The same of the embedded files. Takes a microsecond.
std::string kernel_fingerprint(std::string_view program);

/// The fingerprint of all programs of the problem.
std::string kernel_fingerprint(const Problem& problem);

/// Those of all problems, each once, in ascending order.
const std::vector<std::string>& kernel_fingerprints();

/// Whether a fingerprint is one of them: what was measured then is of the present kernels.
bool is_of_these_kernels(std::string_view fingerprint);

}  // namespace foldtune
