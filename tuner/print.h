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

/// Prints as `fmt::print` does, with the texts among `values` as `printable` has them, each in one
/// line unless it is `Lines`. The format's own characters are printed as they are.
template <class... T>
void print_to(std::FILE* stream, fmt::format_string<print_details::Shown<T>...> format,
              const T&... values) {
  const auto print = [&](const auto&... shown) {
    // Without an exception: what no standard error takes is lost, and of the standard output it is
    // asked at the end.
    std::fputs(fmt::vformat(format, fmt::make_format_args(shown...)).c_str(), stream);
  };
  print(print_details::shown(values)...);
}

}  // namespace foldtune
