/// A file that is read twice.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "tuner/exchange/exchange_parser.h"

namespace foldtune {

/// More than what anybody exports through a pipe; a file may have any size.
inline constexpr std::uint64_t kMostPipedBytes = std::uint64_t{4} << 30;

/// The regular file or pipe `path`, or for "-" the standard input from where it stands on. A pipe,
/// which can be read only once, is copied to a temporary file; one that gives more than `max_piped`
/// bytes, and what is neither a file nor a pipe, such as /dev/zero, is refused. Failures, also
/// those of its source, throw FileError.
class InputBytes {
 public:
  explicit InputBytes(std::string path, std::uint64_t max_piped = kMostPipedBytes);

  const std::string& name() const { return name_; }

  /// Its bytes from the first on; one source at a time.
  ByteSource begin() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  [[noreturn]] void fail() const;
  std::size_t read(std::FILE* file, char* place, std::size_t most) const;
  File copy(std::FILE* from, std::uint64_t most) const;

  std::string name_;
  File file_;
  off_t begin_ = 0;  // of the first byte that is read
};

}  // namespace foldtune
