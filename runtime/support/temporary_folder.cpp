#include "runtime/support/temporary_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <vector>

#include "cache/no_file_size_signal.h"
#include "cache/printable.h"
#include "foldtune/error.h"

namespace foldtune {
namespace {

/// No name of versions without locks, whose folders would look abandoned.
constexpr std::string_view kPrefix = "foldtune-work-";
constexpr std::string_view kRandom = "XXXXXX";

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::system_error error_of(const std::filesystem::path& path) {
  return std::system_error(errno, std::generic_category(), path.string());
}

Unavailable no_folder_in(const std::filesystem::path& parent, int error) {
  const bool lacks_descriptors = error == EMFILE || error == ENFILE;
  return Unavailable(fmt::format(
      "making a temporary folder in {}: {}; {}", printable(parent.string()),
      std::generic_category().message(error),
      lacks_descriptors ? "raise the limit of open files (ulimit -n), or close some"
                        : "free some space there, or set TMPDIR to a folder that can be written"));
}

/// Absolute, so that what is in it has the same name for other processes.
std::filesystem::path folder_of_temporaries() {
  const char* const variable = getenv("TMPDIR");
  const std::filesystem::path named = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  std::error_code error;  // of a name that begins in a folder which is gone
  std::filesystem::path parent = std::filesystem::absolute(named, error);
  if (error) throw no_folder_in(named, error.value());
  return parent;
}

/// Whether `path` is still the folder that is open as `folder`.
bool is_at(int folder, const std::string& path) {
  struct stat opened {};
  struct stat there {};
  return ::fstat(folder, &opened) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// The names in a folder, which is open as `folder`.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  Descriptor copy(::openat(folder, ".", kFolderFlags));
  const std::unique_ptr<DIR, CloseFolder> listing(::fdopendir(copy.number()));
  if (listing == nullptr) return names;
  copy.release();
  while (const dirent* const entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

/// What is in a folder that is open as `folder`. Never through a path, in which another user may
/// put a link meanwhile.
void remove_content(int folder) {
  for (const std::string& name : names_in(folder)) {
    if (::unlinkat(folder, name.c_str(), 0) == 0) continue;
    const Descriptor inner(::openat(folder, name.c_str(), kFolderFlags));
    if (inner.number() < 0) continue;
    remove_content(inner.number());
    ::unlinkat(folder, name.c_str(), AT_REMOVEDIR);
  }
}

/// Whether a folder is one of this user that nobody holds; it is locked then.
bool is_abandoned(int folder) {
  struct stat status {};
  return ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
         ::flock(folder, LOCK_EX | LOCK_NB) == 0;
}

/// Once in a process: who is killed again and again does not fill the disk.
void remove_abandoned_folders_once(const std::filesystem::path& parent) {
  [[maybe_unused]] static const bool is_done = [&] {
    remove_abandoned_folders(parent);
    return true;
  }();
}

/// The folders of this process. None is made but under the lock, so that all are known to who has
/// it.
struct OwnFolders {
  std::mutex mutex;
  std::set<std::filesystem::path> paths;
};

// Never destroyed: there may be folders as long as the process. A fork gets the lock as nobody's.
OwnFolders& own_folders() {
  static auto* const only = [] {
    ::pthread_atfork([] { own_folders().mutex.lock(); }, [] { own_folders().mutex.unlock(); },
                     [] { own_folders().mutex.unlock(); });
    return new OwnFolders;
  }();
  return *only;
}

}  // namespace

TemporaryFolder::TemporaryFolder() : owner_(::getpid()) {
  const std::filesystem::path parent = folder_of_temporaries();
  remove_abandoned_folders_once(parent);
  const std::string pattern = parent / fmt::format("{}{}", kPrefix, kRandom);
  const std::lock_guard lock(own_folders().mutex);
  for (;;) {
    std::string path = pattern;
    if (mkdtemp(path.data()) == nullptr) throw no_folder_in(parent, errno);
    path_ = path;
    // Until it is locked, another process may take it for abandoned: then there is a next one.
    lock_ = Descriptor(::open(path.c_str(), kFolderFlags));
    if (lock_.number() < 0) {
      if (errno == ENOENT) continue;
      const int why = errno;
      ::rmdir(path.c_str());
      throw no_folder_in(parent, why);
    }
    const bool is_locked = ::flock(lock_.number(), LOCK_EX | LOCK_NB) == 0;
    const bool is_taken = is_locked ? !is_at(lock_.number(), path) : errno == EWOULDBLOCK;
    if (is_taken) continue;
    own_folders().paths.insert(path_);
    return;
  }
}

TemporaryFolder::~TemporaryFolder() {
  if (::getpid() != owner_) return;
  std::error_code ignored;  // what cannot be removed is left to the system's own cleaning
  std::filesystem::remove_all(path_, ignored);
  const std::lock_guard lock(own_folders().mutex);
  own_folders().paths.erase(path_);
}

void remove_abandoned_folders() {
  try {
    remove_abandoned_folders(folder_of_temporaries());
  } catch (const Unavailable&) {  // NOLINT(bugprone-empty-catch): then there are none
  }
}

void remove_own_folders() {
  constexpr int kTries = 10;   // as long as others put files there
  own_folders().mutex.lock();  // for good, so that no other folder is made
  for (const std::filesystem::path& path : own_folders().paths) {
    std::error_code error;
    for (int i = 0; i < kTries && std::filesystem::exists(path, error); ++i) {
      std::filesystem::remove_all(path, error);
    }
  }
}

void remove_abandoned_folders(const std::filesystem::path& parent) {
  const Descriptor place(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (place.number() < 0) return;
  for (const std::string& name : names_in(place.number())) {
    if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + kRandom.size()) continue;
    const Descriptor folder(::openat(place.number(), name.c_str(), kFolderFlags));
    if (folder.number() < 0 || !is_abandoned(folder.number())) continue;
    remove_content(folder.number());
    ::unlinkat(place.number(), name.c_str(), AT_REMOVEDIR);  // of an empty folder alone
  }
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) throw error_of(path);
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const NoFileSizeSignal no_signal;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw error_of(path);
}

}  // namespace foldtune
