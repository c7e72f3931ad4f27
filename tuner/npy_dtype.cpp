#include "tuner/npy_dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "foldtune/error.h"

namespace foldtune {
namespace {

using enum ElementType;

/// The types that we have, and those that people are likely to bring.
struct Dtype {
  std::string_view descr;
  std::string_view numpy_name;
  std::optional<ElementType> type = std::nullopt;
  std::optional<ElementType> if_wanted = std::nullopt;
};
constexpr std::array kDtypes{
    Dtype{"|i1", "int8", i8},
    Dtype{"|u1", "uint8", u8},
    Dtype{"<i2", "int16", i16},
    Dtype{"<u2", "uint16", u16, bf16},
    Dtype{"<i4", "int32", i32},
    Dtype{"<u4", "uint32", u32},
    Dtype{"<i8", "int64", i64},
    Dtype{"<u8", "uint64", u64},
    Dtype{"<f2", "float16", f16},
    Dtype{"<f4", "float32", f32},
    Dtype{"<f8", "float64", f64},
    Dtype{"|V2", "void16, 2 bytes without a type", std::nullopt, bf16},
    Dtype{"<V2", "void16, 2 bytes without a type", std::nullopt, bf16},
    Dtype{"|b1", "bool", std::nullopt, u8},
    Dtype{"<c8", "complex64"},
    Dtype{"<c16", "complex128"},
};

constexpr Dtype kUnknown{};

/// Empty for bf16.
std::string_view numpy_name(ElementType type) {
  const auto* const known = std::ranges::find(kDtypes, type, &Dtype::type);
  return known == kDtypes.end() ? std::string_view() : known->numpy_name;
}

std::string describe(ElementType type) {
  const std::string_view numpy = numpy_name(type);
  return numpy.empty() ? std::string(name(type)) : fmt::format("{} ({})", name(type), numpy);
}

std::string describe(std::string_view descr) {
  const auto* const known = std::ranges::find(kDtypes, descr, &Dtype::descr);
  if (known == kDtypes.end()) return fmt::format("elements of dtype '{}'", descr);
  return known->type ? describe(*known->type) : std::string(known->numpy_name);
}

/// What to do with a type that there is not.
std::string advice(std::optional<ElementType> if_wanted) {
  if (if_wanted) return fmt::format("--type {} reads them as such", name(*if_wanted));
  std::string names;
  for (const ElementType type : element_types()) {
    const std::string_view numpy = numpy_name(type);
    if (!numpy.empty()) names += fmt::format("{}{}", names.empty() ? "" : ", ", numpy);
  }
  return fmt::format("what can be reduced is {}: convert it with array.astype", names);
}

}  // namespace

ElementType npy_element_type(std::string_view descr, std::optional<ElementType> wanted,
                             std::string_view file) {
  const std::string asked = wanted ? fmt::format(", not {}", name(*wanted)) : std::string();
  if (descr.starts_with('>')) {
    throw InvalidArgument(
        fmt::format("{} holds big-endian elements ('{}'){}; save it as array.astype('<{}')", file,
                    descr, asked, descr.substr(1)));
  }
  const auto* const known = std::ranges::find(kDtypes, descr, &Dtype::descr);
  const Dtype& dtype = known == kDtypes.end() ? kUnknown : *known;
  if (wanted && dtype.if_wanted == wanted) return *wanted;
  if (!dtype.type) {
    throw InvalidArgument(
        fmt::format("{} holds {}{}; {}", file, describe(descr), asked, advice(dtype.if_wanted)));
  }
  if (wanted && *dtype.type != *wanted) {
    throw InvalidArgument(fmt::format(
        "{} holds {}, not {}; leave out --type to reduce it as it is, or convert it with "
        "array.astype",
        file, describe(descr), describe(*wanted)));
  }
  return *dtype.type;
}

}  // namespace foldtune
