#include "runtime/custom_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foldtune {
namespace {

struct Expression {
  std::string_view name;
  std::string_view text;
};
using Expressions = std::array<Expression, 4>;

Expressions expressions_of(const CustomOperator& op) {
  return {
      {{"identity", op.identity}, {"map", op.map}, {"combine", op.combine}, {"finish", op.finish}}};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

/// Removes the number that `text` begins with.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// What a compiler finds wrong.
struct Diagnostic {
  std::size_t line = 1;  ///< of the expression, from 1
  std::string_view message;
};

/// Reads "map(1): error: what" (NVRTC) and "map:1:5: error: what" (g++ and clang++).
std::optional<Diagnostic> parse_diagnostic(std::string_view text, std::string_view expression) {
  if (!take(text, expression)) return std::nullopt;
  const bool in_parentheses = take(text, "(");
  if (!in_parentheses && !take(text, ":")) return std::nullopt;
  const std::optional<std::size_t> line = take_number(text);
  if (!line) return std::nullopt;
  if (in_parentheses) {
    if (!take(text, ")")) return std::nullopt;
  } else if (take(text, ":")) {
    take_number(text);  // the column
  }
  take(text, ":");
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view severity = text.substr(0, colon);
  if (severity.find("error") == std::string_view::npos) return std::nullopt;
  return Diagnostic{.line = *line, .message = text.substr(colon + 2)};
}

std::string describe(const Expression& expression, const Diagnostic& diagnostic) {
  const std::vector<std::string_view> lines = lines_of(expression.text);
  const std::size_t line = std::clamp<std::size_t>(diagnostic.line, 1, lines.size());
  const std::string place = lines.size() > 1 ? fmt::format(", line {}", line) : std::string();
  return fmt::format("\n  in {}{}: {}\n      {}", expression.name, place, diagnostic.message,
                     lines[line - 1]);
}

}  // namespace

CompileError explain_compile_error(const Problem& problem, const CompileError& error) {
  if (problem.op != Operator::custom || problem.custom == nullptr) return error;
  std::vector<std::string> faults;
  for (const std::string_view line : lines_of(error.what())) {
    for (const Expression& expression : expressions_of(*problem.custom)) {
      const std::optional<Diagnostic> diagnostic = parse_diagnostic(line, expression.name);
      if (!diagnostic) continue;
      std::string fault = describe(expression, *diagnostic);
      if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(std::move(fault));
    }
  }
  if (faults.empty()) return error;
  std::string message =
      fmt::format("the custom operator {} does not compile:", problem.custom->name);
  for (const std::string& fault : faults) message += fault;
  return CompileError(message);
}

}  // namespace foldtune
