#include "tuner/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

FileError system_error(const std::string& path, int error) {
  return FileError(fmt::format("reading {}: {}; name a file that this user can read", path,
                               std::generic_category().message(error)));
}

/// What of the machine's memory can be had, in bytes, in a container too.
std::uint64_t available_memory() {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key, rest; meminfo >> key; std::getline(meminfo, rest)) {
    std::uint64_t kib = 0;
    if (key == "MemAvailable:" && meminfo >> kib) available = kib * 1024;
  }
  for (const char* const limit :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t bytes = 0;
    if (std::ifstream(limit) >> bytes) available = std::min(available, bytes);
  }
  return available;
}

/// The next bytes of a stream; 0 at its end. Waits for them, and for the first writer of a named
/// pipe.
std::size_t read_some(int stream, std::span<std::byte> bytes, const std::string& path) {
  for (;;) {
    pollfd state{.fd = stream, .events = POLLIN, .revents = 0};
    const bool is_ready = ::poll(&state, 1, -1) >= 0;
    const ssize_t got = is_ready ? ::read(stream, bytes.data(), bytes.size()) : -1;
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) throw system_error(path, errno);
  }
}

/// What has to be read to know how much it is: pipes, and the system's own files, as in /proc and
/// /sys, which have no blocks, and say 0 or a page.
bool is_stream(const struct stat& status) {
  constexpr off_t kLargestPage = off_t{64} << 10;
  if (S_ISREG(status.st_mode)) return status.st_blocks == 0 && status.st_size <= kLargestPage;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  open();
  struct stat status {};
  const bool is_known = ::fstat(descriptor_, &status) == 0;
  try {
    if (is_known && is_stream(status)) {
      keep_stream();
    } else if (is_known && S_ISREG(status.st_mode)) {
      const off_t begin = ::lseek(descriptor_, 0, SEEK_CUR);  // others may have read some of it
      if (begin < 0) throw system_error(path_, errno);
      begin_ = static_cast<std::uint64_t>(begin);
      size_ = static_cast<std::uint64_t>(std::max(status.st_size - begin, off_t{0}));
    } else {
      throw FileError(fmt::format(
          "reading {}: it is {}; name a file", path_,
          is_known && S_ISDIR(status.st_mode) ? "a folder" : "neither a regular file nor a pipe"));
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void InputFile::open() {
  if (path_ == "-") {
    path_ = "the standard input";
    descriptor_ = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  } else {
    // O_NONBLOCK, so that devices which are refused are not waited for.
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  }
  if (descriptor_ < 0) throw system_error(path_, errno);
}

/// Puts all that the stream gives into a file in memory, which takes its place.
void InputFile::keep_stream() {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  const std::uint64_t most = available_memory() / 2;
  const auto no_memory = [&] {
    return OutOfMemory(
        fmt::format("reading {}: {} bytes came, and half of the free memory holds no more; write "
                    "them to a file",
                    path_, size_));
  };
  std::vector<std::byte> block(kBlockBytes);
  const int copy = ::memfd_create("foldtune input", MFD_CLOEXEC);
  if (copy < 0) throw system_error(path_, errno);
  const int stream = std::exchange(descriptor_, copy);
  try {
    while (const std::size_t got = read_some(stream, block, path_)) {
      if (got > most - size_) throw no_memory();
      for (std::size_t done = 0; done < got;) {
        const ssize_t written = ::write(copy, block.data() + done, got - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw no_memory();
        done += static_cast<std::size_t>(written);
      }
      size_ += got;
    }
  } catch (...) {
    ::close(stream);
    throw;
  }
  ::close(stream);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      begin_(other.begin_),
      size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(begin_ + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(path_, errno);
    if (got == 0) {
      throw FileError(
          fmt::format("reading {}: it became shorter meanwhile; try again when nobody "
                      "writes to it",
                      path_));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::string InputFile::read_all() const {
  std::string text(size_, '\0');
  read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace foldtune
