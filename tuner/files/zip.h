/// Zip files, of which .npz is one: what numpy.savez writes, and other zips as far as their members
/// lie in them as they are.
///
/// A member is a local header of 30 bytes, its name, extra fields, and its bytes. The directory at
/// the end of the file has an entry for each, which says more than the local header: that may have
/// been written before the sizes were known. The end record says where the directory is. In files
/// of Zip64, which numpy.savez writes, numbers that are too small for a value are all ones, and the
/// value is in an extra field, or in a second end record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foldtune {

/// All functions throw FileError for what is damaged; `file` names it.

bool is_zip(std::span<const std::byte> head);

/// Bytes at the end of a file in which the end records lie, if nothing unusual is between them.
inline constexpr std::size_t kZipTailBytes = 22 + 65535 + 20 + 56;

/// In bytes, from the beginning of the file.
struct ZipDirectory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// `tail` is the end of a file of `file_size` bytes: all of it, or kZipTailBytes.
ZipDirectory find_zip_directory(std::span<const std::byte> tail, std::uint64_t file_size,
                                std::string_view file);

struct ZipMember {
  std::string name{};     ///< "x.npy"
  bool is_plain = false;  ///< neither compressed nor encrypted
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;          ///< of its bytes
  std::uint64_t header_offset = 0;  ///< of its local header, from the beginning of the file
};

/// `bytes` are those of `directory`. The local header of every member lies before it.
std::vector<ZipMember> parse_zip_directory(std::span<const std::byte> bytes,
                                           const ZipDirectory& directory, std::string_view file);

inline constexpr std::size_t kZipHeaderBytes = 30;

/// Where the bytes of `member` begin in the file; `header` is what is at its header_offset. They
/// end before the directory.
std::uint64_t find_zip_data(std::span<const std::byte, kZipHeaderBytes> header,
                            const ZipMember& member, const ZipDirectory& directory,
                            std::string_view file);

/// The checksum of a member, of bytes that are added in their order.
class Crc32 {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = ~std::uint32_t{0};
};

}  // namespace foldtune
