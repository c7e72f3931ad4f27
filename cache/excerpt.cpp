#include "cache/excerpt.h"

#include <fmt/format.h>

#include <algorithm>

namespace foldtune {

std::string excerpt(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto is_inside_character = [&](std::size_t place) {
    return (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U;  // of UTF-8
  };
  constexpr std::string_view kCut = "...";
  std::size_t kept = most - std::min(most, kCut.size());
  while (kept > 0 && is_inside_character(kept)) --kept;
  return fmt::format("{}{} ({} bytes)", text.substr(0, kept), kCut, text.size());
}

std::string shortened(std::string_view message, std::size_t max_of_word, std::size_t most) {
  constexpr std::string_view kBetweenWords = " \n\t";
  std::string text;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find_first_of(kBetweenWords), message.size());
    text += excerpt(message.substr(0, end), max_of_word);
    message.remove_prefix(end);
    const std::size_t next = std::min(message.find_first_not_of(kBetweenWords), message.size());
    text += message.substr(0, next);
    message.remove_prefix(next);
  }
  return excerpt(text, most);
}

}  // namespace foldtune
