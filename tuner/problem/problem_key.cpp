#include "tuner/problem/problem_key.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "foldtune/catalog.h"

namespace foldtune {
namespace {

/// Stores what `parsed` holds; false if it holds nothing.
template <class T, class U>
bool assign(T& place, const std::optional<U>& parsed) {
  if (parsed) place = *parsed;
  return parsed.has_value();
}

std::optional<std::uint32_t> parse_bins(std::string_view text) {
  std::uint32_t bins = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bins);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return bins;
}

bool read_option(Problem& problem, std::string_view name, std::string_view value) {
  if (name == "nan_policy") return assign(problem.nan_policy, parse_nan_policy(value));
  if (name == "bins") return assign(problem.histogram.bins, parse_bins(value));
  if (name == "binning") return assign(problem.histogram.binning, parse_binning(value));
  if (name == "distribution") {
    return assign(problem.histogram.distribution, parse_distribution(value));
  }
  return false;
}

/// Reads "bins=256,binning=key"; false for what this version does not know.
bool read_options(Problem& problem, std::string_view options) {
  if (options.empty()) return true;
  for (const std::string_view option : split_list(options)) {
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) return false;
    if (!read_option(problem, option.substr(0, equals), option.substr(equals + 1))) return false;
  }
  return true;
}

/// Reads the name and the types of "distance:0123456789abcdef". Its expressions are not stored.
bool read_custom(Problem& problem, const ProblemKey& key) {
  CustomOperator op{.name = key.op.substr(0, key.op.find(':')), .inputs = {}};
  for (const std::string_view item : split_list(key.element_type)) {
    const auto type = parse_element_type(item);
    if (!type) return false;
    op.inputs.push_back(*type);
  }
  problem = make_problem(std::move(op));
  return true;
}

}  // namespace

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

bool is_custom(const ProblemKey& key) { return key.op.find(':') != std::string::npos; }

std::optional<Problem> read_problem(const ProblemKey& key, std::uint64_t count) {
  Problem problem;
  if (is_custom(key)) {
    if (!read_custom(problem, key)) return std::nullopt;
  } else {
    const auto op = parse_operator(key.op);
    const auto type = parse_element_type(key.element_type);
    const auto accumulator = parse_element_type(key.accumulator_type);
    if (!op || !type || !accumulator) return std::nullopt;
    problem = {.op = *op, .type = *type, .accumulator = accumulator};
  }
  const bool is_known = read_options(problem, key.options) &&
                        assign(problem.determinism, parse_determinism(key.determinism));
  if (!is_known) return std::nullopt;
  if (key.alignment == name(Alignment::element)) problem.alignment = Alignment::element;
  problem.count = count;
  return problem;
}

}  // namespace foldtune
