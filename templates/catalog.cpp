#include "templates/catalog.h"

#include <array>

#include "templates/enum_rows.h"

namespace foldtune {
namespace {

using enum ElementType;

struct TypeRow {
  ElementType type;
  std::string_view name;
  std::string_view device_name;
  std::size_t size;
  bool floating;
  bool is_signed;
};
constexpr std::array kTypeRows{
    TypeRow{i8, "i8", "signed char", 1, false, true},
    TypeRow{u8, "u8", "unsigned char", 1, false, false},
    TypeRow{i16, "i16", "short", 2, false, true},
    TypeRow{u16, "u16", "unsigned short", 2, false, false},
    TypeRow{i32, "i32", "int", 4, false, true},
    TypeRow{u32, "u32", "unsigned int", 4, false, false},
    TypeRow{i64, "i64", "long long", 8, false, true},
    TypeRow{u64, "u64", "unsigned long long", 8, false, false},
    TypeRow{f16, "f16", "foldtune::float16", 2, true, true},
    TypeRow{bf16, "bf16", "foldtune::bfloat16", 2, true, true},
    TypeRow{f32, "f32", "float", 4, true, true},
    TypeRow{f64, "f64", "double", 8, true, true},
};

constexpr auto kElementTypes = column<kTypeRows.size()>(kTypeRows, &TypeRow::type);
constexpr auto kElementTypeNames = column<kTypeRows.size()>(kTypeRows, &TypeRow::name);
constexpr std::array<std::string_view, 3> kDeterminismNames{"any", "run_to_run",
                                                            "config_independent"};
constexpr std::array<std::string_view, 2> kAlignmentNames{"vector", "element"};
constexpr std::array<std::string_view, 2> kNanPolicyNames{"propagate", "ignore"};

constexpr const TypeRow& row(ElementType type) { return row_of(kTypeRows, type); }
static_assert(has_rows_in_order(kTypeRows, &TypeRow::type));

}  // namespace

std::string_view name(ElementType type) { return row(type).name; }
std::string_view name(Determinism determinism) { return row_of(kDeterminismNames, determinism); }
std::string_view name(Alignment alignment) { return row_of(kAlignmentNames, alignment); }
std::string_view name(NanPolicy policy) { return row_of(kNanPolicyNames, policy); }

std::optional<ElementType> parse_element_type(std::string_view text) {
  return parse_name<ElementType>(kElementTypeNames, text);
}
std::optional<Determinism> parse_determinism(std::string_view text) {
  return parse_name<Determinism>(kDeterminismNames, text);
}
std::optional<NanPolicy> parse_nan_policy(std::string_view text) {
  return parse_name<NanPolicy>(kNanPolicyNames, text);
}

std::span<const std::string_view> element_type_names() { return kElementTypeNames; }
std::span<const std::string_view> determinism_names() { return kDeterminismNames; }
std::span<const std::string_view> alignment_names() { return kAlignmentNames; }
std::span<const std::string_view> nan_policy_names() { return kNanPolicyNames; }

std::span<const ElementType> element_types() { return kElementTypes; }

std::size_t size_of(ElementType type) { return row(type).size; }
bool is_floating(ElementType type) { return row(type).floating; }
bool is_signed(ElementType type) { return row(type).is_signed; }
std::string_view device_name(ElementType type) { return row(type).device_name; }

}  // namespace foldtune
