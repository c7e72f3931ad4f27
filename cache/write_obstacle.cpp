#include "cache/write_obstacle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "cache/file_reader.h"
#include "cache/no_file_size_signal.h"

namespace foldtune {
namespace {

/// What a database takes beside it for the first thing that is written: its log and the log's
/// index.
constexpr std::size_t kLogBytes = std::size_t{64} << 10;

std::string describe(const std::filesystem::path& path, int error) {
  return fmt::format("{}: {}", path.string(), std::generic_category().message(error));
}

/// errno; 0: it can.
int find_error(const std::filesystem::path& path, int how) {
  return ::access(path.c_str(), how) == 0 ? 0 : errno;
}

/// errno of making a folder in the folder, which is removed again; 0 if it can.
int try_to_make_folder(const std::filesystem::path& folder) {
  std::string name = folder / ".foldtune-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return errno;
  ::rmdir(name.c_str());
  return 0;
}

/// errno of writing some bytes to a new file in the folder; 0 if it can.
int try_to_write(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) {
    const bool has_no_such_files = errno == EOPNOTSUPP || errno == EISDIR;
    return has_no_such_files ? try_to_make_folder(folder) : errno;
  }
  const NoFileSizeSignal no_signal;
  const std::vector<char> bytes(kLogBytes);
  int error = 0;
  for (std::size_t done = 0; done < bytes.size() && error == 0;) {
    const ssize_t size = ::write(file, bytes.data(), bytes.size() - done);
    if (size > 0) done += static_cast<std::size_t>(size);
    if (size <= 0 && errno != EINTR) error = errno;
  }
  ::close(file);
  return error;
}

/// The folder, or the one above it in which it would be made.
std::filesystem::path existing_folder(std::filesystem::path folder) {
  while (find_error(folder, F_OK) == ENOENT && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

WriteObstacle find_write_obstacle(const std::filesystem::path& path) {
  std::error_code error_of_name;  // of a name that begins in a folder which is gone
  const std::filesystem::path file = linked_file(std::filesystem::absolute(path, error_of_name));
  if (error_of_name) {
    return {.reason = describe(path, error_of_name.value()), .is_lasting = true};
  }
  const std::filesystem::path folder = existing_folder(file.parent_path());
  struct stat status {};
  const bool is_there = ::stat(file.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode)) {
    return {.reason = fmt::format("{} is {}", file.string(),
                                  S_ISDIR(status.st_mode) ? "a folder" : "not a regular file"),
            .is_lasting = true};
  }
  if (is_there && find_error(file, W_OK) != 0) {
    return {.reason = describe(file, find_error(file, W_OK)), .is_lasting = false};
  }
  if (::stat(folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) {
    return {.reason = folder.string() + " is not a folder", .is_lasting = true};
  }
  if (const int error = find_error(folder, W_OK | X_OK); error != 0) {
    return {.reason = describe(folder, error), .is_lasting = !is_there};
  }
  if (const int error = try_to_write(folder); error != 0) {
    return {.reason = describe(folder, error), .is_lasting = true};
  }
  return {};
}

}  // namespace foldtune
