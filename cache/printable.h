/// Text of others for people: what a database, a file's name or a command line holds may be made to
/// act on the terminal that shows it.
#pragma once

#include <string>
#include <string_view>

namespace foldtune {

/// `text` as one line that a terminal shows as it is, and does nothing else with. Control
/// characters, bytes that are no UTF-8, and what is invisible or changes the direction of a text
/// are written as "\n", "\x1b" and "\u202e".
std::string printable(std::string_view text);

/// The same of a text of several lines: ends of lines and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace foldtune
