#include "templates/described/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <stdexcept>

#include "templates/config.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;

/// A JSON value with the way to it, for messages: "launches[0].grid".
class Node {
 public:
  Node(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw std::invalid_argument(
        fmt::format("{}: {}", path_.empty() ? "the description" : path_, what));
  }

  bool has(const char* key) const { return json_->contains(key); }
  Node operator[](const char* key) const {
    if (!has(key)) fail(fmt::format("'{}' is missing", key));
    return {json_->at(key), path_.empty() ? key : fmt::format("{}.{}", path_, key)};
  }
  std::vector<Node> items() const {
    if (!json_->is_array()) fail("is no list");
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json_->size(); ++i) {
      nodes.emplace_back(json_->at(i), fmt::format("{}[{}]", path_, i));
    }
    return nodes;
  }
  std::vector<std::pair<std::string, Node>> members() const {
    if (!json_->is_object()) fail("is no object");
    std::vector<std::pair<std::string, Node>> nodes;
    for (const auto& [key, value] : json_->items()) {
      nodes.emplace_back(key, Node(value, fmt::format("{}.{}", path_, key)));
    }
    return nodes;
  }
  /// An object with these members and no other, for a word that is misspelt is not left out.
  void require_only(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : members()) {
      if (std::ranges::find(known, key) == known.end()) {
        fail(fmt::format("'{}' is unknown: it has {}", key, fmt::join(known, ", ")));
      }
    }
  }

  std::string text() const {
    if (!json_->is_string()) fail("is no text");
    return json_->get<std::string>();
  }
  std::string text(const char* key, std::string fallback) const {
    return has(key) ? (*this)[key].text() : fallback;
  }
  int integer() const {
    const bool fits =
        json_->is_number_integer() && *json_ >= 0 && *json_ <= std::numeric_limits<int>::max();
    if (!fits) fail("is no whole number from 0 to 2147483647");
    return json_->get<int>();
  }
  bool is_object() const { return json_->is_object(); }
  bool is_text() const { return json_->is_string(); }
  bool is_list() const { return json_->is_array(); }
  const Json& json() const { return *json_; }

  /// A name of C: it is a macro, or part of an expression.
  std::string name() const {
    const std::string text = this->text();
    const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const bool is_name = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
                         std::ranges::all_of(text, is_part);
    if (!is_name) fail(fmt::format("'{}' is no name of letters, digits and underscores", text));
    return text;
  }

  /// A number is an expression, too.
  Expression expression(std::span<const std::string> names) const {
    if (json_->is_number_unsigned()) return Expression(json_->dump(), names);
    try {
      return Expression(text(), names);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

 private:
  const Json* json_;
  std::string path_;
};

std::vector<Description::NamedField> read_fields(const Node& node) {
  std::vector<Description::NamedField> fields;
  for (const auto& [name, labels] : node.members()) {
    Description::NamedField field{.name = name, .labels = {}};
    for (const Node& label : labels.items()) field.labels.push_back(label.text());
    if (field.labels.empty()) labels.fail("has no value");
    fields.push_back(std::move(field));
  }
  return fields;
}

/// {"values": [...], "default": ...}, or the list alone, whose first value is the default.
std::vector<Description::NamedTunable> read_tunables(const Node& node) {
  std::vector<Description::NamedTunable> tunables;
  for (const auto& [name, about] : node.members()) {
    Description::NamedTunable tunable{.name = name, .values = {}};
    if (about.is_object()) about.require_only({"values", "default"});
    for (const Node& value : (about.is_object() ? about["values"] : about).items()) {
      tunable.values.push_back(value.integer());
    }
    if (tunable.values.empty()) about.fail("has no value");
    tunable.fallback = tunable.values.front();
    if (about.is_object() && about.has("default")) tunable.fallback = about["default"].integer();
    std::ranges::sort(tunable.values);
    if (!std::ranges::binary_search(tunable.values, tunable.fallback)) {
      about.fail("its default is none of its values");
    }
    tunables.push_back(std::move(tunable));
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

/// The name of an array or of scratch, or {"value": "n", "type": "u32"}.
Description::Parameter read_parameter(const Node& node, const Description& description,
                                      std::span<const std::string> names) {
  using Kind = Description::Parameter::Kind;
  if (node.is_object()) {
    node.require_only({"value", "type"});
    const auto type = parse_element_type(node["type"].text());
    if (!type) node["type"].fail("is no type of a number (i32, u32, i64, u64, f32, f64)");
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
  if (description.tunables.size() > Config::kMaxTunables) {
    node["tunables"].fail(fmt::format("{} are the most", Config::kMaxTunables));
  }
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
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw std::invalid_argument(fmt::format("it is no JSON: {}", error.what()));
  }
  Description description = read_description(Node(json, ""));
  description.json = json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  return description;
}

}  // namespace foldtune
