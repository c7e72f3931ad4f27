/// Numbers and configurations as text for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "templates/space.h"

namespace foldtune {

/// Four significant digits, without an exponent: "0.123", "12.35", "4812".
std::string format_number(double value);

/// "3.215 us", "1.5 ms", "2.25 s".
std::string format_us(double microseconds);

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string format_seconds(double seconds);

/// "139.8 GiB", "60 MiB".
std::string format_bytes(std::uint64_t bytes);

/// "1 run", "3 runs".
std::string format_count(std::size_t count, std::string_view what);

/// A fraction as a percentage without its sign, "93.5"; "-" for 0, which stands for unknown.
std::string format_percent(double fraction);

/// A ratio as what it is more or less than 1: "+6.5%", "-1.9%".
std::string format_change(double ratio);

/// How far half of the samples lie from their median at most, as a percentage of it: "0.4"; "-"
/// without a median.
std::string format_spread(double mad_us, double median_us);

/// The first tunable, and those others that are not at their fallback: "block_size=256 unroll=8".
std::string format_config(const Config& params);

/// The same from JSON; the JSON itself if it is of a version with other tunables.
std::string format_config(std::string_view json);

/// What `format_config` leaves out: "what is not said of reduce is vector_width=4 ...".
std::string config_legend(const Family& family);

/// Of `words` the one that a user who wrote `word` may have meant: the nearest by edits, or one
/// that begins with it; empty if none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

/// A word of a command line as a shell takes it.
std::string shell_quoted(std::string_view word);

/// The text up to the first end of line.
std::string first_line(std::string_view text);

}  // namespace foldtune
