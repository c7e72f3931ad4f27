#include "tuner/files/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

constexpr std::uint64_t kMax16 = 0xffff;
constexpr std::uint64_t kMax32 = 0xffffffff;

constexpr std::uint64_t kHeaderMagic = 0x04034b50;  // "PK\3\4"
constexpr std::uint64_t kEntryMagic = 0x02014b50;
constexpr std::uint64_t kEndMagic = 0x06054b50;
constexpr std::uint64_t kEnd64Magic = 0x06064b50;
constexpr std::uint64_t kLocator64Magic = 0x07064b50;

constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocator64Bytes = 20;

constexpr std::uint64_t kZip64Field = 1;
constexpr std::uint64_t kEncryptedFlag = 1;
constexpr std::uint64_t kStored = 0;

FileError damaged_npz(std::string_view file, std::string_view what) {
  return FileError(fmt::format(
      "{} is not a readable .npz file: {}; write it again with numpy.savez", file, what));
}

/// Little-endian numbers in bytes. `bytes` holds all that is asked for.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t get(std::size_t offset, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) {
      value = value << 8 | std::to_integer<unsigned>(bytes_[offset + i]);
    }
    return value;
  }
  std::uint64_t get16(std::size_t offset) const { return get(offset, 2); }
  std::uint64_t get32(std::size_t offset) const { return get(offset, 4); }
  std::uint64_t get64(std::size_t offset) const { return get(offset, 8); }

 private:
  std::span<const std::byte> bytes_;
};

/// The end record is the last one whose comment ends where the file does.
std::optional<std::size_t> find_end(std::span<const std::byte> tail) {
  if (tail.size() < kEndBytes) return std::nullopt;
  const Fields fields(tail);
  for (std::size_t at = tail.size() - kEndBytes + 1; at-- > 0;) {
    const bool is_end =
        fields.get32(at) == kEndMagic && fields.get16(at + 20) == tail.size() - at - kEndBytes;
    if (is_end) return at;
  }
  return std::nullopt;
}

/// The end record of Zip64, before `end` in the tail: empty where there is none.
std::optional<ZipDirectory> find_directory64(std::span<const std::byte> tail,
                                             std::uint64_t tail_offset, std::size_t end,
                                             std::string_view file) {
  const Fields fields(tail);
  if (end < kLocator64Bytes || fields.get32(end - kLocator64Bytes) != kLocator64Magic) {
    return std::nullopt;
  }
  const std::size_t locator = end - kLocator64Bytes;
  const std::uint64_t offset = fields.get64(locator + 8);
  if (offset < tail_offset || offset - tail_offset > locator ||
      locator - (offset - tail_offset) < kEnd64Bytes ||
      fields.get32(offset - tail_offset) != kEnd64Magic) {
    throw damaged_npz(file, "its directory is not where its end says");
  }
  const std::size_t at = offset - tail_offset;
  return ZipDirectory{.offset = fields.get64(at + 48), .size = fields.get64(at + 40)};
}

/// Puts the values of `extra`, a row of fields {id, bytes, value}, in place of those that are all
/// ones, in their order.
void take_zip64_values(std::span<const std::byte> extra, std::span<std::uint64_t* const> values) {
  const Fields fields(extra);
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::size_t size = fields.get16(at + 2);
    const std::size_t end = at + 4 + size;
    if (end > extra.size()) return;
    if (fields.get16(at) == kZip64Field) {
      std::size_t next = at + 4;
      for (std::uint64_t* const value : values) {
        if (*value != kMax32) continue;
        if (next + 8 > end) return;
        *value = fields.get64(next);
        next += 8;
      }
      return;
    }
    at = end;
  }
}

/// Table k is what a byte makes of the checksum that k more bytes follow: eight bytes are looked up
/// at once, since one after another takes longer than to read the file.
constexpr std::size_t kCrcTables = 8;
constexpr std::size_t kByteValues = 256;
using CrcTable = std::array<std::uint32_t, kByteValues>;

constexpr std::array<CrcTable, kCrcTables> make_crc_tables() {
  constexpr std::uint32_t kPolynomial = 0xedb88320;
  std::array<CrcTable, kCrcTables> tables{};
  for (std::uint32_t byte = 0; byte < kByteValues; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? kPolynomial : 0);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < kCrcTables; ++k) {
    for (std::size_t byte = 0; byte < kByteValues; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

}  // namespace

void Crc32::add(std::span<const std::byte> bytes) {
  static constexpr std::array<CrcTable, kCrcTables> kTables = make_crc_tables();
  std::uint32_t state = state_;
  for (; bytes.size() >= kCrcTables; bytes = bytes.subspan(kCrcTables)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    word ^= state;
    state = 0;
    for (std::size_t k = kCrcTables; k-- > 0; word >>= 8) state ^= kTables[k][word & 0xff];
  }
  for (const std::byte byte : bytes) {
    state = state >> 8 ^ kTables[0][(state ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  }
  state_ = state;
}

bool is_zip(std::span<const std::byte> head) {
  if (head.size() < 4) return false;
  const std::uint64_t magic = Fields(head).get32(0);
  return magic == kHeaderMagic || magic == kEndMagic;  // the latter of a zip of nothing
}

ZipDirectory find_zip_directory(std::span<const std::byte> tail, std::uint64_t file_size,
                                std::string_view file) {
  const std::optional<std::size_t> end = find_end(tail);
  if (!end) throw damaged_npz(file, "it does not end with its directory, so it is cut short");
  const Fields fields(tail);
  ZipDirectory directory{.offset = fields.get32(*end + 16), .size = fields.get32(*end + 12)};
  const std::uint64_t tail_offset = file_size - tail.size();
  if (directory.offset == kMax32 || directory.size == kMax32 || fields.get16(*end + 10) == kMax16) {
    directory = find_directory64(tail, tail_offset, *end, file).value_or(directory);
  }
  const std::uint64_t end_offset = tail_offset + *end;
  if (directory.offset > end_offset || directory.size > end_offset - directory.offset) {
    throw damaged_npz(file, "its directory is not within it");
  }
  return directory;
}

std::vector<ZipMember> parse_zip_directory(std::span<const std::byte> bytes,
                                           const ZipDirectory& directory, std::string_view file) {
  std::vector<ZipMember> members;
  while (!bytes.empty()) {
    const Fields fields(bytes);
    if (bytes.size() < kEntryBytes || fields.get32(0) != kEntryMagic) {
      throw damaged_npz(file, "its directory is damaged");
    }
    const std::size_t name_bytes = fields.get16(28);
    const std::size_t extra_bytes = fields.get16(30);
    const std::size_t entry_bytes = kEntryBytes + name_bytes + extra_bytes + fields.get16(32);
    if (bytes.size() < entry_bytes) throw damaged_npz(file, "its directory is cut short");
    std::uint64_t stored_size = fields.get32(20);
    ZipMember member{.size = fields.get32(24),
                     .crc32 = static_cast<std::uint32_t>(fields.get32(16)),
                     .header_offset = fields.get32(42)};
    const std::span<const std::byte> name = bytes.subspan(kEntryBytes, name_bytes);
    member.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
    const std::array values{&member.size, &stored_size, &member.header_offset};
    take_zip64_values(bytes.subspan(kEntryBytes + name_bytes, extra_bytes), values);
    member.is_plain = (fields.get16(8) & kEncryptedFlag) == 0 && fields.get16(10) == kStored &&
                      stored_size == member.size;
    if (directory.offset < kZipHeaderBytes ||
        member.header_offset > directory.offset - kZipHeaderBytes) {
      throw damaged_npz(file, fmt::format("{} is not within it", member.name));
    }
    members.push_back(std::move(member));
    bytes = bytes.subspan(entry_bytes);
  }
  return members;
}

std::uint64_t find_zip_data(std::span<const std::byte, kZipHeaderBytes> header,
                            const ZipMember& member, const ZipDirectory& directory,
                            std::string_view file) {
  const Fields fields(header);
  if (fields.get32(0) != kHeaderMagic) {
    throw damaged_npz(file, fmt::format("{} is not where its directory says", member.name));
  }
  const std::uint64_t begin =
      member.header_offset + kZipHeaderBytes + fields.get16(26) + fields.get16(28);
  if (begin > directory.offset || member.size > directory.offset - begin) {
    throw damaged_npz(file, fmt::format("{} is cut short", member.name));
  }
  return begin;
}

}  // namespace foldtune
