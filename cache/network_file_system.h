/// Where a file lies as far as SQLite's locks are concerned.
#pragma once

#include <filesystem>
#include <string_view>

namespace foldtune {

/// The name of the network file system that `path` (an existing file) lies on: "NFS"; empty for a
/// local one, and where the system does not tell. FUSE counts as one, since nothing tells what is
/// behind it.
std::string_view network_file_system(const std::filesystem::path& path);

}  // namespace foldtune
