/// Text tables for people.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace foldtune {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

/// Rows under a line of titles, columns two spaces apart.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns, each of one line, as `printable` has it.
  void add_row(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }

  /// The lines, each with its '\n', at most `max_width` characters wide (0: as wide as needed).
  /// Where that is too narrow, the last column goes below each row, and what is still too long is
  /// cut, which shows as "...".
  std::string to_string(std::size_t max_width) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Characters in a line of the terminal behind `stream`; 0 where that is none.
std::size_t terminal_width(std::FILE* stream);

/// `text` if it is at most `max_width` characters (0: any number), else its beginning and "...".
std::string cut(std::string text, std::size_t max_width);

/// `text`, as `printable` has it, in lines of at most `max_width` characters (0: a single one),
/// broken between words; a longer word has a line of its own. Its first `indent` characters are a
/// label, which is not broken; the lines after the first begin with as many spaces. The last ends
/// without '\n'.
std::string wrap(std::string text, std::size_t max_width, std::size_t indent);

}  // namespace foldtune
