#include "tuner/text/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "templates/space.h"

namespace foldtune {
namespace {

/// "block_size=256", "final_stage=polling".
std::string to_text(const Tunable& tunable, int value) {
  return fmt::format("{}={}", tunable.name,
                     tunable.labels.empty()
                         ? fmt::to_string(value)
                         : std::string(tunable.labels[static_cast<std::size_t>(value)]));
}

/// Letters that are put in, left out, changed, or exchanged with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // of a's letters until now
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<std::size_t> next{i + 1};
    for (std::size_t j = 0; j < b.size(); ++j) {
      next.push_back(std::min({row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1}));
      const bool is_exchange = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (is_exchange) next.back() = std::min(next.back(), above[j - 1] + 1);
    }
    above = std::exchange(row, std::move(next));
  }
  return row.back();
}

}  // namespace

std::string format_number(double value) {
  const double magnitude = std::abs(value);
  const int decimals = magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_us(double microseconds) {
  if (microseconds < 1e3) return format_number(microseconds) + " us";
  if (microseconds < 1e6) return format_number(microseconds / 1e3) + " ms";
  return format_number(microseconds / 1e6) + " s";
}

std::string format_seconds(double seconds) {
  constexpr double kLeastTenth = 0.05;
  constexpr double kLeastWhole = 0.95;
  if (seconds > 0 && seconds < kLeastTenth) return fmt::format("{:.2g} ms", seconds * 1e3);
  if (seconds > 0 && seconds < kLeastWhole) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  const double rounded = std::round(amount * 10) / 10;
  return fmt::format("{} {}", rounded, kUnits[unit]);
}

std::string format_count(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string format_percent(double fraction) {
  return fraction > 0 ? fmt::format("{:.1f}", 100 * fraction) : "-";
}

std::string format_change(double ratio) { return fmt::format("{:+.1f}%", 100 * (ratio - 1)); }

std::string format_spread(double mad_us, double median_us) {
  return median_us > 0 ? fmt::format("{:.1f}", 100 * mad_us / median_us) : "-";
}

std::string format_config(const Config& params) {
  std::string text;
  for (const Tunable& tunable : params.family().tunables()) {
    const int value = params.get(tunable);
    if (tunable.place > 0 && value == tunable.fallback) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " ", to_text(tunable, value));
  }
  return text;
}

std::string format_config(std::string_view json) {
  for (const Family* const family : families()) {
    try {
      return format_config(config_from_json(*family, json));
    } catch (const std::invalid_argument&) {  // of another family, or of another version
    }
  }
  return std::string(json);
}

std::string config_legend(const Family& family) {
  if (family.tunables().size() < 2) return fmt::format("of {} all is said", family.name());
  std::string text = fmt::format("what is not said of {} is", family.name());
  for (const Tunable& tunable : family.tunables()) {
    if (tunable.place > 0) text += ' ' + to_text(tunable, tunable.fallback);
  }
  return text;
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 40;  // of what anybody means
  if (word.empty() || word.size() > kLongest) return {};
  std::string nearest;
  // A third of the letters may be wrong, and of short words one.
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& known : words) {
    const std::size_t edits = known.starts_with(word) ? 1 : edit_distance(word, known);
    if (edits >= least) continue;
    least = edits;
    nearest = known;
  }
  return nearest;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./^%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  if (std::ranges::any_of(word, is_control)) {
    // A line that is stored and shown has none of them.
    std::string escaped = "$'";
    for (const char c : word) {
      if (is_control(c)) {
        escaped += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
      } else {
        if (c == '\'' || c == '\\') escaped += '\\';
        escaped += c;
      }
    }
    return escaped + '\'';
  }
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace foldtune
