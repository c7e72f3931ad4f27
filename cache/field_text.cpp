#include "cache/field_text.h"

#include <algorithm>

#include "cache/printable.h"

namespace foldtune {
namespace {

// Families have a dozen fields at most.
constexpr std::size_t kMostWords = 64;

bool has_name(const std::vector<FieldWord>& words, std::string_view name) {
  return std::ranges::find(words, name, &FieldWord::name) != words.end();
}

}  // namespace

std::optional<std::vector<FieldWord>> words_of(std::string_view text) {
  std::vector<FieldWord> words;
  if (printable(text) != text) return std::nullopt;
  bool is_read = text.empty();
  while (!is_read) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t sign = word.find('=');
    if (sign == std::string_view::npos || words.size() == kMostWords) return std::nullopt;
    const FieldWord read{.name = word.substr(0, sign), .value = word.substr(sign + 1)};
    if (read.name.empty() || read.value.empty() || has_name(words, read.name)) return std::nullopt;
    words.push_back(read);
    is_read = word.size() == text.size();
    if (!is_read) text.remove_prefix(word.size() + 1);
  }
  return words;
}

std::size_t count_differing(const std::vector<FieldWord>& a, const std::vector<FieldWord>& b) {
  const auto equal = std::ranges::count_if(
      a, [&](const FieldWord& word) { return std::ranges::find(b, word) != b.end(); });
  const auto added =
      std::ranges::count_if(b, [&](const FieldWord& word) { return !has_name(a, word.name); });
  return a.size() - static_cast<std::size_t>(equal) + static_cast<std::size_t>(added);
}

}  // namespace foldtune
