/// Makes .npz files, good and bad.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foldtune::test {

/// A member of a zip file, with what its headers say.
struct NpzMember {
  std::string name;  ///< "x.npy"
  std::string data;
  int method = 0;               ///< 8: compressed by Deflate
  int flags = 0;                ///< 1: encrypted; 8: the sizes follow the data
  bool is_zip64 = true;         ///< sizes of 64 bits before the data, as numpy.savez writes them
  bool is_zip64_entry = false;  ///< in the directory, too, as of members of 4 GiB
};

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

inline std::uint32_t crc32_of(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/// What numpy.savez writes, but that dates are 0. `is_zip64`: with the end record of
/// large files.
inline std::string npz_file(const std::vector<NpzMember>& members, bool is_zip64 = false) {
  constexpr std::uint64_t kInExtra = 0xffffffff;
  std::string file;
  std::string directory;
  for (const NpzMember& one : members) {
    const std::uint64_t offset = file.size();
    const std::string sizes = little_endian(one.data.size(), 8) + little_endian(one.data.size(), 8);
    const std::string extra =
        one.is_zip64 ? little_endian(1, 2) + little_endian(16, 2) + sizes : "";
    const std::string start = little_endian(45, 2) + little_endian(one.flags, 2) +
                              little_endian(one.method, 2) + std::string(4, '\0') +
                              little_endian(crc32_of(one.data), 4);
    const bool is_unknown = (one.flags & 8) != 0;
    const std::uint64_t size = one.is_zip64 ? kInExtra : is_unknown ? 0 : one.data.size();
    file += "PK\x03\x04" + start + little_endian(size, 4) + little_endian(size, 4) +
            little_endian(one.name.size(), 2) + little_endian(extra.size(), 2) + one.name + extra +
            one.data;
    if (is_unknown) file += "PK\x07\x08" + std::string(4, '\0') + sizes;
    const std::string more = one.is_zip64_entry ? little_endian(1, 2) + little_endian(24, 2) +
                                                      sizes + little_endian(offset, 8)
                                                : "";
    const std::uint64_t told = one.is_zip64_entry ? kInExtra : one.data.size();
    directory += "PK\x01\x02" + little_endian(45, 2) + start + little_endian(told, 4) +
                 little_endian(told, 4) + little_endian(one.name.size(), 2) +
                 little_endian(more.size(), 2) + std::string(10, '\0') +
                 little_endian(one.is_zip64_entry ? kInExtra : offset, 4) + one.name + more;
  }
  const std::uint64_t begin = file.size();
  file += directory;
  if (is_zip64) {
    const std::uint64_t end64 = file.size();
    file += "PK\x06\x06" + little_endian(44, 8) + std::string(12, '\0') +
            little_endian(members.size(), 8) + little_endian(members.size(), 8) +
            little_endian(directory.size(), 8) + little_endian(begin, 8) + "PK\x06\x07" +
            little_endian(0, 4) + little_endian(end64, 8) + little_endian(1, 4);
  }
  const std::uint64_t count = is_zip64 ? 0xffff : members.size();
  return file + "PK\x05\x06" + std::string(4, '\0') + little_endian(count, 2) +
         little_endian(count, 2) + little_endian(is_zip64 ? kInExtra : directory.size(), 4) +
         little_endian(is_zip64 ? kInExtra : begin, 4) + std::string(2, '\0');
}

}  // namespace foldtune::test
