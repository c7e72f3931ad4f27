#include "tuner/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tuner/file_error.h"

namespace foldtune {
namespace {

void require_replaceable(const std::string& path, const std::string& what) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found ||
      type == std::filesystem::file_type::regular || type == std::filesystem::file_type::none) {
    return;
  }
  throw FileError(
      fmt::format("writing the {} {}: it is there, and no regular file; name one, or - for the "
                  "standard output",
                  what, path));
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string what)
    : path_(std::move(path)), what_(std::move(what)) {
  if (is_standard_output()) {
    file_.reset(std::tmpfile());
  } else {
    require_replaceable(path_, what_);
    temporary_ = fmt::format("{}.{}.tmp", path_, ::getpid());  // no other writer's
    file_.reset(std::fopen(temporary_.c_str(), "wb"));
  }
  if (file_ != nullptr) return;
  temporary_.clear();
  fail();
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
}

void OutputFile::restart() {
  std::rewind(file_.get());
  if (::ftruncate(::fileno(file_.get()), 0) != 0) fail();
}

void OutputFile::commit() {
  if (std::fflush(file_.get()) != 0) fail();
  if (is_standard_output()) {
    copy_to_standard_output();
    return;
  }
  const bool is_renamed =
      ::fsync(::fileno(file_.get())) == 0 && std::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (!is_renamed) fail();
  temporary_.clear();
}

void OutputFile::fail() const {
  throw FileError(fmt::format("writing the {}{}: {}; choose another place for it", what_,
                              is_standard_output() ? "" : " " + path_, std::strerror(errno)));
}

void OutputFile::copy_to_standard_output() {
  constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
  std::array<char, kBlockBytes> block{};
  std::rewind(file_.get());
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file_.get())) {
    if (std::fwrite(block.data(), 1, size, stdout) != size) fail();
  }
  if (std::ferror(file_.get()) != 0) fail();
}

}  // namespace foldtune
