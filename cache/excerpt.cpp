#include "cache/excerpt.h"

#include <fmt/format.h>

namespace foldtune {

std::string excerpt(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto is_inside_character = [&](std::size_t place) {
    return (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U;  // of UTF-8
  };
  std::size_t kept = most;
  while (kept > 0 && is_inside_character(kept)) --kept;
  return fmt::format("{}... ({} bytes)", text.substr(0, kept), text.size());
}

}  // namespace foldtune
