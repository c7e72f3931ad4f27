#include "tuner/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "tuner/file_error.h"
#include "tuner/npy.h"

namespace foldtune {
namespace {

FileError system_error(const std::string& path, int error) {
  return FileError(fmt::format("reading {}: {}; name a file that this user can read", path,
                               std::generic_category().message(error)));
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK, so that a named pipe is refused below rather than waited for.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw system_error(path_, errno);
  struct stat status {};
  const bool is_known = ::fstat(descriptor_, &status) == 0;
  if (is_known && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  throw FileError(
      fmt::format("reading {}: it is {}; name a file", path_,
                  is_known && S_ISDIR(status.st_mode) ? "a folder" : "not a regular file"));
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
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

InputElements find_elements(const InputFile& file, std::optional<ElementType> type) {
  std::vector<std::byte> head(std::min<std::uint64_t>(file.size(), kNpyHeadBytes));
  file.read(0, head);
  if (is_npy(head)) {
    const NpyArray array = parse_npy(head, file.size(), type, file.path());
    return {.type = array.type, .count = array.count, .offset = array.data_offset};
  }
  if (!type) {
    throw InvalidArgument(fmt::format(
        "{} is not a .npy file, so its type is not known: say it, as in --type f32", file.path()));
  }
  if (file.size() % size_of(*type) != 0) {
    throw InvalidArgument(fmt::format(
        "{} has {} bytes, which is not a multiple of the {} bytes of {}: it is of another type, or "
        "cut short",
        file.path(), file.size(), size_of(*type), name(*type)));
  }
  return {.type = *type, .count = file.size() / size_of(*type), .offset = 0};
}

}  // namespace foldtune
