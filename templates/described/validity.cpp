#include "templates/described/validity.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "foldtune/catalog.h"
#include "templates/described/launcher.h"

namespace foldtune {
namespace {

// What every GPU since 2010 allows.
constexpr std::uint64_t kMaxThreads = 1024;  ///< of a block
constexpr Dim3 kMaxBlock{.x = 1024, .y = 1024, .z = 64};
constexpr Dim3 kMaxGrid{.x = 0x7fff'ffff, .y = 0xffff, .z = 0xffff};
constexpr std::uint32_t kMaxSharedBytes = 48 * 1024;  ///< without asking the driver for more

bool is_within(const Dim3& extents, const Dim3& most) {
  return extents.x <= most.x && extents.y <= most.y && extents.z <= most.z && extents.count() > 0;
}

std::string describe(std::string_view what, const Dim3& extents) {
  return fmt::format("{} is {}x{}x{}, which no GPU has", what, extents.x, extents.y, extents.z);
}

std::string find_launch_fault(const DescribedValues& values,
                              const Description::KernelLaunch& launch) {
  const Dim3 grid = values.extents_of(launch.grid);
  if (!is_within(grid, kMaxGrid)) return describe("its grid", grid);
  const Dim3 block = values.extents_of(launch.block);
  if (!is_within(block, kMaxBlock) || block.count() > kMaxThreads)
    return describe("its block", block);
  const std::uint32_t shared_bytes = values.size_of(launch.shared_bytes);
  if (shared_bytes > kMaxSharedBytes) {
    return fmt::format("it takes {} bytes of dynamic shared memory", shared_bytes);
  }
  for (const Description::Parameter& parameter : launch.parameters) {
    if (parameter.kind != Description::Parameter::Kind::number) continue;
    std::string fault = find_number_fault(parameter.type, values.of(parameter.value));
    if (!fault.empty()) return fmt::format("'{}': {}", parameter.value.text(), fault);
  }
  return {};
}

std::string find_scratch_fault(const DescribedValues& values, const Description& description) {
  std::uint64_t total = 0;
  for (const Description::Scratch& scratch : description.scratch) {
    const std::int64_t bytes = values.of(scratch.bytes);
    if (bytes >= 0 && static_cast<std::uint64_t>(bytes) <= kMaxCallBytes - total) {
      total += static_cast<std::uint64_t>(bytes);
      continue;
    }
    return fmt::format("'{}' has {} bytes, of 0 to 2^50 of all scratch", scratch.name, bytes);
  }
  return {};
}

}  // namespace

std::string find_number_fault(ElementType type, std::int64_t value) {
  const auto is_in = [value]<class T>(T) {
    return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
  };
  const bool is_held = type == ElementType::i32   ? is_in(std::int32_t{})
                       : type == ElementType::u32 ? is_in(std::uint32_t{})
                       : type == ElementType::u64 ? value >= 0
                                                  : true;
  return is_held ? "" : fmt::format("{} is no number of type {}", value, name(type));
}

std::string find_array_fault(const DescribedFamily& family, const Problem& problem,
                             const Shape& shape) {
  const Description& description = family.description();
  std::array<std::int64_t, Shape::kMaxExtents> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(shape[i]);
  std::uint64_t total = 0;
  for (const Description::Array& array : description.arrays) {
    try {
      const std::int64_t elements = array.elements.evaluate(values);
      const std::int64_t least = array.access == Access::output ? 1 : 0;
      if (elements < least) return fmt::format("'{}' has {} elements", array.name, elements);
      const std::uint64_t bytes = size_of(family.type_of(problem, array.type));
      if (static_cast<std::uint64_t>(elements) > (kMaxCallBytes - total) / bytes) {
        return fmt::format("'{}' has {} elements: all arrays together have at most 2^50 bytes",
                           array.name, elements);
      }
      total += static_cast<std::uint64_t>(elements) * bytes;
    } catch (const std::domain_error& error) {
      return fmt::format("the elements of '{}': {}", array.name, error.what());
    }
  }
  return {};
}

std::string find_config_fault(const DescribedFamily& family, const Config& config,
                              const Shape& shape) {
  // The constraints are of tunables and extents: what depends on the device is no part of a space.
  constexpr int kAnyMultiprocessors = 1;
  const Description& description = family.description();
  try {
    DescribedValues values(family, config, kAnyMultiprocessors);
    values.set(shape);
    for (const Expression& constraint : description.constraints) {
      if (values.of(constraint) == 0) return fmt::format("'{}' does not hold", constraint.text());
    }
    if (std::string fault = find_scratch_fault(values, description); !fault.empty()) return fault;
    for (const Description::KernelLaunch& launch : description.launches) {
      if (std::string fault = find_launch_fault(values, launch); !fault.empty()) return fault;
    }
    return {};
  } catch (const std::domain_error& error) {
    return error.what();
  }
}

}  // namespace foldtune
