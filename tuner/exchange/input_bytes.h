/// A file that is read twice.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "tuner/exchange/exchange_parser.h"

namespace foldtune {

/// The file `path`, or for "-" the standard input. What can be read only once is copied to a
/// temporary file. Failures, also those of its source, throw FileError.
class InputBytes {
 public:
  explicit InputBytes(std::string path);

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
  File copy(std::FILE* from) const;

  std::string name_;
  File file_;
};

}  // namespace foldtune
