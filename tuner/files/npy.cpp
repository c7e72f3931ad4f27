#include "tuner/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "foldtune/error.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;

/// NumPy's own limit on the dimensions of an array.
constexpr std::size_t kMaxDimensions = 64;

FileError damaged_npy(std::string_view file, std::string_view what) {
  return FileError(fmt::format("{} is not a readable .npy file: {}; write it again with numpy.save",
                               file, what));
}

struct Header {
  std::string descr;
  std::vector<std::uint64_t> shape;
  bool is_fortran_order = false;
};

/// A parser of the one dictionary that the format allows, and of nothing else of Python. `'descr'`
/// of a structured type is a list, which is not parsed: such a file cannot be reduced.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  Header parse() {
    Header header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      expect(':');
      if (key == "descr" && !has_descr) {
        header.descr = parse_descr();
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        header.is_fortran_order = parse_bool();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = parse_shape();
        has_shape = true;
      } else {
        throw damaged_npy(file_, fmt::format("its header has a second or unknown key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) throw damaged_npy(file_, "something follows the dictionary in its header");
    if (!has_descr || !has_order || !has_shape) {
      throw damaged_npy(file_, "its header lacks 'descr', 'fortran_order' or 'shape'");
    }
    return header;
  }

 private:
  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  bool accept(char c) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) throw damaged_npy(file_, fmt::format("its header lacks a '{}'", c));
  }

  bool accept_word(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string parse_string() {
    skip_spaces();
    if (rest_.starts_with("u'") || rest_.starts_with("u\"")) rest_.remove_prefix(1);  // Python 2
    for (const char quote : {'\'', '"'}) {
      if (!accept(quote)) continue;
      const std::size_t end = rest_.find(quote);
      if (end == std::string_view::npos) break;
      std::string text(rest_.substr(0, end));
      const bool is_plain =
          std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '\\'; });
      if (!is_plain) break;
      rest_.remove_prefix(end + 1);
      return text;
    }
    throw damaged_npy(file_, "its header lacks a plain string where one has to be");
  }

  std::string parse_descr() {
    if (accept('[')) {
      throw InvalidArgument(fmt::format(
          "{} holds records, whose fields have names, not numbers of one type; save one "
          "field of it, as in numpy.save('field.npy', array['field'])",
          file_));
    }
    return parse_string();
  }

  bool parse_bool() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    throw damaged_npy(file_, "'fortran_order' in its header is neither True nor False");
  }

  std::vector<std::uint64_t> parse_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == kMaxDimensions) throw damaged_npy(file_, "it has too many dimensions");
      shape.push_back(parse_integer());
      // A tuple of one has a comma: "(3,)".
      if (shape.size() == 1) {
        expect(',');
      } else if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::uint64_t parse_integer() {
    skip_spaces();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      const auto digit = static_cast<std::uint64_t>(rest_[digits] - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
        throw damaged_npy(file_, "a number in its shape is too large");
      }
      value = 10 * value + digit;
    }
    if (digits == 0) throw damaged_npy(file_, "its shape is not a tuple of counts");
    rest_.remove_prefix(digits);
    accept_word("L");  // as Python 2 wrote them
    return value;
  }

  std::string_view rest_;
  std::string_view file_;
};

std::uint64_t element_count(const std::vector<std::uint64_t>& shape, std::string_view file) {
  if (std::ranges::find(shape, std::uint64_t{0}) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (count > std::numeric_limits<std::uint64_t>::max() / extent) {
      throw damaged_npy(file, "its shape has more elements than any file");
    }
    count *= extent;
  }
  return count;
}

void check_size(const NpyArray& array, std::uint64_t file_size, std::string_view file) {
  const std::uint64_t bytes = file_size - array.data_offset;
  const std::size_t size = size_of(array.elements.type);
  const std::uint64_t whole_elements = bytes / size;
  if (whole_elements == array.count && bytes % size == 0) return;
  throw damaged_npy(
      file, fmt::format("its header announces {} elements of {} bytes, and {} bytes follow ({})",
                        array.count, size, bytes,
                        whole_elements < array.count
                            ? "it is cut short"
                            : "it is too long: several arrays go into an .npz file"));
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | std::to_integer<unsigned>(bytes[i]);
  return value;
}

/// Where the header lies.
struct HeaderPlace {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

HeaderPlace find_header(std::span<const std::byte> head, std::string_view file) {
  const std::size_t length_begin = kNpyMagic.size() + kVersionBytes;
  if (head.size() < length_begin) throw damaged_npy(file, "it is cut short");
  const auto major = std::to_integer<int>(head[kNpyMagic.size()]);
  const auto minor = std::to_integer<int>(head[kNpyMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw damaged_npy(
        file, fmt::format("its version is {}.{}, and 1.0, 2.0 and 3.0 are known", major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = length_begin + length_bytes;
  if (head.size() < begin) throw damaged_npy(file, "it is cut short");
  return {begin, begin + little_endian(head.subspan(length_begin, length_bytes))};
}

}  // namespace

bool is_npy(std::span<const std::byte> head) {
  return head.size() >= kNpyMagic.size() &&
         std::ranges::equal(head.first(kNpyMagic.size()), std::as_bytes(std::span(kNpyMagic)));
}

std::string make_npy_head(ElementType type, std::span<const std::uint64_t> shape) {
  constexpr std::size_t kAlignment = 64;  // of the elements in the file, as NumPy writes it
  constexpr std::size_t kLengthBytes = 2;
  const std::string_view order = size_of(type) == 1 || type == ElementType::bf16 ? "|" : "<";
  const char kind = type == ElementType::bf16 ? 'V'
                    : is_floating(type)       ? 'f'
                    : is_signed(type)         ? 'i'
                                              : 'u';
  std::string extents;
  for (const std::uint64_t extent : shape) extents += fmt::format("{}, ", extent);
  std::string header = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   order, kind, size_of(type), extents);
  const std::size_t begin = kNpyMagic.size() + kVersionBytes + kLengthBytes;
  const std::size_t end = (begin + header.size() + kAlignment) / kAlignment * kAlignment;
  header.resize(end - begin - 1, ' ');
  header += '\n';
  std::string head(kNpyMagic);
  head += {1, 0, static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  return head + header;
}

NpyArray parse_npy(std::span<const std::byte> head, std::uint64_t file_size,
                   const std::optional<WantedType>& wanted, std::string_view file) {
  if (!is_npy(head)) throw damaged_npy(file, "it does not begin as one");
  const HeaderPlace place = find_header(head, file);
  if (place.end > file_size) throw damaged_npy(file, "it is cut short within its header");
  if (place.end > head.size()) {
    throw damaged_npy(file,
                      fmt::format("its header of {} bytes is longer than that of any array of "
                                  "numbers",
                                  place.end - place.begin));
  }
  const std::string_view text(reinterpret_cast<const char*>(head.data()) + place.begin,
                              place.end - place.begin);
  const Header header = HeaderParser(text, file).parse();
  NpyArray array{.elements = parse_npy_descr(header.descr, wanted, file),
                 .shape = header.shape,
                 .is_fortran_order = header.is_fortran_order,
                 .count = element_count(header.shape, file),
                 .data_offset = place.end};
  check_size(array, file_size, file);
  return array;
}

}  // namespace foldtune
