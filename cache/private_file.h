/// Files and folders for this user alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foldtune {

/// Makes sure that the regular file `path` (absolute) is there: an existing one is left as it is, a
/// missing one is created empty with mode 0600, its missing folders with mode 0700. Several
/// processes may do so at once. Throws `StoreError` if it cannot be done, or if something other
/// than a regular file is there.
void ensure_private_file(const std::filesystem::path& path);

/// Throws `StoreError` unless `path` is an existing regular file.
void require_file(const std::filesystem::path& path);

/// How others could put something else in place of the file `path` (absolute): a sentence without a
/// full stop for each way. It is a symbolic link, or every user may write to it or to its folder.
std::vector<std::string> exposures_of(const std::filesystem::path& path);

}  // namespace foldtune
