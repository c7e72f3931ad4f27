#include "templates/axis/launcher.h"

#include <algorithm>
#include <numeric>

#include "templates/axis/space.h"
#include "templates/axis/strides.h"
#include "templates/device/prefetch_limits.cuh"
#include "templates/fold/operators.h"

namespace foldtune {
namespace {

// The arguments of a call. The inputs follow one another, as the kernels take them; after them come
// the strides.
constexpr std::size_t kOutput = 0;
constexpr std::size_t kInputs = 1;

/// Blocks of the largest grid.
constexpr std::uint64_t kMaxGridBlocks = std::uint64_t{1} << 20;

/// Partial results that blocks leave for one another.
constexpr std::uint64_t kMaxPartials = std::uint64_t{1} << 20;

/// Bytes of a slot, of the accumulator's: a flag beside each word.
constexpr std::size_t kSlotSizes = 2;

std::uint64_t divide_up(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

/// Without elements, an axis of none; without results, no slabs.
Shape without_empty_lines(Shape shape) {
  if (row_count(shape) == 0) {
    shape[1] = 0;
    shape[3] = 1;
  }
  if (result_count(shape) == 0) {
    shape[0] = 0;
    shape[2] = 1;
  }
  return shape;
}

}  // namespace

AxisLauncher::AxisLauncher(const AxisReduction& reduction, const AxisParams& params,
                           int resident_blocks)
    : params_(params),
      has_rows_(has_rows(reduction.shape)),
      joins_rows_(result_rows(reduction, params) == ResultRows::joined),
      prefetched_bytes_(is_dense(reduction.alignment) ? element_bytes(reduction.row) : 0),
      strides_(kInputs + reduction.row.input_types().size()),
      partial_bytes_(kSlotSizes *
                     accumulator_bytes(reduction.row, has_wide_numbers(reduction.shape))),
      max_blocks_(kMaxGridBlocks) {
  if (params.waves > 0) {
    max_blocks_ = std::min<std::uint64_t>(
        max_blocks_, static_cast<std::uint64_t>(params.waves) * std::max(1, resident_blocks));
  }
}

std::uint64_t AxisLauncher::unit_results(const Shape& shape) const {
  switch (params_.method) {
    case AxisMethod::strips:
      return static_cast<std::uint64_t>(params_.width) * params_.vector_width;
    case AxisMethod::lines:
      return shape[2];
    default:
      return 1;
  }
}

std::uint64_t AxisLauncher::turns(const Shape& shape) const {
  const auto block = static_cast<std::uint64_t>(params_.block_size);
  const auto vector = static_cast<std::uint64_t>(params_.vector_width);
  switch (params_.method) {
    case AxisMethod::rows:
      return joins_rows_ ? divide_up(row_count(shape), block * vector * params_.unroll)
                         : shape[1] * divide_up(shape[3], block * vector * params_.unroll);
    case AxisMethod::strips:
      return divide_up(shape[1], static_cast<std::uint64_t>(params_.group));
    case AxisMethod::lines:
      return divide_up(shape[1] * shape[2], block * vector);
    case AxisMethod::staged:
      break;
  }
  return 1;
}

/// Of small inputs all, of others a quarter, but no more than what is worth it (prefetch.cuh).
unsigned AxisLauncher::prefetched_elements(const Shape& shape) const {
  if (prefetched_bytes_ == 0) return 0;
  const std::uint64_t elements = result_count(shape) * row_count(shape);
  const std::uint64_t most = kMaxPrefetchBytes / prefetched_bytes_;
  return static_cast<unsigned>(elements <= most ? elements
                                                : std::min(most, elements / kPrefetchShare));
}

AxisLauncher::Deal AxisLauncher::deal(const Shape& shape) const {
  Deal deal{.work = {.units = result_count(shape),
                     .strips = 1,
                     .prefetched = prefetched_elements(shape),
                     .splits = 1,
                     .items = 1,
                     .columns = 1},
            .blocks = 1};
  AxisWork& work = deal.work;
  std::uint64_t units_per_block = 1;
  switch (params_.method) {
    case AxisMethod::rows:
      units_per_block = static_cast<std::uint64_t>(params_.block_size / params_.group);
      break;
    case AxisMethod::staged: {
      if (!has_rows_) {
        work.units = shape[0];
        work.columns = static_cast<unsigned>(shape[2]);
      }
      const std::uint64_t unit =
          std::max<std::uint64_t>(1, has_rows_ ? shape[3] : row_count(shape) * shape[2]);
      // A number of them after which the next one begins at a vector.
      const auto vector = static_cast<std::uint64_t>(params_.vector_width);
      const std::uint64_t whole = vector / std::gcd(unit, vector);
      const std::uint64_t items = std::max<std::uint64_t>(1, staged_capacity(params_) / unit);
      work.items = static_cast<unsigned>(items >= whole ? items / whole * whole : items);
      units_per_block = work.items;
      break;
    }
    case AxisMethod::strips:
      work.strips = divide_up(shape[2], unit_results(shape));
      work.units = shape[0] * work.strips;
      units_per_block =
          static_cast<std::uint64_t>(params_.block_size / (params_.width * params_.group));
      break;
    case AxisMethod::lines:
      work.units = shape[0];
      break;
  }
  const std::uint64_t results = std::max<std::uint64_t>(1, work.units * unit_results(shape));
  const std::uint64_t most_splits =
      std::max<std::uint64_t>(1, std::min(turns(shape), kMaxPartials / results));
  work.splits =
      static_cast<unsigned>(std::min(static_cast<std::uint64_t>(params_.splits), most_splits));
  const std::uint64_t blocks = work.splits > 1
                                   ? work.units * work.splits
                                   : std::min(divide_up(work.units, units_per_block), max_blocks_);
  deal.blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, blocks));
  return deal;
}

std::size_t AxisLauncher::scratch_bytes(const Shape& any_shape) const {
  const Shape shape = without_empty_lines(any_shape);
  const AxisWork work = deal(shape).work;
  if (work.splits == 1) return 0;
  return static_cast<std::size_t>(work.units * work.splits * unit_results(shape)) * partial_bytes_;
}

std::size_t AxisLauncher::max_scratch_bytes(const Shape& most) const {
  if (params_.splits == 1) return 0;
  // A smaller shape may be shared by more blocks.
  const std::uint64_t results = deal(most).work.units * unit_results(most);
  const std::uint64_t partials = results > kMaxPartials / static_cast<std::uint64_t>(params_.splits)
                                     ? kMaxPartials
                                     : results * static_cast<std::uint64_t>(params_.splits);
  return static_cast<std::size_t>(partials) * partial_bytes_;
}

void AxisLauncher::fill(const Call& call, void* scratch, Launches& launches) const {
  const Shape shape = without_empty_lines(call.shape);
  const Deal dealt = deal(shape);
  const auto* const said = static_cast<const AxisStrides*>(call.arguments[strides_]);
  const AxisStrides strides = said != nullptr ? *said : dense_strides(call.shape);
  AxisShape on_device;
  std::ranges::copy(shape.extents, on_device.extents);
  std::ranges::copy(strides.input, on_device.strides);
  std::ranges::copy(strides.output, on_device.output_strides);
  Launch& launch = launches.add(0, {dealt.blocks}, {block_size()});
  launch.overlaps_previous = true;
  launch.pass(Launches::address(call.arguments[kInputs]), launches.keep(on_device),
              launches.keep(dealt.work), Launches::address(call.arguments[kOutput]),
              launches.keep(scratch), Launches::address(call.inputs_ready));
}

}  // namespace foldtune
