#include "cache/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace foldtune {
namespace {

struct Character {
  std::size_t bytes = 0;  // 0: what stands here is no UTF-8
  char32_t code = 0;
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The character that `text`, which is not empty, begins with.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead};
  // By the number of bytes: what marks the first of them, and the smallest code that needs so many.
  struct Form {
    unsigned mask;
    unsigned mark;
    char32_t least;
  };
  constexpr std::array kForms{Form{0xE0, 0xC0, 0x80}, Form{0xF0, 0xE0, 0x800},
                              Form{0xF8, 0xF0, 0x10000}};
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    const Form& form = kForms[i];
    if ((lead & form.mask) != form.mark) continue;
    const std::size_t bytes = i + 2;
    if (text.size() < bytes) return {};
    char32_t code = lead & ~form.mask;
    for (const char c : text.substr(1, bytes - 1)) {
      if (!is_continuation(c)) return {};
      code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
    }
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < form.least || code > 0x10FFFF || is_surrogate) return {};
    return {bytes, code};
  }
  return {};
}

/// Controls, what changes the direction of a text, and what is invisible or ends a line.
bool is_hidden(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr std::array kHidden{Range{0x0000, 0x001F}, Range{0x007F, 0x009F},  Range{0x00AD, 0x00AD},
                               Range{0x061C, 0x061C}, Range{0x180E, 0x180E},  Range{0x200B, 0x200F},
                               Range{0x2028, 0x202E}, Range{0x2060, 0x206F},  Range{0xFEFF, 0xFEFF},
                               Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE0FFF}};
  return std::ranges::any_of(
      kHidden, [=](const Range& range) { return code >= range.first && code <= range.last; });
}

std::string escaped(char32_t code) {
  const auto number = static_cast<std::uint32_t>(code);
  switch (code) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      if (code < 0x80) return fmt::format("\\x{:02x}", number);
      return code < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
  }
}

std::string printable_but(std::string_view text, std::string_view kept) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(character.bytes, 1));
    if (character.bytes == 0) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
    } else if (is_hidden(character.code) && kept.find(bytes) == std::string_view::npos) {
      shown += escaped(character.code);
    } else {
      shown += bytes;
    }
    text.remove_prefix(bytes.size());
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) { return printable_but(text, ""); }

std::string printable_lines(std::string_view text) { return printable_but(text, "\n\t"); }

}  // namespace foldtune
