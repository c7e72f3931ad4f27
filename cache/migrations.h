/// The statements that bring a database from each version of the schema to the next.
#pragma once

#include <span>

namespace foldtune {

/// Entry N takes a database from version N to N + 1; 0 is one with nothing in it.
std::span<const char* const> migrations();

}  // namespace foldtune
