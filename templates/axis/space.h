/// The tunables of the family `axis` on the host: its rules.
#pragma once

#include <cstdint>
#include <span>

#include "foldtune/axis_reduction.h"
#include "templates/axis/params.cuh"
#include "templates/family.h"
#include "templates/fold/many_folds.h"

namespace foldtune {

const Family& axis_family();

std::span<const Tunable> axis_tunables();
Config to_config(const AxisParams& params);
/// Throws std::logic_error for a configuration of another family.
AxisParams axis_params(const Config& config);

/// @{
/// What Family says of them.
bool is_valid(const AxisReduction& reduction, const AxisParams& params);
bool is_searched(const AxisReduction& reduction, const AxisParams& params);
AxisParams default_axis_params(const AxisReduction& reduction, int multiprocessor_count);
double estimate_us(const AxisReduction& reduction, const DeviceFacts& device,
                   const AxisParams& params);
/// @}

/// The layout of the kernel.
AxisLayout device_layout(AxisAlignment alignment);
bool is_dense(AxisAlignment alignment);
/// Whether the method `staged` reads rows in vectors; else it reads element by element.
bool reads_staged_vectors(const AxisReduction& reduction);

/// Whether the innermost elements are those of a row, and not of neighbouring columns: a matter of
/// the size class.
bool has_rows(const Shape& shape);

/// How the rows of a result are read by `rows`. Joined are those that are read element by element,
/// and those that begin and end at vectors and are too short to keep a group busy, in every call of
/// the shape's bucket.
ResultRows result_rows(const AxisReduction& reduction, const AxisParams& params);

/// Whether numbers along the axis take 64 bits, in some call of the shape's bucket.
bool has_wide_numbers(const Shape& shape);

/// Elements of a row.
inline std::uint64_t row_count(const Shape& shape) { return shape[1] * shape[3]; }
inline std::uint64_t result_count(const Shape& shape) { return shape[0] * shape[2]; }

/// Elements of each input that a block of `staged` copies at a time.
inline std::uint64_t staged_capacity(const AxisParams& params) {
  return static_cast<std::uint64_t>(params.block_size) * params.vector_width * params.unroll;
}

/// Whether one group is a whole block: then blocks may share a result.
bool is_block_a_group(const AxisParams& params);

}  // namespace foldtune
