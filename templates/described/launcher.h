/// The launches of a kernel from a description.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "templates/described/family.h"
#include "templates/launch.h"

namespace foldtune {

/// The values of Description::names, in its order.
class DescribedValues {
 public:
  static constexpr std::size_t kMax = Shape::kMaxExtents + Config::kMaxTunables + 1;

  DescribedValues(const DescribedFamily& family, const Config& config, int multiprocessor_count);

  /// Sets the extents.
  void set(const Shape& shape);

  std::int64_t of(const Expression& expression) const { return expression.evaluate(values_); }
  /// Throws std::domain_error if it is not from 0 to 2^32 - 1.
  std::uint32_t size_of(const Expression& expression) const;
  Dim3 extents_of(const std::array<Expression, 3>& expressions) const;

 private:
  std::size_t extents_;
  std::array<std::int64_t, kMax> values_{};
};

class DescribedLauncher final : public Launcher {
 public:
  DescribedLauncher(const DescribedFamily& family, const Variant& variant,
                    int multiprocessor_count);

  std::uint32_t block_size() const override;
  std::size_t scratch_bytes(const Shape& shape) const override;
  void fill(const Call& call, void* scratch, Launches& launches) const override;

 private:
  /// Scratch arrays lie one after another.
  std::size_t scratch_offset(const DescribedValues& values, std::size_t place) const;

  const Description& description_;
  Shape shape_;
  DescribedValues values_;
};

}  // namespace foldtune
