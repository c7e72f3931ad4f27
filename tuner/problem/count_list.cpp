#include "tuner/problem/count_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "foldtune/catalog.h"
#include "foldtune/error.h"
#include "templates/family.h"

namespace foldtune {
namespace {

constexpr double kLongestDuration = 7.0 * 24 * 3600;

InvalidArgument not_a_count(std::string_view text) {
  return InvalidArgument(
      fmt::format("'{}' is not a count: write 4096, 64K, 1M (K, M, G, T: powers of 1024), 2^20 or "
                  "1e6, a list such as 2^12,2^14, or a range such as 2^12..2^28",
                  text));
}

InvalidArgument too_large(std::string_view text) {
  return InvalidArgument(
      fmt::format("'{}' is more than 2^40, the most elements that there may be", text));
}

/// Digits alone: no sign, no space. A number past 64 bits counts as too large.
std::uint64_t parse_digits(std::string_view digits, std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) throw not_a_count(text);
  if (error == std::errc::result_out_of_range) throw too_large(text);
  return value;
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::string_view text) {
  if (a != 0 && b > kMaxCount / a) throw too_large(text);
  return a * b;
}

/// factor * base^exponent.
std::uint64_t scale(std::uint64_t factor, std::uint64_t base, std::uint64_t exponent,
                    std::string_view text) {
  constexpr std::uint64_t kLargestExponent = std::countr_zero(kMaxCount);  // of base 2
  if (exponent > kLargestExponent) throw too_large(text);
  for (std::uint64_t i = 0; i < exponent; ++i) factor = multiply(factor, base, text);
  return factor;
}

std::optional<std::uint64_t> power_of_1024(char suffix) {
  constexpr std::string_view kUpper = "KMGT";
  constexpr std::string_view kLower = "kmgt";
  const std::size_t place = std::min(kUpper.find(suffix), kLower.find(suffix));
  if (place == std::string_view::npos) return std::nullopt;
  return place + 1;
}

std::uint64_t parse_any_count(std::string_view text) {
  if (text.empty()) throw not_a_count(text);
  if (const std::size_t caret = text.find('^'); caret != std::string_view::npos) {
    return scale(1, parse_digits(text.substr(0, caret), text),
                 parse_digits(text.substr(caret + 1), text), text);
  }
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    return scale(parse_digits(text.substr(0, e), text), 10, parse_digits(text.substr(e + 1), text),
                 text);
  }
  if (const auto exponent = power_of_1024(text.back())) {
    return scale(parse_digits(text.substr(0, text.size() - 1), text), 1024, *exponent, text);
  }
  return scale(parse_digits(text, text), 1, 0, text);
}

template <class T>
std::vector<T> without_repetitions(const std::vector<T>& values) {
  std::vector<T> unique;
  for (const T& value : values) {
    if (std::ranges::find(unique, value) == unique.end()) unique.push_back(value);
  }
  return unique;
}

void append_range(std::vector<std::uint64_t>& counts, std::string_view first_text,
                  std::string_view rest, std::string_view text) {
  const std::size_t colon = rest.find(':');
  const std::uint64_t first = parse_count(first_text);
  const std::uint64_t last = parse_count(rest.substr(0, colon));
  if (first > last) {
    throw InvalidArgument(
        fmt::format("the range '{}' is empty: its first count is larger than its "
                    "last",
                    text));
  }
  if (colon == std::string_view::npos) {
    // The last of each size class.
    for (int place = size_class(first); place <= size_class(last); ++place) {
      counts.push_back(std::clamp(max_of_size_class(place), first, last));
    }
    return;
  }
  const std::uint64_t factor = parse_digits(rest.substr(colon + 1), text);
  if (factor < 2) {
    throw InvalidArgument(
        fmt::format("the range '{}' has no end: its factor, after the colon, is at least 2", text));
  }
  for (std::uint64_t count = first;; count *= factor) {
    counts.push_back(count);
    if (count > last / factor) return;
  }
}

}  // namespace

std::vector<std::string_view> split_list(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_list(std::string_view option, std::string_view text) {
  std::vector<std::string_view> parts = split_list(text);
  if (std::ranges::any_of(parts, &std::string_view::empty)) {
    throw InvalidArgument(fmt::format(
        "{} '{}' has an empty item: write items with one comma between them", option, text));
  }
  return parts;
}

std::uint64_t parse_count(std::string_view text) {
  const std::uint64_t count = parse_any_count(text);
  if (count > kMaxCount) throw too_large(text);
  if (count == 0) {
    throw InvalidArgument(fmt::format("'{}' is no element: a count is at least 1", text));
  }
  return count;
}

std::vector<std::uint64_t> parse_counts(std::string_view text) {
  std::vector<std::uint64_t> counts;
  for (const std::string_view item : split_list("--n", text)) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) {
      counts.push_back(parse_count(item));
    } else {
      append_range(counts, item.substr(0, dots), item.substr(dots + 2), item);
    }
  }
  return without_repetitions(counts);
}

std::vector<std::vector<std::uint64_t>> parse_extents(std::string_view option,
                                                      std::string_view text) {
  std::vector<std::vector<std::uint64_t>> all;
  for (const std::string_view item : split_list(option, text)) {
    std::vector<std::vector<std::uint64_t>> of_item(1);
    for (const std::string_view part : split_list(item, 'x')) {
      if (part.empty()) {
        throw InvalidArgument(
            fmt::format("{} '{}' lacks an extent: write extents with one x "
                        "between them, such as 4096x100",
                        option, item));
      }
      std::vector<std::vector<std::uint64_t>> longer;
      for (const auto& extents : of_item) {
        for (const std::uint64_t count : parse_counts(part)) {
          longer.push_back(extents);
          longer.back().push_back(count);
        }
      }
      of_item = std::move(longer);
    }
    std::ranges::move(of_item, std::back_inserter(all));
  }
  return without_repetitions(all);
}

std::vector<int> parse_axes(std::string_view text) {
  std::vector<int> axes;
  for (const std::string_view item : split_list("--axis", text)) {
    int axis = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), axis);
    if (error != std::errc() || end != item.data() + item.size()) {
      throw InvalidArgument(
          fmt::format("--axis: '{}' is no number of an axis, such as 1, or -1 for the last", item));
    }
    axes.push_back(axis);
  }
  return axes;
}

std::vector<Shape> parse_shapes(const Family& family, std::string_view text) {
  const auto names = family.extents();
  std::vector<Shape> shapes;
  const bool is_count = takes_count(family) && text.find('x') == std::string_view::npos;
  for (const auto& extents : parse_extents(is_count ? "--n" : "--shape", text)) {
    if (extents.size() > names.size() ||
        extents.size() < names.size() - family.optional_extents()) {
      throw InvalidArgument(fmt::format(
          "'{}' is no shape of the family {}: that is {}, such as {}", fmt::join(extents, "x"),
          family.name(), fmt::join(names, "x"), names.size() == 1 ? "4096" : "4096x100"));
    }
    Shape& shape = shapes.emplace_back();
    const std::size_t first = names.size() - extents.size();
    std::fill_n(shape.extents.begin(), first, 1);
    std::ranges::copy(extents, shape.extents.begin() + first);
  }
  return without_repetitions(shapes);
}

double parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}}};
  double amount = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, amount, std::chars_format::fixed);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  const auto* const found =
      std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (error != std::errc() || found == kUnits.end()) {
    throw InvalidArgument(
        fmt::format("'{}' is not a time: write 20s, 90 (seconds), 2m, 1.5h or 500ms", text));
  }
  const double seconds = amount * found->second;
  if (!(seconds > 0 && seconds <= kLongestDuration)) {
    throw InvalidArgument(
        fmt::format("'{}' is no sensible time: it is more than 0 and at most a "
                    "week",
                    text));
  }
  return seconds;
}

}  // namespace foldtune
