/// What others wrote, quoted in a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace foldtune {

/// As much of a text as a reader of a message needs to find it again.
inline constexpr std::size_t kExcerptBytes = 100;

/// `text` if it has at most `most` bytes, else so much of its beginning that this, with "...", has;
/// and how many bytes it was. No character of UTF-8 is cut.
std::string excerpt(std::string_view text, std::size_t most = kExcerptBytes);

/// A message with what it quotes cut: no word has more than `max_of_word` bytes, and all of it no
/// more than `most`.
std::string shortened(std::string_view message, std::size_t max_of_word = 1000,
                      std::size_t most = std::size_t{64} << 10);

}  // namespace foldtune
