/// Hashes of source text that only a change of the code changes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "templates/embedded.h"

namespace foldtune {

/// The text as a compiler takes it: its tokens, a line each. Comments are left out, and white space
/// but for where it counts: in strings, and in the lines of the preprocessor, of which each ends
/// with a line of its own. Raw strings and digraphs are not known.
std::string tokens_of(std::string_view text);

/// The names of the files that the text includes in quotes, in their order.
std::vector<std::string_view> included_files(std::string_view text);

/// What keeps a text from including nothing but what its compiler brings: an absolute path, one
/// that climbs out of a folder, or a name that a macro makes. Empty if nothing.
std::string find_include_fault(std::string_view text);

/// For each file a hash over its tokens and over the hashes of those of `files` that it includes:
/// it changes with every one that a compiler reads for its sake. Throws std::logic_error for files
/// that include each other in a circle.
std::vector<std::uint64_t> source_hashes(std::span<const EmbeddedFile> files);

}  // namespace foldtune
