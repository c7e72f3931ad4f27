#include "tuner/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <utility>

#include "tuner/files/file_error.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

constexpr mode_t kNewFileMode = 0666;  // less the umask

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool is_same_file(const std::string& a, const std::string& b) {
  const auto first = status_of(a);
  const auto second = status_of(b);
  return first && second && first->st_dev == second->st_dev && first->st_ino == second->st_ino;
}

/// Whether what is written to `descriptor` goes to the file `path`.
bool is_file_of(int descriptor, const std::string& path) {
  struct stat status {};
  const auto other = status_of(path);
  return other && ::fstat(descriptor, &status) == 0 && status.st_dev == other->st_dev &&
         status.st_ino == other->st_ino;
}

bool is_database(const std::string& path) {
  const auto status = status_of(path);
  if (!status || !S_ISREG(status->st_mode)) return false;
  constexpr std::string_view kMagic = "SQLite format 3";
  std::array<char, kMagic.size()> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  if (std::string_view(begin.data(), begin.size()) == kMagic) return true;
  // All of a new one may still be in its log.
  const auto log = status_of(path + "-wal");
  return log && log->st_size > 0;
}

/// What SQLite keeps beside a database.
bool is_beside_database(const std::string& path) {
  constexpr std::array<std::string_view, 3> kEnds{"-wal", "-shm", "-journal"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) {
    return path.ends_with(end) && is_database(path.substr(0, path.size() - end.size()));
  });
}

/// Beside `path`, and nobody knows it beforehand.
/// In the folder of `path`. It has none of its name, which may be as long as names can be.
std::string unpredictable_name(const std::string& path) {
  std::random_device random;
  return std::filesystem::path(path).replace_filename(
      fmt::format(".foldtune.{:08x}{:08x}.tmp", random(), random()));
}

std::string link_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace

bool is_of_database(int descriptor) {
  std::error_code is_lost;
  const std::string path = std::filesystem::read_symlink(link_of(descriptor), is_lost);
  return !is_lost && (is_database(path) || is_beside_database(path));
}

bool is_one_of(int descriptor, const std::vector<std::string>& files) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return std::ranges::any_of(files, [&](const auto& file) { return is_file_of(descriptor, file); });
}

bool is_standard_output(const std::string& path) {
  return path == "-" || is_file_of(STDOUT_FILENO, path);
}

OutputFile::OutputFile(std::string path, std::string what, std::vector<std::string> inputs)
    : path_(std::move(path)),
      what_(std::move(what)),
      is_standard_output_(foldtune::is_standard_output(path_)),
      inputs_(std::move(inputs)),
      target_(path_) {
  if (is_standard_output_) {
    if (is_one_of(STDOUT_FILENO, inputs_))
      refuse("that is the file that is read; name another one");
    file_.reset(std::tmpfile());
  } else {
    if (target_.empty()) refuse("its name is empty; name a file, or - for the standard output");
    follow_links();
    require_replaceable();
    const int descriptor = open_temporary();
    if (descriptor >= 0) file_.reset(::fdopen(descriptor, "wb"));
    if (descriptor >= 0 && file_ == nullptr) ::close(descriptor);
  }
  if (file_ == nullptr) fail();
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
  bytes_ += bytes.size();
}

void OutputFile::restart() {
  std::rewind(file_.get());
  if (::ftruncate(::fileno(file_.get()), 0) != 0) fail();
  bytes_ = 0;
}

void OutputFile::commit() {
  if (std::fflush(file_.get()) != 0) fail();
  if (is_standard_output_) {
    copy_to_standard_output();
    return;
  }
  require_replaceable();  // which may be another file by now
  take_over_mode();
  const int descriptor = ::fileno(file_.get());
  if (::fsync(descriptor) != 0) fail();
  if (temporary_.empty()) {
    const std::string name = unpredictable_name(target_);
    const int is_not_linked =
        ::linkat(AT_FDCWD, link_of(descriptor).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
    if (is_not_linked != 0) fail();
    temporary_ = name;
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

/// Whoever may put a link into a folder of all users would else choose what is replaced.
void OutputFile::follow_links() {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  for (int i = 0; i < kMostLinks; ++i) {
    struct stat status {};
    if (::lstat(target_.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return;
    if (status.st_uid != ::geteuid() && status.st_uid != 0) {
      refuse("it is a symbolic link of another user; name the file itself");
    }
    std::error_code is_lost;
    const auto next = std::filesystem::read_symlink(target_, is_lost);
    if (is_lost) return;
    target_ = std::filesystem::path(target_).parent_path() / next;
  }
  refuse("it is a symbolic link that leads nowhere; name the file itself");
}

bool OutputFile::is_input(const std::string& path) const {
  return std::ranges::any_of(inputs_, [&](const auto& input) { return is_same_file(path, input); });
}

void OutputFile::require_replaceable() const {
  // By its own name: what /dev/stdout leads to may have none.
  const auto status = status_of(path_);
  if (status && !S_ISREG(status->st_mode)) {
    refuse("it is there, and no regular file; name one, or - for the standard output");
  }
  if (is_file_of(STDERR_FILENO, path_)) {
    refuse("it is the standard error's, which would be lost; name another file");
  }
  if (is_input(target_)) refuse("it is what is read; name another file");
  if (is_database(target_)) {
    refuse(
        "it is a database, which is never replaced; name another file, or remove it if nobody "
        "needs it");
  }
  if (is_beside_database(target_))
    refuse("it belongs to the database beside it; name another file");
}

/// Less than 0 where there can be none.
int OutputFile::open_temporary() {
  std::string folder = std::filesystem::path(target_).parent_path();
  if (folder.empty()) folder = ".";
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewFileMode);
  if (unnamed >= 0) {
    // Without /proc it would never get a name.
    if (::access(link_of(unnamed).c_str(), F_OK) == 0) return unnamed;
    ::close(unnamed);
  }
  temporary_ = unpredictable_name(target_);
  const int named = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC,
                           kNewFileMode);
  if (named < 0) temporary_.clear();
  return named;
}

/// The owner only where that may be given away.
void OutputFile::take_over_mode() const {
  constexpr mode_t kPermissions = 0777;
  const auto status = status_of(target_);
  if (!status) return;
  const int descriptor = ::fileno(file_.get());
  const bool has_owner = ::fchown(descriptor, status->st_uid, status->st_gid) == 0;
  mode_t mode = status->st_mode & kPermissions;
  const bool is_same_group = has_owner || status->st_gid == ::getegid();
  if (!is_same_group) mode &= ~mode_t{S_IRWXG};  // it was for the members of another one
  if (::fchmod(descriptor, mode) != 0) fail();
}

void OutputFile::refuse(std::string_view reason) const {
  throw FileError(fmt::format("writing the {} {}: {}", what_, path_, reason));
}

void OutputFile::fail() const {
  throw FileError(fmt::format("writing the {}{}: {}; choose another place for it", what_,
                              is_standard_output_ ? "" : " " + path_, std::strerror(errno)));
}

void OutputFile::copy_to_standard_output() {
  constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
  std::array<char, kBlockBytes> block{};
  std::rewind(file_.get());
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file_.get())) {
    write_text(stdout, {block.data(), size});
  }
  if (std::ferror(file_.get()) != 0) fail();
}

}  // namespace foldtune
