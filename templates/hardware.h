/// What is the same on every GPU so far.
#pragma once

#include <cstddef>

namespace foldtune {

/// The widest load of a thread, in bytes.
inline constexpr std::size_t kMaxLoadBytes = 16;

}  // namespace foldtune
