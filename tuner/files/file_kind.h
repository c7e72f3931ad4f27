/// What a file holds that is neither .npy nor .npz: formats that people keep arrays in, which are
/// told apart from raw elements lest their bytes be reduced.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace foldtune {

/// Bytes from the beginning of a file that tell what it is.
inline constexpr std::size_t kKindBytes = 65536;

/// What a file is that begins with `head`, its first kKindBytes or all of it, and what to do:
/// "compressed by gzip: decompress it first". Empty if it may be raw elements. The content decides,
/// and where it says nothing, the ending of the name.
std::string describe_foreign_file(std::span<const std::byte> head, std::string_view name);

}  // namespace foldtune
