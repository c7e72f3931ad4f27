/// Structs as JSON objects and back, with every bit of theirs.
///
/// A struct takes part with a function that visits its fields, for both directions:
///
///     template <FieldsOf<Point> T, class Visit>
///     void visit_fields(T& point, const Visit& visit) {
///       visit("x", point.x);
///       visit("y", point.y);
///     }
///
/// and an enumeration with `name(value)` and `last_of(value)`, its last enumerator. Writing never
/// fails; reading throws std::exception for what is missing or of another form.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace foldtune {

template <class T, class Struct>
concept FieldsOf = std::same_as<std::remove_const_t<T>, Struct>;

template <class T>
nlohmann::json write_json(const T& value);
template <class T>
T read_json(const nlohmann::json& json);

namespace json_fields {

using Json = nlohmann::json;

/// Gives the type whose values `Read` and `write` are chosen for.
template <class T>
struct Tag {};

inline Json write(bool value) { return value; }
inline bool read(const Json& json, Tag<bool>) { return json.get<bool>(); }

template <std::integral T>
Json write(T value) {
  return value;
}
template <std::integral T>
T read(const Json& json, Tag<T>) {
  // The library's own conversion wraps what does not fit.
  if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) {
    return static_cast<T>(json.get<std::uint64_t>());
  }
  if (json.is_number_integer() && !json.is_number_unsigned() &&
      std::in_range<T>(json.get<std::int64_t>())) {
    return static_cast<T>(json.get<std::int64_t>());
  }
  throw std::invalid_argument(json.dump() + " is no integer of this range");
}

/// JSON has no infinity, and no NaN.
inline Json write(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
inline double read(const Json& json, Tag<double>) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return kInfinity;
  if (json == "-inf") return -kInfinity;
  return json.get<double>();
}

/// A text that is not UTF-8 is the list of its bytes.
inline Json write(const std::string& text) {
  Json json = text;
  try {
    (void)json.dump();
    return json;
  } catch (const Json::type_error&) {
    return std::vector<std::uint8_t>(text.begin(), text.end());
  }
}
inline std::string read(const Json& json, Tag<std::string>) {
  if (json.is_string()) return json.get<std::string>();
  const auto bytes = json.get<std::vector<std::uint8_t>>();
  return {bytes.begin(), bytes.end()};
}

template <class T>
requires std::is_enum_v<T> Json write(T value) { return std::string(name(value)); }
template <class T>
requires std::is_enum_v<T> T read(const Json& json, Tag<T>) {
  const auto text = json.get<std::string>();
  for (int i = 0; i <= static_cast<int>(last_of(T{})); ++i) {
    if (name(static_cast<T>(i)) == text) return static_cast<T>(i);
  }
  throw std::invalid_argument("there is no '" + text + "'");
}

template <class T>
Json write(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(write_json(value));
  return json;
}
template <class T>
std::vector<T> read(const Json& json, Tag<std::vector<T>>) {
  if (!json.is_array()) throw std::invalid_argument(json.dump() + " is no list");
  std::vector<T> values;
  for (const Json& value : json) values.push_back(read_json<T>(value));
  return values;
}

/// Nothing is null.
template <class T>
Json write(const std::optional<T>& value) {
  return value ? write_json(*value) : Json();
}
template <class T>
std::optional<T> read(const Json& json, Tag<std::optional<T>>) {
  if (json.is_null()) return std::nullopt;
  return read_json<T>(json);
}
template <class T>
Json write(const std::shared_ptr<const T>& value) {
  return value != nullptr ? write_json(*value) : Json();
}
template <class T>
std::shared_ptr<const T> read(const Json& json, Tag<std::shared_ptr<const T>>) {
  return json.is_null() ? nullptr : std::make_shared<const T>(read_json<T>(json));
}

template <class T>
concept HasFields = requires(T& value) {
  visit_fields(value, [](const char*, auto&) {});
};

template <HasFields T>
Json write(const T& value) {
  Json json = Json::object();
  visit_fields(value, [&](const char* key, const auto& field) { json[key] = write_json(field); });
  return json;
}
template <HasFields T>
T read(const Json& json, Tag<T>) {
  T value;
  visit_fields(value, [&]<class Field>(const char* key, Field& field) {
    field = read_json<Field>(json.at(key));
  });
  return value;
}

}  // namespace json_fields

template <class T>
nlohmann::json write_json(const T& value) {
  return json_fields::write(value);
}
template <class T>
T read_json(const nlohmann::json& json) {
  return json_fields::read(json, json_fields::Tag<T>());
}

}  // namespace foldtune
