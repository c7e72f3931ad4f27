#include "tuner/files/input_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <new>
#include <set>
#include <string>
#include <system_error>

#include "foldtune/error.h"
#include "tuner/files/file_error.h"
#include "tuner/files/file_kind.h"
#include "tuner/files/npy.h"
#include "tuner/files/zip.h"

namespace foldtune {
namespace {

/// Bytes that are read at a time.
constexpr std::size_t kPieceBytes = std::size_t{32} << 20;

/// Longer ones are not of files of arrays: a million members.
constexpr std::uint64_t kMaxDirectoryBytes = std::uint64_t{64} << 20;

/// Members of an .npz file that a message names.
constexpr std::size_t kNamedMembers = 20;

constexpr std::string_view kNpyEnding = ".npy";

/// The first `most` bytes of a part of a file.
std::vector<std::byte> read_head(const InputFile& file, std::uint64_t begin, std::uint64_t size,
                                 std::size_t most) {
  std::vector<std::byte> head(std::min<std::uint64_t>(size, most));
  file.read(begin, head);
  return head;
}

std::string_view without_ending(std::string_view member) {
  if (member.ends_with(kNpyEnding)) member.remove_suffix(kNpyEnding.size());
  return member;
}

/// The arrays in an .npz file, for a message.
std::string list_members(const std::vector<ZipMember>& arrays) {
  std::vector<std::string_view> names;
  for (const ZipMember& array : arrays) {
    if (names.size() < kNamedMembers) names.push_back(without_ending(array.name));
  }
  const std::size_t others = arrays.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     others == 0 ? "" : fmt::format(" and {} others", others));
}

/// `path` is what `file` is called on the command line.
const ZipMember& choose_member(const std::vector<ZipMember>& arrays, const std::string& asked,
                               const std::string& file, const std::string& path) {
  if (arrays.empty()) {
    throw InvalidArgument(
        fmt::format("{} is a zip file without an .npy file in it: unpack it first", file));
  }
  if (asked.empty()) {
    if (arrays.size() == 1) return arrays.front();
    throw InvalidArgument(fmt::format("{} holds {} arrays ({}): name one, as in {}:{}", file,
                                      arrays.size(), list_members(arrays), path,
                                      without_ending(arrays.front().name)));
  }
  const auto found = std::ranges::find_if(arrays, [&](const ZipMember& array) {
    return array.name == asked || without_ending(array.name) == asked;
  });
  if (found == arrays.end()) {
    throw InvalidArgument(
        fmt::format("{} has no array '{}': it has {}", file, asked, list_members(arrays)));
  }
  return *found;
}

std::vector<ZipMember> read_directory(const InputFile& file, const ZipDirectory& directory) {
  if (directory.size > kMaxDirectoryBytes) {
    throw FileError(fmt::format("{} has too many members for a file of arrays", file.path()));
  }
  std::vector<std::byte> bytes(directory.size);
  file.read(directory.offset, bytes);
  std::vector<ZipMember> members = parse_zip_directory(bytes, directory, file.path());
  // Of several of one name the last one is meant, as NumPy has it.
  std::set<std::string> names;
  std::ranges::reverse(members);
  std::erase_if(members, [&](const ZipMember& one) {
    return !one.name.ends_with(kNpyEnding) || !names.insert(one.name).second;
  });
  std::ranges::reverse(members);
  return members;
}

/// Copies one element after another, each of kSize bytes.
template <std::size_t kSize>
void gather(const std::byte* elements, std::uint64_t stride, std::uint64_t count, std::byte* to) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * kSize, elements + i * stride * kSize, kSize);
  }
}

using Gather = void (*)(const std::byte*, std::uint64_t, std::uint64_t, std::byte*);

Gather find_gather(std::size_t size) {
  switch (size) {
    case 1:
      return gather<1>;
    case 2:
      return gather<2>;
    case 4:
      return gather<4>;
    default:
      return gather<8>;
  }
}

/// Elements of an array in Fortran order, in C order.
class COrder {
 public:
  COrder(const ArrayShape& shape, std::span<const std::byte> elements, std::size_t element_size)
      : elements_(elements), size_(element_size), gather_(find_gather(size_)) {
    std::uint64_t stride = 1;
    for (const std::uint64_t extent : shape) {
      if (extent == 1) continue;  // lest each element be a row of its own
      shape_.push_back(extent);
      strides_.push_back(stride);
      stride *= extent;
    }
  }

  /// The elements from number `first` on: as many as `piece` holds.
  void copy(std::uint64_t first, std::span<std::byte> piece) const {
    const std::uint64_t row = shape_.back();
    const std::uint64_t end = first + piece.size() / size_;
    for (std::byte* to = piece.data(); first < end;) {
      const std::uint64_t count = std::min(end - first, row - first % row);
      gather_(elements_.data() + find(first) * size_, strides_.back(), count, to);
      first += count;
      to += count * size_;
    }
  }

 private:
  /// Where element number `index` is.
  std::uint64_t find(std::uint64_t index) const {
    std::uint64_t place = 0;
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      place += index % shape_[axis] * strides_[axis];
      index /= shape_[axis];
    }
    return place;
  }

  ArrayShape shape_;
  ArrayShape strides_;  ///< in elements
  std::span<const std::byte> elements_;
  std::size_t size_;
  Gather gather_;
};

void swap_bytes(std::span<std::byte> bytes, std::size_t size) {
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    std::ranges::reverse(bytes.subspan(i, size));
  }
}

}  // namespace

/// The name of a file that is there is that file's, whatever is in it.
InputArray::Place InputArray::find_place(const std::string& name) {
  std::error_code ignored;
  if (name == "-" || std::filesystem::exists(name, ignored)) return {.path = name, .member = {}};
  for (std::size_t colon = name.find(':'); colon != std::string::npos;
       colon = name.find(':', colon + 1)) {
    const std::string path = name.substr(0, colon);
    if (path == "-" || std::filesystem::exists(path, ignored)) {
      return {.path = path, .member = name.substr(colon + 1)};
    }
  }
  return {.path = name, .member = {}};
}

InputArray::InputArray(const std::string& name, const std::optional<WantedType>& wanted,
                       InputFormat format)
    : InputArray(find_place(name), wanted, format) {}

InputArray::InputArray(const Place& place, const std::optional<WantedType>& wanted,
                       InputFormat format)
    : file_(place.path), name_(file_.path()) {
  const std::vector<std::byte> head = read_head(file_, 0, file_.size(), kKindBytes);
  if (format == InputFormat::by_content && is_zip(head)) {
    find_member(place, wanted);
    return;
  }
  if (!place.member.empty()) {
    throw InvalidArgument(
        fmt::format("{} is not an .npz file, so it has no '{}'", name_, place.member));
  }
  if (format == InputFormat::by_content) {
    if (is_npy(head)) {
      find_npy(0, file_.size(), wanted);
      return;
    }
    const std::string kind = describe_foreign_file(head, name_);
    if (!kind.empty()) {
      throw InvalidArgument(
          fmt::format("{} is {}; --raw takes its bytes as elements all the same", name_, kind));
    }
  }
  find_raw(wanted);
}

void InputArray::find_member(const Place& place, const std::optional<WantedType>& wanted) {
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(file_.size(), kZipTailBytes);
  std::vector<std::byte> tail(tail_bytes);
  file_.read(file_.size() - tail_bytes, tail);
  const ZipDirectory directory = find_zip_directory(tail, file_.size(), name_);
  const std::vector<ZipMember> arrays = read_directory(file_, directory);
  const ZipMember& array = choose_member(arrays, place.member, name_, place.path);
  name_ = fmt::format("{}:{}", name_, without_ending(array.name));
  if (!array.is_plain) {
    throw InvalidArgument(fmt::format(
        "{} is compressed or encrypted: write it with numpy.savez instead of savez_compressed, or "
        "with numpy.save",
        name_));
  }
  std::array<std::byte, kZipHeaderBytes> header{};
  file_.read(array.header_offset, header);
  const std::uint64_t begin = find_zip_data(header, array, directory, name_);
  find_npy(begin, array.size, wanted);
  crc_of_head_.add(read_head(file_, begin, array.size, offset_ - begin));
  crc_ = array.crc32;
}

void InputArray::find_npy(std::uint64_t begin, std::uint64_t size,
                          const std::optional<WantedType>& wanted) {
  const std::vector<std::byte> head = read_head(file_, begin, size, kNpyHeadBytes);
  const NpyArray array = parse_npy(head, size, wanted, name_);
  elements_ = array.elements;
  shape_ = array.shape;
  count_ = array.count;
  offset_ = begin + array.data_offset;
  const auto long_axes = std::ranges::count_if(array.shape, [](auto extent) { return extent > 1; });
  is_fortran_order_ = array.is_fortran_order && long_axes > 1;
}

void InputArray::find_raw(const std::optional<WantedType>& wanted) {
  if (!wanted) {
    throw InvalidArgument(fmt::format(
        "{} is read as elements alone, which do not say their type: say it, as in --type f32",
        name_));
  }
  elements_.type = wanted->type;
  const std::size_t size = size_of(wanted->type);
  count_ = file_.size() / size;
  if (file_.size() % size != 0) {
    throw InvalidArgument(fmt::format(
        "{} has {} bytes, which is not a multiple of the {} bytes of {}: it is of another type, or "
        "cut short",
        name_, file_.size(), size, foldtune::name(wanted->type)));
  }
}

void InputArray::read_converted(std::uint64_t begin, std::span<std::byte> bytes, Crc32& crc) const {
  file_.read(offset_ + begin, bytes);
  if (crc_) crc.add(bytes);
  if (elements_.is_swapped) swap_bytes(bytes, size_of(elements_.type));
  if (elements_.is_bool) {
    for (std::byte& truth : bytes) truth = truth == std::byte{} ? std::byte{} : std::byte{1};
  }
}

void InputArray::require_same(const Crc32& crc) const {
  if (!crc_ || *crc_ == crc.value()) return;
  throw FileError(
      fmt::format("{} is damaged: its bytes do not have the checksum that its .npz file has of "
                  "them; write it again with numpy.savez",
                  name_));
}

void InputArray::read(ElementOrder order, const Take& take) const {
  if (order == ElementOrder::c_order && is_fortran_order_) return read_in_c_order(take);
  std::vector<std::byte> piece(std::min<std::uint64_t>(bytes(), kPieceBytes));
  Crc32 crc = crc_of_head_;
  for (std::uint64_t done = 0; done < bytes();) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes() - done));
    read_converted(done, part, crc);
    take(done, part);
    done += part.size();
  }
  require_same(crc);
}

void InputArray::read_in_c_order(const Take& take) const {
  std::vector<std::byte> all;
  try {
    all.resize(bytes());
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format(
        "reading {}: its {} bytes in Fortran order have to be brought into C order, and do not fit "
        "the memory; save it in C order, as numpy.ascontiguousarray gives it",
        name_, bytes()));
  }
  Crc32 crc = crc_of_head_;
  read_converted(0, all, crc);
  require_same(crc);
  const std::size_t size = size_of(elements_.type);
  const COrder in_order(*shape_, all, size);
  std::vector<std::byte> piece(std::min<std::uint64_t>(bytes(), kPieceBytes));
  for (std::uint64_t done = 0; done < bytes();) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes() - done));
    in_order.copy(done / size, part);
    take(done, part);
    done += part.size();
  }
}

std::string format_shape(const ArrayShape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

ArrayShape to_indices(const ArrayShape& shape, std::uint64_t index) {
  ArrayShape indices(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    indices[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return indices;
}

}  // namespace foldtune
