#include "tuner/replay/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "tuner/file_error.h"

namespace foldtune {
namespace {

/// Without it, a power failure after the rename may leave an empty file.
std::error_code flush_to_disk(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return {errno, std::generic_category()};
  const std::error_code error =
      ::fsync(file) == 0 ? std::error_code() : std::error_code(errno, std::generic_category());
  ::close(file);
  return error;
}

std::error_code write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  stream.close();
  if (stream) return flush_to_disk(path);
  return {errno != 0 ? errno : EIO, std::generic_category()};
}

}  // namespace

void write_whole_file(const std::filesystem::path& path, std::string_view bytes,
                      std::string_view what) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());  // two writers do not meet in one file
  if (!error) error = write_bytes(temporary, bytes);
  if (!error) std::filesystem::rename(temporary, path, error);
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  throw FileError(fmt::format("writing the {} {}: {}; choose another place for it", what,
                              path.string(), error.message()));
}

}  // namespace foldtune
