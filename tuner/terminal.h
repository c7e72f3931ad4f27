/// What is known of the terminal behind a stream.
#pragma once

#include <cstddef>
#include <cstdio>

namespace foldtune {

bool is_terminal(std::FILE* stream);

/// Characters in a line; 0 where the stream is no terminal.
std::size_t terminal_width(std::FILE* stream);

}  // namespace foldtune
