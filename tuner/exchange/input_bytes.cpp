#include "tuner/exchange/input_bytes.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "tuner/file_error.h"

namespace foldtune {
namespace {

bool is_regular(std::FILE* file) {
  struct stat status {};
  return ::fstat(::fileno(file), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

InputBytes::InputBytes(std::string path) : name_(std::move(path)) {
  if (name_ == "-") {
    name_ = "the standard input";
    file_ = copy(stdin);
    return;
  }
  file_.reset(std::fopen(name_.c_str(), "rb"));
  if (file_ == nullptr) fail();
  if (!is_regular(file_.get())) file_ = copy(file_.get());
}

ByteSource InputBytes::begin() const {
  std::rewind(file_.get());
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

InputBytes::File InputBytes::copy(std::FILE* from) const {
  constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
  std::vector<char> block(kBlockBytes);
  File to(std::tmpfile());
  if (to == nullptr) fail();
  while (const std::size_t size = read(from, block.data(), block.size())) {
    if (std::fwrite(block.data(), 1, size, to.get()) != size) fail();
  }
  if (std::fflush(to.get()) != 0) fail();
  return to;
}

}  // namespace foldtune
