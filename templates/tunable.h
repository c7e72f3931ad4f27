/// Building blocks of a family's table of tunables.
#pragma once

#include <type_traits>
#include <variant>

#include "templates/space.h"

namespace foldtune {

template <class>
struct MemberOf;
template <class Struct, class Field>
struct MemberOf<Field Struct::*> {
  using Owner = Struct;
  using Type = Field;
};

template <auto kMember>
int get_tunable(const Params& params) {
  return static_cast<int>(std::get<typename MemberOf<decltype(kMember)>::Owner>(params).*kMember);
}
template <auto kMember>
void set_tunable(Params& params, int value) {
  using Member = MemberOf<decltype(kMember)>;
  std::get<typename Member::Owner>(params).*kMember = static_cast<typename Member::Type>(value);
}

/// A field that is an integer.
template <auto kMember>
constexpr Tunable integer_tunable(std::string_view name, std::span<const int> values) {
  return {name, "", {}, values, values, get_tunable<kMember>, set_tunable<kMember>};
}

/// A field that is an enumeration, of which a search tries the values `searched`.
template <auto kMember>
constexpr Tunable enum_tunable(std::string_view name, std::string_view device_type,
                               std::span<const std::string_view> labels,
                               std::span<const int> values, std::span<const int> searched) {
  return {name, device_type, labels, values, searched, get_tunable<kMember>, set_tunable<kMember>};
}

}  // namespace foldtune
