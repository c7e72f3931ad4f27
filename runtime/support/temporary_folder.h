/// Files that are gone when their owner is.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/support/descriptor.h"

namespace foldtune {

/// A new, empty folder for this user alone, in $TMPDIR, else in /tmp; removed with all it holds by
/// the destructor, in the process that made it: a fork's copy removes nothing. Its owner holds a
/// lock on it as long as it lives, so that what a killed process leaves is known by its missing
/// lock: a process's first folder removes those of the same user. Throws Unavailable if it cannot
/// be created.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor lock_;  ///< the folder itself, locked where the file system can
  pid_t owner_ = 0;
};

/// Removes the folders in `parent` whose owners of this user have ended without doing so.
void remove_abandoned_folders(const std::filesystem::path& parent);
/// The same of where they are made.
void remove_abandoned_folders();

/// Removes all folders of this process, which is about to end: who makes another one waits for
/// that. Others may be using them.
void remove_own_folders();

/// The bytes of the file; throws std::system_error.
std::string read_file(const std::filesystem::path& path);

/// Creates or overwrites the file, in a folder that is there; throws std::system_error.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace foldtune
