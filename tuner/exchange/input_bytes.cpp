#include "tuner/exchange/input_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "tuner/files/file_error.h"
#include "tuner/text/format.h"

namespace foldtune {
namespace {

/// Of what there is to read, S_IFREG and the like; 0 where it cannot be known.
mode_t kind_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

}  // namespace

InputBytes::InputBytes(std::string path, std::uint64_t max_piped) : name_(std::move(path)) {
  const bool is_standard_input = name_ == "-";
  if (is_standard_input) name_ = "the standard input";
  // Not O_NONBLOCK: a FIFO is waited for until somebody writes to it.
  const int descriptor = is_standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                           : ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) fail();
  file_.reset(::fdopen(descriptor, "rb"));
  if (file_ == nullptr) fail();
  const mode_t kind = kind_of(descriptor);
  if (kind == S_IFREG) {
    begin_ = ::ftello(file_.get());  // others may have read some of it
    if (begin_ < 0) fail();
    return;
  }
  if (kind != S_IFIFO && kind != S_IFSOCK) {
    throw FileError(fmt::format("reading {}: it is neither a file nor a pipe; give a file", name_));
  }
  file_ = copy(file_.get(), max_piped);
}

ByteSource InputBytes::begin() const {
  if (::fseeko(file_.get(), begin_, SEEK_SET) != 0) fail();
  return [this](char* place, std::size_t most) { return read(file_.get(), place, most); };
}

void InputBytes::fail() const {
  throw FileError(fmt::format("reading {}: {}; check the path and its permissions", name_,
                              std::strerror(errno)));
}

std::size_t InputBytes::read(std::FILE* file, char* place, std::size_t most) const {
  const std::size_t size = std::fread(place, 1, most, file);
  if (size < most && std::ferror(file) != 0) fail();
  return size;
}

InputBytes::File InputBytes::copy(std::FILE* from, std::uint64_t most) const {
  constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
  std::vector<char> block(kBlockBytes);
  File to(std::tmpfile());
  if (to == nullptr) fail();
  std::uint64_t all = 0;
  while (const std::size_t size = read(from, block.data(), block.size())) {
    all += size;
    if (all > most) {
      throw FileError(
          fmt::format("reading {}: it gives more than {}; write it into a file, and give that",
                      name_, format_bytes(most)));
    }
    if (std::fwrite(block.data(), 1, size, to.get()) != size) fail();
  }
  if (std::fflush(to.get()) != 0) fail();
  return to;
}

}  // namespace foldtune
