#include "tuner/text/table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "cache/printable.h"

namespace foldtune {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kContinuationIndent = 4;

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string padding(width - cell.size(), ' ');
  return align == Align::left ? cell + padding : padding + cell;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t terminal_width(std::FILE* stream) {
  constexpr std::size_t kUsualWidth = 80;
  const int descriptor = ::fileno(stream);
  if (::isatty(descriptor) == 0) return 0;
  winsize size{};
  const bool is_known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsualWidth;
}

std::string cut(std::string text, std::size_t max_width) {
  constexpr std::size_t kDots = 3;
  if (max_width == 0 || text.size() <= max_width) return text;
  std::size_t kept = max_width < kDots ? 0 : max_width - kDots;
  const auto is_inside_character = [&] {
    return (static_cast<unsigned char>(text[kept]) & 0xC0U) == 0x80U;  // of UTF-8
  };
  while (kept > 0 && is_inside_character()) --kept;
  text.resize(kept);
  return text + std::string(std::min(max_width, kDots), '.');
}

std::string wrap(std::string text, std::size_t max_width, std::size_t indent) {
  text = printable(text);
  std::size_t begin = 0;
  while (max_width != 0 && text.size() - begin > max_width) {
    const std::size_t first_word = begin + indent;
    std::size_t space = text.rfind(' ', begin + max_width);
    if (space == std::string::npos || space <= first_word) space = text.find(' ', first_word);
    if (space == std::string::npos) break;
    text.replace(space, 1, '\n' + std::string(indent, ' '));
    begin = space + 1;
  }
  return text;
}

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::to_string(std::size_t max_width) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.title.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const std::size_t total =
      std::accumulate(widths.begin(), widths.end(), kGap * (columns_.size() - 1));
  const bool is_split = max_width != 0 && total > max_width && columns_.size() > 1;

  std::string text;
  const auto add_line = [&](std::string line) {
    text += cut(without_trailing_spaces(std::move(line)), max_width) + '\n';
  };
  const auto add = [&](std::span<const std::string> cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size() - (is_split ? 1 : 0); ++i) {
      if (i > 0) line.append(kGap, ' ');
      line += padded(cells[i], widths[i], columns_[i].align);
    }
    add_line(line);
    if (is_split) add_line(std::string(kContinuationIndent, ' ') + cells.back());
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  add(titles);
  for (const auto& row : rows_) add(row);
  return text;
}

}  // namespace foldtune
