#include "cache/private_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "cache/store_error.h"

namespace foldtune {
namespace {

constexpr mode_t kFolderMode = S_IRWXU;
constexpr mode_t kFileMode = S_IRUSR | S_IWUSR;

StoreError system_error(std::string_view doing, const std::filesystem::path& path, int error) {
  return StoreError(fmt::format(
      "cannot {} {}: {}; make it possible, or choose another database with --db or FOLDTUNE_DB",
      doing, path.string(), std::generic_category().message(error)));
}

// Empty if there is nothing at `path`.
std::optional<mode_t> mode_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode;
  if (errno == ENOENT) return std::nullopt;
  throw system_error("open the tuning database", path, errno);
}

void require_regular(const std::filesystem::path& path, mode_t mode) {
  if (S_ISREG(mode)) return;
  throw StoreError(fmt::format(
      "cannot open the tuning database {}: it is {}; name a file with --db or FOLDTUNE_DB",
      path.string(), S_ISDIR(mode) ? "a folder" : "not a regular file"));
}

void create_private_folders(const std::filesystem::path& folder) {
  std::error_code ignored;  // What cannot be looked at cannot be created either: mkdir says why.
  if (std::filesystem::is_directory(folder, ignored)) return;
  if (folder.has_relative_path()) create_private_folders(folder.parent_path());
  if (::mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST) {
    throw system_error("create the tuning database's folder", folder, errno);
  }
}

}  // namespace

void ensure_private_file(const std::filesystem::path& path) {
  if (const auto mode = mode_of(path)) return require_regular(path, *mode);
  create_private_folders(path.parent_path());
  // mknod creates without opening. To open the file here would be wrong: when this process closes
  // any descriptor of it, the system drops the locks of all the SQLite connections that another
  // thread may have to it by then.
  if (::mknod(path.c_str(), S_IFREG | kFileMode, 0) != 0 && errno != EEXIST) {
    throw system_error("create the tuning database", path, errno);
  }
}

void require_file(const std::filesystem::path& path) {
  if (const auto mode = mode_of(path)) return require_regular(path, *mode);
  throw StoreError(
      fmt::format("cannot open the tuning database {}: there is no such file; check its name, or "
                  "tune first, which makes it (a bundle is made by `foldtune bundle`)",
                  path.string()));
}

std::vector<std::string> exposures_of(const std::filesystem::path& path) {
  std::vector<std::string> exposures;
  std::error_code is_no_link;
  const std::filesystem::path target = std::filesystem::read_symlink(path, is_no_link);
  if (!is_no_link) {
    exposures.push_back(
        fmt::format("the tuning database {} is a symbolic link to {}, and whoever may change the "
                    "link chooses what is read and written; name the file itself",
                    path.string(), target.string()));
  }
  if (mode_of(path).value_or(0) & S_IWOTH) {
    exposures.push_back(
        fmt::format("every user of this machine may write to the tuning database {}; take that "
                    "back with chmod o-w",
                    path.string()));
  }
  // The sticky bit keeps others from replacing the file, but not from adding a log for it.
  if (mode_of(path.parent_path()).value_or(0) & S_IWOTH) {
    exposures.push_back(
        fmt::format("every user of this machine may write to the folder {} of the tuning database, "
                    "and put files in the place of its own; keep it in a folder of yours",
                    path.parent_path().string()));
  }
  return exposures;
}

}  // namespace foldtune
