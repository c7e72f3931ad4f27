#include "templates/described/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <stdexcept>

#include "templates/config.h"
#include "templates/described/json_node.h"
#include "templates/unique_json.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;
using Node = JsonNode;

/// The most combinations of tunables: a search lists them all.
constexpr std::uint64_t kMaxConfigs = std::uint64_t{1} << 20;

/// The most bytes of a problem's text: a database keeps no more.
constexpr std::size_t kMaxProblemBytes = 1000;

/// The word of the command line for all values of a field.
constexpr std::string_view kEvery = "every";

/// A value of a field goes into the texts of problems and into lists: it is one word.
std::string read_label(const Node& node) {
  std::string label = node.text();
  const bool is_word = !label.empty() && label != kEvery && std::ranges::all_of(label, [](char c) {
    return c > ' ' && c <= '~' && c != ',' && c != '=';
  });
  if (!is_word) {
    node.fail(
        fmt::format("'{}' is no value of a field: one word of ASCII without comma, '=' and "
                    "spaces, and not '{}'",
                    label, kEvery));
  }
  return label;
}

std::vector<Description::NamedField> read_fields(const Node& node) {
  std::vector<Description::NamedField> fields;
  std::size_t problem_bytes = 0;  // of the longest "name=value name=value"
  for (const auto& [name, labels] : node.members()) {
    Description::NamedField field{.name = labels.require_name(name), .labels = {}};
    for (const Node& label : labels.items()) {
      field.labels.push_back(read_label(label));
      if (std::ranges::count(field.labels, field.labels.back()) > 1) label.fail("is there twice");
    }
    if (field.labels.empty()) labels.fail("has no value");
    const std::size_t longest = std::ranges::max(field.labels, {}, &std::string::size).size();
    problem_bytes += (fields.empty() ? 0 : 1) + name.size() + 1 + longest;
    fields.push_back(std::move(field));
  }
  if (problem_bytes > kMaxProblemBytes) {
    node.fail(fmt::format("names and longest values have {} bytes together, more than the most, {}",
                          problem_bytes, kMaxProblemBytes));
  }
  if (fields.size() > Problem::kMaxFields) {
    node.fail(fmt::format("{} are the most", Problem::kMaxFields));
  }
  return fields;
}

/// {"values": [...], "default": ...}, or the list alone, whose first value is the default.
std::vector<Description::NamedTunable> read_tunables(const Node& node) {
  std::vector<Description::NamedTunable> tunables;
  for (const auto& [name, about] : node.members()) {
    Description::NamedTunable tunable{.name = about.require_name(name), .values = {}};
    if (about.is_object()) about.require_only({"values", "default"});
    for (const Node& value : (about.is_object() ? about["values"] : about).items()) {
      tunable.values.push_back(value.integer());
    }
    if (tunable.values.empty()) about.fail("has no value");
    tunable.fallback = tunable.values.front();
    if (about.is_object() && about.has("default")) tunable.fallback = about["default"].integer();
    std::ranges::sort(tunable.values);
    const auto twice = std::ranges::adjacent_find(tunable.values);
    if (twice != tunable.values.end())
      about.fail(fmt::format("the value {} is there twice", *twice));
    if (!std::ranges::binary_search(tunable.values, tunable.fallback)) {
      about.fail("its default is none of its values");
    }
    tunables.push_back(std::move(tunable));
  }
  if (tunables.size() > Config::kMaxTunables) {
    node.fail(fmt::format("{} are the most", Config::kMaxTunables));
  }
  std::uint64_t configs = 1;
  for (const auto& tunable : tunables) {
    configs *= tunable.values.size();
    if (configs > kMaxConfigs) {
      node.fail(fmt::format("their values have more than {} combinations", kMaxConfigs));
    }
  }
  return tunables;
}

bool is_type_of(const Description& description, const std::string& type) {
  if (parse_element_type(type)) return true;
  const auto field = std::ranges::find(description.fields, type, &Description::NamedField::name);
  return field != description.fields.end() &&
         std::ranges::all_of(field->labels, [](const std::string& label) {
           return parse_element_type(label).has_value();
         });
}

void read_arguments(const Node& node, Description& description) {
  const std::vector<std::string> names = description.names();
  for (const Node& argument : node.items()) {
    argument.require_only({"name", "access", "type", "elements", "bytes"});
    const std::string access = argument["access"].text();
    if (access == "scratch") {
      description.scratch.push_back(
          {.name = argument["name"].name(), .bytes = argument["bytes"].expression(names)});
      continue;
    }
    if (access != "input" && access != "output") {
      argument["access"].fail(fmt::format("'{}' is none of input, output, scratch", access));
    }
    Description::Array array{.name = argument["name"].name(),
                             .access = access == "input" ? Access::input : Access::output,
                             .type = argument["type"].text(),
                             .elements = argument["elements"].expression(description.extents)};
    if (!is_type_of(description, array.type)) {
      argument["type"].fail(fmt::format(
          "'{}' is neither a type (f32, i32, ...) nor a field whose values are types", array.type));
    }
    description.arrays.push_back(std::move(array));
  }
  if (std::ranges::count(description.arrays, Access::output, &Description::Array::access) != 1) {
    node.fail("there has to be one output");
  }
  if (description.arrays.size() > Call::kMaxArguments) {
    node.fail(fmt::format("{} arrays are the most", Call::kMaxArguments));
  }
}

std::array<Expression, 3> read_extents(const Node& node, std::span<const std::string> names) {
  std::array<Expression, 3> extents{Expression("1", {}), Expression("1", {}), Expression("1", {})};
  if (!node.is_list()) {
    extents[0] = node.expression(names);
    return extents;
  }
  const std::vector<Node> items = node.items();
  if (items.empty() || items.size() > 3) node.fail("has to have 1 to 3 extents");
  for (std::size_t i = 0; i < items.size(); ++i) extents.at(i) = items[i].expression(names);
  return extents;
}

constexpr ElementType kNumberTypes[] = {ElementType::i32, ElementType::u32, ElementType::i64,
                                        ElementType::u64, ElementType::f32, ElementType::f64};

/// The name of an array or of scratch, or {"value": "n", "type": "u32"}.
Description::Parameter read_parameter(const Node& node, const Description& description,
                                      std::span<const std::string> names) {
  using Kind = Description::Parameter::Kind;
  if (node.is_object()) {
    node.require_only({"value", "type"});
    const auto type = parse_element_type(node["type"].text());
    if (!type || std::ranges::find(kNumberTypes, *type) == std::end(kNumberTypes)) {
      node["type"].fail("is no type of a number (i32, u32, i64, u64, f32, f64)");
    }
    return {.kind = Kind::number, .value = node["value"].expression(names), .type = *type};
  }
  const std::string name = node.text();
  const auto array = std::ranges::find(description.arrays, name, &Description::Array::name);
  if (array != description.arrays.end()) {
    return {.kind = Kind::array,
            .place = static_cast<std::size_t>(array - description.arrays.begin())};
  }
  const auto scratch = std::ranges::find(description.scratch, name, &Description::Scratch::name);
  if (scratch == description.scratch.end()) {
    node.fail(
        fmt::format("there is no argument '{}'; a number is an object with value and type", name));
  }
  return {.kind = Kind::scratch,
          .place = static_cast<std::size_t>(scratch - description.scratch.begin())};
}

void read_launches(const Node& node, Description& description) {
  const std::vector<std::string> names = description.names();
  for (const Node& item : node.items()) {
    item.require_only({"kernel", "grid", "block", "shared_bytes", "arguments"});
    Description::KernelLaunch launch;
    const std::string kernel = item["kernel"].text();
    const auto known = std::ranges::find(description.kernels, kernel);
    launch.kernel = static_cast<std::size_t>(known - description.kernels.begin());
    if (known == description.kernels.end()) description.kernels.push_back(kernel);
    launch.grid = read_extents(item["grid"], names);
    launch.block = read_extents(item["block"], names);
    if (item.has("shared_bytes")) launch.shared_bytes = item["shared_bytes"].expression(names);
    for (const Node& parameter : item["arguments"].items()) {
      launch.parameters.push_back(read_parameter(parameter, description, names));
    }
    if (launch.parameters.size() > Launch::kMaxArguments) {
      item["arguments"].fail(fmt::format("{} are the most", Launch::kMaxArguments));
    }
    description.launches.push_back(std::move(launch));
  }
  if (description.launches.empty() || description.launches.size() > Launches::kMaxLaunches) {
    node.fail(fmt::format("a call has 1 to {} launches", Launches::kMaxLaunches));
  }
  // Arrays are where the caller has them; the rest is kept for the call.
  std::ptrdiff_t kept = 0;
  for (const auto& launch : description.launches) {
    kept += std::ranges::count_if(launch.parameters, [](const Description::Parameter& parameter) {
      return parameter.kind != Description::Parameter::Kind::array;
    });
  }
  if (kept > static_cast<std::ptrdiff_t>(Launches::kMaxKept)) {
    node.fail(
        fmt::format("they have {} numbers and scratch parameters together, and {} are the most",
                    kept, Launches::kMaxKept));
  }
}

void require_different_names(const Node& node, const Description& description) {
  std::set<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!names.insert(name).second) node.fail(fmt::format("the name '{}' is there twice", name));
  };
  for (const std::string& name : description.names()) add(name);
  for (const auto& field : description.fields) add(field.name);
  for (const auto& array : description.arrays) add(array.name);
  for (const auto& scratch : description.scratch) add(scratch.name);
}

Description read_description(const Node& node) {
  node.require_only({"name", "about", "source", "needs_toolkit", "fields", "extents", "tunables",
                     "constraints", "arguments", "launches", "reference", "tolerance"});
  Description description;
  description.name = node["name"].name();
  description.about = node.text("about", "");
  description.source_name = node["source"].text();
  if (node.has("needs_toolkit")) {
    if (!node["needs_toolkit"].json().is_boolean())
      node["needs_toolkit"].fail("is no true or false");
    description.needs_toolkit = node["needs_toolkit"].json().get<bool>();
  }
  if (node.has("fields")) description.fields = read_fields(node["fields"]);
  for (const Node& extent : node["extents"].items()) description.extents.push_back(extent.name());
  if (description.extents.empty() || description.extents.size() > Shape::kMaxExtents) {
    node["extents"].fail(fmt::format("there are 1 to {}", Shape::kMaxExtents));
  }
  description.tunables = read_tunables(node["tunables"]);
  if (node.has("constraints")) {
    for (const Node& constraint : node["constraints"].items()) {
      description.constraints.push_back(constraint.expression(description.names()));
    }
  }
  read_arguments(node["arguments"], description);
  read_launches(node["launches"], description);
  require_different_names(node, description);
  if (node.has("reference")) {
    const Node reference = node["reference"];
    reference.require_only({"family", "problem"});
    description.reference = {.family = reference["family"].text(),
                             .problem = reference["problem"].text()};
  }
  if (node.has("tolerance")) {
    const Json tolerance = node["tolerance"].json();
    if (!tolerance.is_number() || !(tolerance.get<double>() >= 0)) {
      node["tolerance"].fail("is no number of 0 or more");
    }
    description.tolerance = tolerance.get<double>();
  }
  return description;
}

}  // namespace

std::vector<std::string> Description::names() const {
  std::vector<std::string> names = extents;
  for (const NamedTunable& tunable : tunables) names.push_back(tunable.name);
  names.emplace_back("multiprocessors");
  return names;
}

Description parse_description(std::string_view text) {
  Json json = parse_unique_json<Json>(text);
  Description description = read_description(Node(json, ""));
  // Neither changes a kernel or a launch: what was measured stays as it is.
  for (const char* const key : {"about", "reference", "tolerance"}) json.erase(key);
  description.json = json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  return description;
}

}  // namespace foldtune
