/// Files that are there as a whole, or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace foldtune {

/// Writes the file, and its folders where they are missing. Readers see the whole of it, or what
/// was there before. `what` is its kind, for the error: "landscape". Throws FileError.
void write_whole_file(const std::filesystem::path& path, std::string_view bytes,
                      std::string_view what);

/// The bytes of the file. Throws FileError, with its kind.
std::string read_whole_file(const std::filesystem::path& path, std::string_view what);

}  // namespace foldtune
