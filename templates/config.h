/// A choice of a value for each tunable of a family.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace foldtune {

class Config;
class Family;

/// What a family leaves open: a number, or one of several names.
struct Tunable {
  std::string_view name;                       ///< as in JSON, and in the struct of the device code
  std::string_view device_type{};              ///< of an enumeration there; "" for a number
  std::span<const std::string_view> labels{};  ///< the names; empty for a number
  std::span<const int> values;                 ///< in ascending order; of names their places
  std::span<const int> searched;               ///< those of them that a search tries
  int fallback = 0;                            ///< the value where nothing is said
  std::size_t place = 0;                       ///< among the family's tunables
};

template <class Struct>
concept HasConfig = !std::same_as<Struct, Config> && requires(const Struct& params) {
  { to_config(params) } -> std::same_as<Config>;
};

/// A value type. Holds values, not places among the values that a tunable has: what is not among
/// them can be said, and refused in words.
class Config {
 public:
  static constexpr std::size_t kMaxTunables = 16;

  /// Of no family: for a variable that gets one later.
  Config() = default;
  /// Every tunable has its fallback.
  explicit Config(const Family& family);
  /// From the struct of a family's device code, beside which stands `to_config`.
  template <HasConfig Struct>
  Config(const Struct& params) : Config(to_config(params)) {}

  const Family& family() const { return *family_; }

  /// A number, or the place of a name among the labels.
  int get(const Tunable& tunable) const { return values_.at(tunable.place); }
  void set(const Tunable& tunable, int value) { values_.at(tunable.place) = value; }

  bool operator==(const Config&) const = default;

 private:
  const Family* family_ = nullptr;
  std::array<int, kMaxTunables> values_{};
};

/// The tunables as a JSON object: numbers, and names as strings.
std::string to_json(const Config& config);

/// Throws std::invalid_argument unless `text` has every tunable of the family, and nothing else,
/// each with one of its values.
Config config_from_json(const Family& family, std::string_view text);

}  // namespace foldtune
