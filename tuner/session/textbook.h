/// The kernels of examples/textbook, embedded at build time.
#pragma once

#include <span>
#include <string_view>

#include "templates/embedded.h"
#include "templates/family.h"

namespace foldtune {

/// The descriptions and sources by their names, "tree.json" and "tree.cu", and "ladder.json", the
/// list of what to run.
std::span<const EmbeddedFile> textbook_files();

/// The family of the description "`name`.json", with its judge, or one of the tree. They are no
/// part of `families()`. Throws std::invalid_argument for an unknown name.
const Family& textbook_family(std::string_view name);

}  // namespace foldtune
