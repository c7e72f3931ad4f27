/// Tunables that are the fields of a struct of the device code, which a kernel takes as its
/// template argument.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "templates/config.h"

namespace foldtune {

/// A field of `Struct`.
template <class Struct>
struct StructTunable {
  Tunable tunable;
  int (*get)(const Struct& params);
  void (*set)(Struct& params, int value);
};

template <class>
struct MemberOf;
template <class Struct, class Field>
struct MemberOf<Field Struct::*> {
  using Owner = Struct;
  using Type = Field;
};

/// A field that is an enumeration, of which a search tries the values `searched`.
template <auto kMember>
constexpr auto enum_tunable(std::string_view name, std::string_view device_type,
                            std::span<const std::string_view> labels, std::span<const int> values,
                            std::span<const int> searched) {
  using Struct = typename MemberOf<decltype(kMember)>::Owner;
  using Type = typename MemberOf<decltype(kMember)>::Type;
  return StructTunable<Struct>{
      .tunable = {.name = name,
                  .device_type = device_type,
                  .labels = labels,
                  .values = values,
                  .searched = searched,
                  .fallback = static_cast<int>(Struct{}.*kMember)},
      .get = [](const Struct& params) { return static_cast<int>(params.*kMember); },
      .set = [](Struct& params, int value) { params.*kMember = static_cast<Type>(value); }};
}

/// A field that is an integer.
template <auto kMember>
constexpr auto integer_tunable(std::string_view name, std::span<const int> values) {
  return enum_tunable<kMember>(name, "", {}, values, values);
}

/// All fields of `Struct`, in its order.
template <class Struct, std::size_t kCount>
class StructTunables {
 public:
  constexpr explicit StructTunables(const std::array<StructTunable<Struct>, kCount>& fields)
      : fields_(fields) {
    static_assert(kCount <= Config::kMaxTunables);
    for (std::size_t i = 0; i < kCount; ++i) {
      tunables_[i] = fields[i].tunable;
      tunables_[i].place = i;
    }
  }

  constexpr std::span<const Tunable> tunables() const { return tunables_; }

  Struct to_struct(const Config& config) const {
    Struct params;
    for (std::size_t i = 0; i < kCount; ++i) fields_[i].set(params, config.get(tunables_[i]));
    return params;
  }

  Config to_config(const Family& family, const Struct& params) const {
    Config config(family);
    for (std::size_t i = 0; i < kCount; ++i) config.set(tunables_[i], fields_[i].get(params));
    return config;
  }

 private:
  std::array<StructTunable<Struct>, kCount> fields_;
  std::array<Tunable, kCount> tunables_{};
};

/// The struct as a template argument: "foldtune::ReduceParams{.block_size=256,...}".
std::string to_template_argument(std::string_view device_struct, const Config& config);

}  // namespace foldtune
