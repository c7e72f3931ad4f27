#include "templates/described/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "templates/described/validity.h"
#include "templates/device/types.cuh"

namespace foldtune {
namespace {

constexpr std::size_t kScratchAlignment = 256;

/// The address of a parameter that is a number. Throws std::domain_error for one that its type does
/// not hold.
void* keep_number(Launches& launches, const Description::Parameter& parameter, std::int64_t value) {
  // Of a valid configuration it can be only for the device's number of multiprocessors.
  if (const std::string fault = find_number_fault(parameter.type, value); !fault.empty()) {
    throw std::domain_error(fmt::format("'{}': {}", parameter.value.text(), fault));
  }
  switch (parameter.type) {
    case ElementType::i32:
    case ElementType::u32:
      return launches.keep(static_cast<std::uint32_t>(value));
    case ElementType::f32:
      return launches.keep(static_cast<float>(value));
    case ElementType::f64:
      return launches.keep(static_cast<double>(value));
    default:
      return launches.keep(value);
  }
}

}  // namespace

DescribedValues::DescribedValues(const DescribedFamily& family, const Config& config,
                                 int multiprocessor_count)
    : extents_(family.extents().size()) {
  std::size_t place = extents_;
  for (const Tunable& tunable : family.tunables()) values_.at(place++) = config.get(tunable);
  values_.at(place) = multiprocessor_count;
}

void DescribedValues::set(const Shape& shape) {
  for (std::size_t i = 0; i < extents_; ++i) values_[i] = static_cast<std::int64_t>(shape[i]);
}

std::uint32_t DescribedValues::size_of(const Expression& expression) const {
  const std::int64_t value = of(expression);
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
    throw std::domain_error(
        fmt::format("'{}' is {}, and no size of 32 bits", expression.text(), value));
  }
  return static_cast<std::uint32_t>(value);
}

Dim3 DescribedValues::extents_of(const std::array<Expression, 3>& expressions) const {
  return {.x = size_of(expressions[0]), .y = size_of(expressions[1]), .z = size_of(expressions[2])};
}

DescribedLauncher::DescribedLauncher(const DescribedFamily& family, const Variant& variant,
                                     int multiprocessor_count)
    : description_(family.description()),
      shape_(variant.workload.shape),
      values_(family, variant.params, multiprocessor_count) {}

std::uint32_t DescribedLauncher::block_size() const {
  DescribedValues values = values_;
  values.set(shape_);
  return static_cast<std::uint32_t>(values.extents_of(description_.launches.front().block).count());
}

std::size_t DescribedLauncher::scratch_offset(const DescribedValues& values,
                                              std::size_t place) const {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < place; ++i) {
    const std::int64_t bytes = std::max<std::int64_t>(0, values.of(description_.scratch[i].bytes));
    offset += (static_cast<std::size_t>(bytes) + kScratchAlignment - 1) / kScratchAlignment *
              kScratchAlignment;
  }
  return offset;
}

std::size_t DescribedLauncher::scratch_bytes(const Shape& shape) const {
  DescribedValues values = values_;
  values.set(shape);
  return scratch_offset(values, description_.scratch.size());
}

void DescribedLauncher::fill(const Call& call, void* scratch, Launches& launches) const {
  DescribedValues values = values_;
  values.set(call.shape);
  for (const Description::KernelLaunch& described : description_.launches) {
    Launch& launch = launches.add(described.kernel, values.extents_of(described.grid),
                                  values.extents_of(described.block));
    launch.shared_bytes = values.size_of(described.shared_bytes);
    for (std::size_t i = 0; i < described.parameters.size(); ++i) {
      const Description::Parameter& parameter = described.parameters[i];
      switch (parameter.kind) {
        case Description::Parameter::Kind::array:
          launch.arguments[i] = Launches::address(call.arguments[parameter.place]);
          break;
        case Description::Parameter::Kind::scratch: {
          auto* const begin = static_cast<std::byte*>(scratch);
          launch.arguments[i] = launches.keep(
              begin == nullptr ? begin : begin + scratch_offset(values, parameter.place));
          break;
        }
        case Description::Parameter::Kind::number:
          launch.arguments[i] = keep_number(launches, parameter, values.of(parameter.value));
          break;
      }
    }
  }
}

}  // namespace foldtune
