#include "foldtune/custom.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "templates/family.h"
#include "templates/source_hash.h"

namespace foldtune {
namespace {

constexpr std::size_t kMaxAccumulatorBytes = 32;
constexpr std::size_t kMaxNameBytes = 100;  ///< so that tables of them can be read

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= kMaxNameBytes && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || is_digit(c); });
}

std::string not_an_identifier(std::string_view text, std::string_view of_what) {
  const bool is_long = text.size() > kMaxNameBytes;
  return fmt::format(
      "'{}{}' is no name for {}: use letters, digits and _, no digit first, and {} of them at most",
      text.substr(0, kMaxNameBytes), is_long ? "..." : "", of_what, kMaxNameBytes);
}

/// Tables are looked up by types.
bool has_known_types(const CustomOperator& op) {
  const auto is_known = [](ElementType type) {
    return static_cast<std::size_t>(type) < element_types().size();
  };
  return std::ranges::all_of(op.inputs, is_known) && is_known(op.result) &&
         std::ranges::all_of(op.accumulator, is_known, &AccumulatorField::type);
}

std::size_t align_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

std::string find_accumulator_fault(const CustomOperator& op) {
  if (op.accumulator.empty() || op.accumulator.size() > kMaxAccumulatorFields) {
    return fmt::format("an accumulator has from 1 to {} fields", kMaxAccumulatorFields);
  }
  const bool is_struct = op.accumulator.size() > 1 || !op.accumulator.front().name.empty();
  for (const AccumulatorField& field : op.accumulator) {
    if (is_struct && !is_identifier(field.name)) {
      return not_an_identifier(field.name, "a field of the accumulator");
    }
    if (size_of(field.type) < 4) {
      return fmt::format("an accumulator holds types of 32 or 64 bits, not {}", name(field.type));
    }
  }
  if (op.accumulator_bytes() > kMaxAccumulatorBytes) {
    return fmt::format("the accumulator has {} bytes, more than the most, {}",
                       op.accumulator_bytes(), kMaxAccumulatorBytes);
  }
  return {};
}

}  // namespace

std::string CustomOperator::hash() const {
  std::string all;
  const auto add = [&](std::string_view text) { all.append(text).push_back('\0'); };
  for (const ElementType type : inputs) add(foldtune::name(type));
  add("accumulator");
  for (const AccumulatorField& field : accumulator) {
    add(field.name);
    add(foldtune::name(field.type));
  }
  for (const std::string& expression : {identity, map, combine, finish}) add(expression);
  add(foldtune::name(result));
  return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

std::size_t CustomOperator::accumulator_bytes() const {
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  for (const AccumulatorField& field : accumulator) {
    const std::size_t size = size_of(field.type);
    bytes = align_up(bytes, size) + size;
    alignment = std::max(alignment, size);
  }
  return align_up(bytes, alignment);
}

std::string CustomOperator::find_fault() const {
  if (!has_known_types(*this)) return "a number was cast to an element type that there is not";
  if (!is_identifier(name)) return not_an_identifier(name, "an operator");
  if (parse_operator(name)) return fmt::format("{} is the name of a built-in operator", name);
  if (find_family(name) != nullptr) return fmt::format("{} is the name of a family", name);
  if (inputs.empty() || inputs.size() > kMaxInputs) {
    return fmt::format("{} has {} inputs; an operator takes from 1 to {}", name, inputs.size(),
                       kMaxInputs);
  }
  if (std::string fault = find_accumulator_fault(*this); !fault.empty()) {
    return fmt::format("{}: {}", name, fault);
  }
  const std::array<std::pair<std::string_view, const std::string*>, 4> expressions{
      {{"identity", &identity}, {"map", &map}, {"combine", &combine}, {"finish", &finish}}};
  for (const auto& [what, expression] : expressions) {
    if (expression->find_first_not_of(" \t\r\n") == std::string::npos) {
      return fmt::format("{}: the expression {} is empty", name, what);
    }
    if (const std::string fault = find_include_fault(*expression); !fault.empty()) {
      return fmt::format("{}: of the expression {}, {}", name, what, fault);
    }
  }
  if (!std::isfinite(tolerance) || tolerance < 0) {
    return fmt::format("{}: the tolerance {} is not a finite number of 0 or more", name, tolerance);
  }
  return {};
}

}  // namespace foldtune
