/// Files that are read: what is reduced, and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "foldtune/catalog.h"

namespace foldtune {

/// An open regular file. Move-only. Failures throw FileError.
class InputFile {
 public:
  explicit InputFile(std::string path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  ///< bytes, when it was opened

  /// Fills `bytes` from `offset` on.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  std::string read_all() const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Where the elements lie in a file.
struct InputElements {
  ElementType type = ElementType::f32;
  std::uint64_t count = 0;
  std::uint64_t offset = 0;  ///< in bytes
};

/// The elements of a .npy file, known by its first bytes, or else of a raw file, which needs a
/// type. Throws FileError for a damaged file, InvalidArgument for one that does not fit `type`.
InputElements find_elements(const InputFile& file, std::optional<ElementType> type);

}  // namespace foldtune
