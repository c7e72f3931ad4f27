/// Which sources the library was built of.
#pragma once

#include <string_view>

namespace foldtune {

/// Hexadecimal hash of all of them: another one has other rules, perhaps.
std::string_view build_fingerprint();

}  // namespace foldtune
