/// Files that are gone when their owner is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace foldtune {

/// A new, empty folder for this user alone, in $TMPDIR, else in /tmp; removed with all it holds by
/// the destructor. Throws std::system_error if it cannot be created.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The bytes of the file; throws std::system_error.
std::string read_file(const std::filesystem::path& path);

/// Creates or overwrites the file, and the folders that it lies in; throws std::system_error.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace foldtune
