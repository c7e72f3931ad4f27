/// Files that are read: what is reduced, and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace foldtune {

/// An open file. "-" is the standard input from where it stands on. What comes through a pipe is
/// read to its end and kept in memory, up to half of what is free. Move-only. Failures throw
/// FileError, OutOfMemory.
class InputFile {
 public:
  explicit InputFile(std::string path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }  ///< for messages
  std::uint64_t size() const { return size_; }       ///< bytes, when it was opened

  /// Fills `bytes` from `offset` on, counted from the first byte that is read.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  std::string read_all() const;

 private:
  void open();
  void keep_stream();

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t begin_ = 0;  // of the first byte that is read
  std::uint64_t size_ = 0;
};

}  // namespace foldtune
