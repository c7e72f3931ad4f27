/// Reading JSON with messages that say the place.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "templates/described/expression.h"

namespace foldtune {

/// A JSON value with the way to it, for messages: "launches[0].grid". What it reads throws
/// std::invalid_argument.
class JsonNode {
 public:
  static constexpr std::size_t kMaxNameBytes = 100;  ///< so that tables of them can be read

  JsonNode(const nlohmann::json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw std::invalid_argument(
        fmt::format("{}: {}", path_.empty() ? "the description" : path_, what));
  }

  bool has(const char* key) const { return json_->contains(key); }
  JsonNode operator[](const char* key) const {
    if (!has(key)) fail(fmt::format("'{}' is missing", key));
    return {json_->at(key), path_.empty() ? key : fmt::format("{}.{}", path_, key)};
  }
  std::vector<JsonNode> items() const {
    if (!json_->is_array()) fail("is no list");
    std::vector<JsonNode> nodes;
    for (std::size_t i = 0; i < json_->size(); ++i) {
      nodes.emplace_back(json_->at(i), fmt::format("{}[{}]", path_, i));
    }
    return nodes;
  }
  std::vector<std::pair<std::string, JsonNode>> members() const {
    if (!json_->is_object()) fail("is no object");
    std::vector<std::pair<std::string, JsonNode>> nodes;
    for (const auto& [key, value] : json_->items()) {
      nodes.emplace_back(key, JsonNode(value, fmt::format("{}.{}", path_, key)));
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
    auto text = json_->get<std::string>();
    if (text.find('\0') != std::string::npos) fail("has a character of number 0");
    return text;
  }
  std::string text(const char* key, const char* fallback) const {
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
  const nlohmann::json& json() const { return *json_; }

  /// `text`, if it is a name of C: it is a macro, or part of an expression.
  std::string require_name(std::string text) const {
    const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (text.size() > kMaxNameBytes) {
      fail(fmt::format("a name has {} bytes at most, not {}", kMaxNameBytes, text.size()));
    }
    const bool is_name = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
                         std::ranges::all_of(text, is_part);
    if (!is_name) fail(fmt::format("'{}' is no name of letters, digits and underscores", text));
    return text;
  }
  std::string name() const { return require_name(text()); }

  /// A number is an expression, too.
  Expression expression(std::span<const std::string> names) const {
    if (json_->is_number() && !json_->is_number_unsigned()) {
      fail("is no whole number, and no expression");
    }
    const std::string text = json_->is_number_unsigned() ? json_->dump() : this->text();
    try {
      return Expression(text, names);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

 private:
  const nlohmann::json* json_;
  std::string path_;
};

}  // namespace foldtune
