#include "templates/axis/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "runtime/device/device.h"
#include "templates/axis/space.h"
#include "templates/axis/strides.h"
#include "templates/fold/judge/many_results.h"
#include "templates/fold/judge/operator_laws.h"
#include "templates/fold/judge/reference.h"
#include "tuner/verify/elements.h"
#include "tuner/verify/random_elements.h"

namespace foldtune {
namespace {

constexpr std::size_t kFirstInput = 1;
constexpr std::uint64_t kWarp = 32;

/// Results of a call that are checked: those at both ends, where blocks have less to do than
/// elsewhere, and as many of the others, spread at random.
constexpr std::uint64_t kEnds = 64;
constexpr std::uint64_t kChecked = 4096;
/// Elements of them, beyond which fewer are.
constexpr std::uint64_t kCheckedElements = std::uint64_t{1} << 28;

std::uint64_t ceil_log2(std::uint64_t value) {
  return static_cast<std::uint64_t>(std::bit_width(std::max<std::uint64_t>(1, value) - 1));
}

std::vector<std::uint64_t> checked_results(const Shape& shape) {
  const std::uint64_t results = result_count(shape);
  const std::uint64_t most = std::min(
      kChecked,
      std::max(2 * kEnds, kCheckedElements / std::max<std::uint64_t>(1, row_count(shape))));
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < std::min(results, most); ++i) {
    if (results <= most || i < kEnds) {
      all.push_back(i);
    } else if (i < 2 * kEnds) {
      all.push_back(results - 1 - (i - kEnds));
    } else {
      all.push_back(mix(i) % results);
    }
  }
  return all;
}

/// The elements of a dense array that a result is of, one after another.
void gather(const Shape& shape, std::uint64_t result, std::size_t bytes, const void* array,
            std::byte* row) {
  const AxisStrides strides = dense_strides(shape);
  const auto* const first = static_cast<const std::byte*>(array) +
                            (static_cast<std::uint64_t>(strides.input[0]) * (result / shape[2]) +
                             static_cast<std::uint64_t>(strides.input[2]) * (result % shape[2])) *
                                bytes;
  for (std::uint64_t r = 0; r < shape[1]; ++r) {
    for (std::uint64_t s = 0; s < shape[3]; ++s) {
      std::memcpy(row, first + (r * static_cast<std::uint64_t>(strides.input[1]) + s) * bytes,
                  bytes);
      row += bytes;
    }
  }
}

/// Right results of a call, as far as they are checked.
class AxisExpectation final : public Expectation {
 public:
  AxisExpectation(AxisReduction reduction, std::span<const void* const> inputs)
      : reduction_(std::move(reduction)),
        checked_(checked_results(reduction_.shape)),
        references_(checked_.size()) {
    const Reduction row = row_of(reduction_);
    const std::vector<ElementType> types = row.input_types();
    for_each_part(
        checked_.size(), part_count(checked_.size() * std::max<std::uint64_t>(1, row.count)),
        [&](std::uint64_t begin, std::uint64_t end, std::size_t) {
          std::vector<std::vector<std::byte>> rows;
          std::vector<const void*> addresses;
          for (const ElementType type : types) {
            rows.emplace_back(row.count * size_of(type));
            addresses.push_back(rows.back().data());
          }
          for (std::uint64_t i = begin; i < end; ++i) {
            for (std::size_t k = 0; k < types.size(); ++k) {
              gather(reduction_.shape, checked_[i], size_of(types[k]), inputs[k], rows[k].data());
            }
            references_[i] = compute_reference(row, addresses);
          }
        });
  }

  std::string find_difference(std::span<const std::byte> results,
                              const Origin& origin) const override {
    const AxisParams params =
        origin.config != nullptr ? axis_params(*origin.config) : kLibraryParams;
    const FoldShape shape = axis_fold_shape(reduction_, params);
    const Reduction row = row_of(reduction_);
    const std::size_t bytes =
        results.size() / std::max<std::uint64_t>(1, result_count(reduction_.shape));
    for (std::size_t i = 0; i < checked_.size(); ++i) {
      const std::string difference =
          find_one_difference(reduction_.row, results.data() + checked_[i] * bytes, references_[i],
                              error_bound(row, shape, references_[i]));
      if (!difference.empty()) return fmt::format("result {}: {}", checked_[i], difference);
    }
    return {};
  }

 private:
  /// What another library does is not known: no longer chains of operations than these.
  static constexpr AxisParams kLibraryParams{
      .method = AxisMethod::rows, .block_size = 32, .vector_width = 1, .unroll = 1, .group = 1};

  AxisReduction reduction_;
  std::vector<std::uint64_t> checked_;
  std::vector<Reference> references_;
};

class AxisJudge final : public Judge {
 public:
  const Family& family() const override { return axis_family(); }

  void fill(const Problem& problem, std::size_t argument, std::span<std::byte> elements,
            std::uint64_t seed) const override {
    fill_input(row_of(axis_reduction_of(problem)), argument - kFirstInput, elements, seed);
  }
  bool has_same_inputs(const Problem& a, const Problem& b) const override {
    const Reduction one = row_of(axis_reduction_of(a));
    const Reduction other = row_of(axis_reduction_of(b));
    return one.input_types() == other.input_types() && element_rule(one) == element_rule(other);
  }

  std::unique_ptr<Expectation> expect(const Workload& workload,
                                      std::span<const void* const> arguments) const override {
    const AxisReduction reduction = axis_reduction_of(workload);
    if (reduction.row.op == Operator::custom) return nullptr;
    return std::make_unique<AxisExpectation>(reduction, arguments.subspan(kFirstInput));
  }
  std::unique_ptr<Expectation> expect_same(const Workload& workload,
                                           std::vector<std::byte> results) const override {
    return expect_same_results(workload.problem.custom(), std::move(results));
  }

  /// No vectors, and no blocks that share a result.
  Config plainest(const Workload& workload) const override {
    AxisParams params{.method = AxisMethod::rows, .vector_width = 1, .unroll = 1, .group = 1};
    if (!has_rows(workload.shape)) {
      params.method = AxisMethod::strips;
      params.width = kWarp;
    }
    return params;
  }

  std::string find_promise_fault(Device& device, const CompileProgram& compile,
                                 const Workload& workload,
                                 std::span<void* const> arguments) const override {
    Reduction all = row_of(axis_reduction_of(workload));
    if (all.op != Operator::custom) return {};
    all.count = result_count(workload.shape) * row_count(workload.shape);
    const std::vector<const void*> inputs(
        arguments.begin() + kFirstInput,
        arguments.begin() + kFirstInput + static_cast<std::ptrdiff_t>(all.input_types().size()));
    return find_law_fault(device, all, inputs, *compile(make_law_program(all)));
  }

  bool is_reproducible(const Problem& problem) const override {
    return axis_reduction_of(problem).row.determinism != Determinism::any;
  }

  std::string format(const Problem& problem, std::span<const std::byte> results) const override {
    return format_results(axis_reduction_of(problem).row, results);
  }
};

}  // namespace

const Judge& axis_judge() {
  static const AxisJudge judge;
  return judge;
}

Reduction row_of(const AxisReduction& reduction) {
  Reduction row = one_fold(reduction.row);
  row.count = row_count(reduction.shape);
  return row;
}

/// A thread: the trees over a vector and over a tile's vectors, then one combination per tile; of
/// the last tile one more for each vector, and the head and the tail.
FoldShape axis_fold_shape(const AxisReduction& reduction, const AxisParams& params) {
  const Shape& shape = reduction.shape;
  const auto block = static_cast<std::uint64_t>(params.block_size);
  const auto vector = static_cast<std::uint64_t>(params.vector_width);
  const auto unroll = static_cast<std::uint64_t>(params.unroll);
  const auto group = static_cast<std::uint64_t>(params.group);
  constexpr std::uint64_t kStagedUnroll = 4;
  const auto tiles_of = [](std::uint64_t elements, std::uint64_t threads, std::uint64_t tile) {
    return elements / (threads * tile) + tile + 2;
  };
  FoldShape fold;
  switch (params.method) {
    case AxisMethod::rows:
      // Of several rows, each has its last tile.
      fold.tile = vector * unroll;
      fold.depth =
          ceil_log2(fold.tile) + shape[1] * (tiles_of(shape[3], group, fold.tile) + 2 * vector);
      fold.depth += 2 * ceil_log2(kWarp) + ceil_log2(group);
      break;
    case AxisMethod::staged:
      fold.tile = kStagedUnroll;
      if (reads_staged_vectors(reduction)) fold.tile *= vector;
      fold.depth =
          ceil_log2(fold.tile) + tiles_of(row_count(shape), group, fold.tile) + ceil_log2(group);
      break;
    case AxisMethod::strips:
      fold.tile = unroll;
      fold.depth = ceil_log2(unroll) + tiles_of(shape[1], group, unroll) + ceil_log2(group);
      break;
    case AxisMethod::lines: {
      const std::uint64_t lines =
          std::max<std::uint64_t>(1, block * vector / (2 * std::max<std::uint64_t>(1, shape[2])));
      fold.tile = unroll;
      fold.depth =
          ceil_log2(unroll) + tiles_of(shape[1], lines, unroll) + ceil_log2(block * vector);
      break;
    }
  }
  // The last of the blocks that share a result takes the others' in turn, by as many threads as it
  // has for each result, which meet in a tree.
  if (params.splits > 1) fold.depth += static_cast<std::uint64_t>(params.splits) + ceil_log2(block);
  return fold;
}

}  // namespace foldtune
