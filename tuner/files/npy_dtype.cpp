#include "tuner/files/npy_dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "foldtune/error.h"

namespace foldtune {
namespace {

static_assert(std::endian::native == std::endian::little, "'=' and '>' are read as on such a host");

using enum ElementType;

/// The types that we have, and those that people are likely to bring.
struct Dtype {
  std::string_view code;  ///< kind and bytes
  std::string_view numpy_name;
  std::optional<ElementType> type = std::nullopt;
  std::optional<ElementType> if_wanted = std::nullopt;
};
constexpr std::array kDtypes{
    Dtype{"i1", "int8", i8},
    Dtype{"u1", "uint8", u8},
    Dtype{"i2", "int16", i16},
    Dtype{"u2", "uint16", u16, bf16},
    Dtype{"i4", "int32", i32},
    Dtype{"u4", "uint32", u32},
    Dtype{"i8", "int64", i64},
    Dtype{"u8", "uint64", u64},
    Dtype{"f2", "float16", f16},
    Dtype{"f4", "float32", f32},
    Dtype{"f8", "float64", f64},
    Dtype{"b1", "bool", u8},
    Dtype{"V2", "void16, 2 bytes without a type", std::nullopt, bf16},
    Dtype{"f16", "longdouble"},
    Dtype{"c8", "complex64"},
    Dtype{"c16", "complex128"},
};

/// Other names that numpy.dtype takes on a 64-bit machine.
constexpr std::array<std::pair<std::string_view, std::string_view>, 40> kOtherNames{
    {{"?", "b1"},         {"b", "i1"},     {"B", "u1"},      {"h", "i2"},      {"H", "u2"},
     {"i", "i4"},         {"I", "u4"},     {"l", "i8"},      {"L", "u8"},      {"q", "i8"},
     {"Q", "u8"},         {"p", "i8"},     {"P", "u8"},      {"e", "f2"},      {"f", "f4"},
     {"d", "f8"},         {"g", "f16"},    {"F", "c8"},      {"D", "c16"},     {"int", "i8"},
     {"float", "f8"},     {"half", "f2"},  {"single", "f4"}, {"double", "f8"}, {"byte", "i1"},
     {"ubyte", "u1"},     {"short", "i2"}, {"ushort", "u2"}, {"intc", "i4"},   {"uintc", "u4"},
     {"int_", "i8"},      {"uint", "u8"},  {"long", "i8"},   {"ulong", "u8"},  {"longlong", "i8"},
     {"ulonglong", "u8"}, {"intp", "i8"},  {"uintp", "u8"},  {"float_", "f8"}, {"bool_", "b1"}}};

/// What numpy.dtype calls `name`, a `descr` without its order, in kind and bytes.
std::string_view canonical_code(std::string_view name) {
  const auto* const other =
      std::ranges::find(kOtherNames, name, &std::pair<std::string_view, std::string_view>::first);
  if (other != kOtherNames.end()) return other->second;
  const auto* const known = std::ranges::find(kDtypes, name, &Dtype::numpy_name);
  return known == kDtypes.end() ? name : known->code;
}

/// Empty for bf16.
std::string_view numpy_name(ElementType type) {
  const auto* const known = std::ranges::find(kDtypes, type, &Dtype::type);
  return known == kDtypes.end() ? std::string_view() : known->numpy_name;
}

std::string describe(ElementType type) {
  const std::string_view numpy = numpy_name(type);
  return numpy.empty() ? std::string(name(type)) : fmt::format("{} ({})", name(type), numpy);
}

bool is_bool(const Dtype& dtype) { return dtype.code == "b1"; }

std::string describe(const Dtype& dtype) {
  return dtype.type && !is_bool(dtype) ? describe(*dtype.type) : std::string(dtype.numpy_name);
}

/// What an array of a type that is not reduced holds, and what to do.
std::string describe_unknown(std::string_view descr, std::string_view code) {
  std::string names;
  for (const ElementType type : element_types()) {
    const std::string_view numpy = numpy_name(type);
    if (!numpy.empty()) names += fmt::format("{}, ", numpy);
  }
  const std::string convert =
      fmt::format("what can be reduced is {}bool: convert it with array.astype", names);
  switch (code.empty() ? '\0' : code.front()) {
    case 'c':
      return fmt::format("complex numbers ('{}'); save array.real and array.imag instead", descr);
    case 'O':
      return fmt::format("Python objects ('{}'), which Python alone can read; {}", descr, convert);
    case 'S':
    case 'U':
    case 'a':
      return fmt::format("strings ('{}'); {}", descr, convert);
    case 'M':
    case 'm':
      return fmt::format("times ('{}'); save array.view('int64') instead", descr);
    default:
      return fmt::format("elements of dtype '{}'; {}", descr, convert);
  }
}

}  // namespace

NpyElements parse_npy_descr(std::string_view descr, const std::optional<WantedType>& wanted,
                            std::string_view file) {
  const bool has_order =
      !descr.empty() && std::string_view("<>=|").find(descr.front()) != std::string_view::npos;
  const std::string_view code = canonical_code(descr.substr(has_order ? 1 : 0));
  const auto* const known = std::ranges::find(kDtypes, code, &Dtype::code);
  if (known == kDtypes.end() || (!known->type && !known->if_wanted)) {
    throw InvalidArgument(fmt::format("{} holds {}", file, describe_unknown(descr, code)));
  }
  NpyElements elements{.is_bool = is_bool(*known)};
  if (wanted && known->if_wanted == wanted->type) {
    elements.type = wanted->type;
  } else if (wanted && known->type != wanted->type) {
    throw InvalidArgument(fmt::format("{} holds {}, not {}; {}", file, describe(*known),
                                      describe(wanted->type), wanted->remedy));
  } else if (!known->type) {
    throw InvalidArgument(fmt::format("{} holds {}; --type {} reads them as such", file,
                                      known->numpy_name, name(*known->if_wanted)));
  } else {
    elements.type = *known->type;
  }
  elements.is_swapped = has_order && descr.front() == '>' && size_of(elements.type) > 1;
  return elements;
}

}  // namespace foldtune
