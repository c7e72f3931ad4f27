#include "tuner/files/custom_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "foldtune/error.h"
#include "templates/unique_json.h"
#include "tuner/files/file_error.h"
#include "tuner/files/input_file.h"
#include "tuner/problem/count_list.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;  // the order of an accumulator's fields counts

constexpr std::array<std::string_view, 9> kKeys{
    "name", "inputs", "accumulator", "identity", "map", "combine", "finish", "result", "tolerance"};

ElementType parse_type(std::string_view what, std::string_view text) {
  if (const auto type = parse_element_type(text)) return *type;
  std::string names;
  for (const ElementType type : element_types()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name(type));
  }
  throw InvalidArgument(
      fmt::format("{}: there is no element type '{}'; there is {}", what, text, names));
}

std::vector<ElementType> parse_inputs(std::string_view text) {
  std::vector<ElementType> types;
  for (const std::string_view item : split_list("inputs", text)) {
    types.push_back(parse_type("inputs", item));
  }
  return types;
}

std::vector<AccumulatorField> parse_fields(std::string_view text) {
  std::vector<AccumulatorField> fields;
  for (const std::string_view item : split_list("accumulator", text)) {
    const std::size_t colon = item.find(':');
    const bool has_name = colon != std::string_view::npos;
    fields.push_back({.name = std::string(has_name ? item.substr(0, colon) : std::string_view()),
                      .type = parse_type("accumulator", has_name ? item.substr(colon + 1) : item)});
  }
  return fields;
}

double parse_tolerance(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value < 0) {
    throw InvalidArgument(fmt::format("tolerance: '{}' is not a number of 0 or more", text));
  }
  return value;
}

InvalidArgument wrong_form(const std::string& path, std::string_view key, std::string_view form) {
  return InvalidArgument(fmt::format("{}: {} is {}", path, key, form));
}

void append(std::string& list, const std::string& item) {
  list += fmt::format("{}{}", list.empty() ? "" : ",", item);
}

/// The accumulator as --accumulator takes it.
std::string accumulator_text(const OrderedJson& value, const std::string& path) {
  constexpr std::string_view kForm =
      R"(a type, or fields in their order: {"value": "f32", "index": "u32"})";
  std::string text;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) {
    for (const auto& [field, type] : value.items()) {
      if (!type.is_string()) throw wrong_form(path, "accumulator", kForm);
      append(text, field + ":" + type.get<std::string>());
    }
  }
  if (text.empty()) throw wrong_form(path, "accumulator", kForm);
  return text;
}

std::string inputs_text(const OrderedJson& value, const std::string& path) {
  constexpr std::string_view kForm = R"(a list of types: ["f32", "u8"])";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array() || value.empty()) throw wrong_form(path, "inputs", kForm);
  std::string text;
  for (const OrderedJson& item : value) {
    if (!item.is_string()) throw wrong_form(path, "inputs", kForm);
    append(text, item.get<std::string>());
  }
  return text;
}

std::string value_text(const std::string& key, const OrderedJson& value, const std::string& path) {
  if (key == "accumulator") return accumulator_text(value, path);
  if (key == "inputs") return inputs_text(value, path);
  if (value.is_number()) return value.dump();
  if (!value.is_string()) {
    throw wrong_form(path, key, key == "tolerance" ? "a number of 0 or more" : "a string");
  }
  return value.get<std::string>();
}

OrderedJson read_json_file(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;
  const InputFile file(path);
  if (file.size() > kMostBytes) {
    throw FileError(fmt::format("reading {}: it has {} bytes, and a custom operator has {} at most",
                                file.path(), file.size(), kMostBytes));
  }
  try {
    return parse_unique_json<OrderedJson>(file.read_all());
  } catch (const std::invalid_argument& error) {
    throw FileError(fmt::format("reading the custom operator {}: {}", path, error.what()));
  }
}

}  // namespace

const std::string* CustomText::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

CustomOperator CustomText::parse() const {
  CustomOperator op{.name = "unnamed"};
  for (const auto& [key, place] : {std::pair{"name", &op.name},
                                   {"identity", &op.identity},
                                   {"map", &op.map},
                                   {"combine", &op.combine},
                                   {"finish", &op.finish}}) {
    if (const std::string* const value = find(key)) *place = *value;
  }
  if (const std::string* const inputs = find("inputs")) op.inputs = parse_inputs(*inputs);
  const std::string* const accumulator = find("accumulator");
  op.accumulator =
      accumulator != nullptr
          ? parse_fields(*accumulator)
          : std::vector{AccumulatorField{
                .name = "", .type = default_accumulator(Operator::sum, op.inputs.front())}};
  const std::string* const result = find("result");
  op.result = result != nullptr ? parse_type("result", *result) : op.accumulator.front().type;
  if (const std::string* const tolerance = find("tolerance")) {
    op.tolerance = parse_tolerance(*tolerance);
  }
  return op;
}

CustomText read_custom_file(const std::string& path) {
  const OrderedJson json = read_json_file(path);
  if (!json.is_object()) {
    throw InvalidArgument(fmt::format("{} is not an object of a custom operator's parts", path));
  }
  CustomText text;
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(kKeys, key) == kKeys.end()) {
      throw InvalidArgument(fmt::format("{}: a custom operator has no '{}'; it has {}", path, key,
                                        fmt::join(kKeys, ", ")));
    }
    text.set(key, value_text(key, value, path));
  }
  return text;
}

}  // namespace foldtune
