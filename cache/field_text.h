/// The text that a problem is stored as: "op=sum type=f32".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace foldtune {

struct FieldWord {
  std::string_view name;
  std::string_view value;
  bool operator==(const FieldWord&) const = default;
};

/// The words "name=value" of a text that has nothing but them, one space between two; they are
/// views of it. Empty for any other text, for a name that comes twice, for characters that
/// `printable` does not leave as they are, and for more words than any problem has.
std::optional<std::vector<FieldWord>> words_of(std::string_view text);

/// How many names have another value in one than in the other, or are in one of them alone.
std::size_t count_differing(const std::vector<FieldWord>& a, const std::vector<FieldWord>& b);

}  // namespace foldtune
