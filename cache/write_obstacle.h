/// What would keep a database from being written.
#pragma once

#include <filesystem>
#include <string>

namespace foldtune {

struct WriteObstacle {
  std::string reason{};  ///< empty: there is none
  bool is_lasting =
      false;  ///< the place cannot be used; else it may be meant so, as permissions are
};

/// Of the database `path`, there or not. It finds out by trying what writing takes, with a file
/// that has no name, where the file system has such files, and so leaves nothing.
WriteObstacle find_write_obstacle(const std::filesystem::path& path);

}  // namespace foldtune
