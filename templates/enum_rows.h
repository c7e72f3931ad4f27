/// Tables with a row for each enumerator of an enumeration, in its order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace foldtune {

/// A member of the first `kCount` rows.
template <std::size_t kCount, class Rows, class Member, class Row>
constexpr auto column(const Rows& rows, Member Row::*member) {
  std::array<Member, kCount> values{};
  for (std::size_t i = 0; i < kCount; ++i) values[i] = rows[i].*member;
  return values;
}

/// The row of an enumerator. Throws std::invalid_argument for a number that was cast to one.
template <class Rows, class Enum>
constexpr const auto& row_of(const Rows& rows, Enum enumerator) {
  const auto place = static_cast<std::size_t>(enumerator);
  if (place >= rows.size()) {
    throw std::invalid_argument("a number was cast to an enumerator that there is not");
  }
  return rows[place];
}

/// Whether each row is at the place of its enumerator.
template <class Rows, class Enum, class Row>
constexpr bool has_rows_in_order(const Rows& rows, Enum Row::*member) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].*member) != i) return false;
  }
  return true;
}

/// The enumerator at the place of `text` among the names; empty if it is none of them.
template <class Enum>
std::optional<Enum> parse_name(std::span<const std::string_view> names, std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace foldtune
