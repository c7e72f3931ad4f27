/// The one way of text to people: nothing of it acts on their terminal.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cache/printable.h"

namespace foldtune {

/// Marks a text of several lines, such as a table.
struct Lines {
  std::string text;
};

namespace print_details {

template <class T>
const T& shown(const T& value) requires(!std::is_convertible_v<const T&, std::string_view>) {
  return value;
}
inline std::string shown(std::string_view text) { return printable(text); }
inline std::string shown(const Lines& lines) { return printable_lines(lines.text); }
template <class Iterator, class End>
std::string shown(const fmt::join_view<Iterator, End>& list) {
  return printable(fmt::vformat("{}", fmt::make_format_args(list)));
}

template <class T>
using Shown = std::remove_cvref_t<decltype(shown(std::declval<const T&>()))>;

}  // namespace print_details

/// Writes without failing. What the standard error or another stream does not take is lost; of the
/// standard output, `finish_output` tells it.
void write_text(std::FILE* stream, std::string_view text);

/// Writes what is still in the buffer of the standard output. Returns the number of the first error
/// of all that was written to it; 0: it has it all.
int finish_output();

/// Prints as `fmt::print` does, without failing, with the texts among `values` as `printable` has
/// them, each in one line unless it is `Lines`. The format's own characters are printed as they
/// are.
template <class... T>
void print_to(std::FILE* stream, fmt::format_string<print_details::Shown<T>...> format,
              const T&... values) {
  const auto print = [&](const auto&... shown) {
    write_text(stream, fmt::vformat(format, fmt::make_format_args(shown...)));
  };
  print(print_details::shown(values)...);
}

}  // namespace foldtune
