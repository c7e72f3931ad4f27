#include "templates/segments/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/device/device.h"
#include "templates/fold/judge/many_results.h"
#include "templates/fold/judge/operator_laws.h"
#include "templates/fold/judge/reference.h"
#include "templates/segments/space.h"
#include "templates/segments/work.cuh"
#include "tuner/verify/elements.h"
#include "tuner/verify/random_elements.h"

namespace foldtune {
namespace {

constexpr std::size_t kFirstInput = 1;
constexpr std::uint64_t kWarp = 32;

/// Results of a call that are checked: those at both ends, and as many of the others, spread at
/// random; fewer where segments are so long that these have more elements in all.
constexpr std::uint64_t kEnds = 64;
constexpr std::uint64_t kChecked = 4096;
constexpr std::uint64_t kCheckedElements = std::uint64_t{1} << 28;

constexpr std::uint64_t kLeastChunk = kLeastSegmentChunk;

constexpr SegmentParams kPlainest{
    .block_size = 32, .vector_width = 1, .unroll = 1, .group = 1, .segments = 1};

std::uint64_t ceil_log2(std::uint64_t value) {
  return static_cast<std::uint64_t>(std::bit_width(std::max<std::uint64_t>(1, value) - 1));
}

std::uint64_t read_offset(ElementType type, const void* offsets, std::uint64_t i) {
  const auto* const place = static_cast<const std::byte*>(offsets) + i * size_of(type);
  if (type == ElementType::i64) {
    std::int64_t value = 0;
    std::memcpy(&value, place, sizeof(value));
    return static_cast<std::uint64_t>(value);
  }
  std::int32_t value = 0;
  std::memcpy(&value, place, sizeof(value));
  return static_cast<std::uint64_t>(value);
}

/// How long a segment is beside the others.
std::uint64_t weight(const SegmentReduction& reduction, std::uint64_t i, std::uint64_t seed) {
  constexpr std::uint64_t kScale = 1 << 20;
  const std::uint64_t bits = mix(seed * 0x9e3779b97f4a7c15u + i);
  switch (reduction.lengths) {
    case SegmentLengths::equal:
      return 1;
    case SegmentLengths::power_law:
      return kScale * 16 / (bits % reduction.segments + 1) + 1;
    case SegmentLengths::one_long:
      if (i == reduction.segments / 2) return kScale / 2 * (reduction.segments - 1) + 1;
      return bits % kScale;
    case SegmentLengths::mostly_empty:
      return bits % 10 == 0 ? mix(bits) % kScale : 0;
    case SegmentLengths::uniform:
      break;
  }
  return bits % kScale;
}

/// Right results of a call, as far as they are checked.
class SegmentsExpectation final : public Expectation {
 public:
  SegmentsExpectation(SegmentReduction reduction, std::span<const void* const> inputs)
      : reduction_(std::move(reduction)) {
    const std::vector<ElementType> types = reduction_.segment.input_types();
    const void* const begins = inputs[types.size()];
    const void* const ends = inputs[types.size() + 1];
    std::uint64_t elements = 0;
    for (std::uint64_t k = 0; k < std::min(reduction_.segments, kChecked); ++k) {
      const std::uint64_t i = reduction_.segments <= kChecked ? k
                              : k < kEnds                     ? k
                              : k < 2 * kEnds ? reduction_.segments - 1 - (k - kEnds)
                                              : mix(k) % reduction_.segments;
      const std::uint64_t begin = read_offset(reduction_.offsets, begins, i);
      const std::uint64_t end = read_offset(reduction_.offsets, ends, i);
      if (end == begin && !has_empty_result(reduction_.segment.op)) continue;
      elements += end - begin;
      if (elements > kCheckedElements && !checked_.empty()) break;
      checked_.push_back({.number = i, .begin = begin, .count = end - begin});
    }
    references_.resize(checked_.size());
    for_each_part(checked_.size(), part_count(elements),
                  [&](std::uint64_t first, std::uint64_t last, std::size_t) {
                    for (std::uint64_t k = first; k < last; ++k) {
                      const Checked& segment = checked_[k];
                      std::vector<const void*> addresses;
                      for (std::size_t input = 0; input < types.size(); ++input) {
                        addresses.push_back(static_cast<const std::byte*>(inputs[input]) +
                                            segment.begin * size_of(types[input]));
                      }
                      references_[k] = compute_reference(one_of(segment), addresses);
                    }
                  });
  }

  std::string find_difference(std::span<const std::byte> results,
                              const Origin& origin) const override {
    const SegmentParams params =
        origin.config != nullptr ? segment_params(*origin.config) : kPlainest;
    const std::size_t bytes = output_bytes_of_one(reduction_.segment);
    for (std::size_t k = 0; k < checked_.size(); ++k) {
      const Checked& segment = checked_[k];
      const Reduction one = one_of(segment);
      const std::string difference = find_one_difference(
          reduction_.segment, results.data() + segment.number * bytes, references_[k],
          error_bound(one, segment_fold_shape(reduction_, params, segment.count), references_[k]));
      if (!difference.empty()) {
        return fmt::format("result {}, of {} elements: {}", segment.number, segment.count,
                           difference);
      }
    }
    return {};
  }

 private:
  struct Checked {
    std::uint64_t number;
    std::uint64_t begin;
    std::uint64_t count;
  };

  Reduction one_of(const Checked& segment) const {
    Reduction one = one_fold(reduction_.segment);
    one.count = segment.count;
    return one;
  }

  SegmentReduction reduction_;
  std::vector<Checked> checked_;
  std::vector<Reference> references_;
};

class SegmentsJudge final : public Judge {
 public:
  const Family& family() const override { return segments_family(); }

  void fill(const Problem& problem, std::size_t argument, std::span<std::byte> elements,
            std::uint64_t seed) const override {
    fill_input(one_fold(segment_reduction_of(problem).segment), argument - kFirstInput, elements,
               seed);
  }
  void fill_for_shape(const Workload& workload, std::size_t argument, std::span<std::byte> elements,
                      std::uint64_t seed) const override {
    const SegmentReduction reduction = segment_reduction_of(workload);
    const std::vector<std::uint64_t> offsets = make_offsets(reduction, seed);
    // The last argument are the ends, each where the next segment begins.
    const std::size_t first =
        argument == kFirstInput + reduction.segment.input_types().size() ? 0 : 1;
    for (std::uint64_t i = 0; i < reduction.segments; ++i) {
      std::byte* const place = elements.data() + i * size_of(reduction.offsets);
      if (reduction.offsets == ElementType::i64) {
        const auto offset = static_cast<std::int64_t>(offsets[first + i]);
        std::memcpy(place, &offset, sizeof(offset));
      } else {
        const auto offset = static_cast<std::int32_t>(offsets[first + i]);
        std::memcpy(place, &offset, sizeof(offset));
      }
    }
  }
  bool has_same_inputs(const Problem& a, const Problem& b) const override {
    const SegmentReduction first = segment_reduction_of(a);
    const SegmentReduction other = segment_reduction_of(b);
    return first.segment.input_types() == other.segment.input_types() &&
           element_rule(one_fold(first.segment)) == element_rule(one_fold(other.segment)) &&
           first.offsets == other.offsets && first.lengths == other.lengths;
  }

  std::unique_ptr<Expectation> expect(const Workload& workload,
                                      std::span<const void* const> arguments) const override {
    const SegmentReduction reduction = segment_reduction_of(workload);
    if (reduction.segment.op == Operator::custom) return nullptr;
    return std::make_unique<SegmentsExpectation>(reduction, arguments.subspan(kFirstInput));
  }
  std::unique_ptr<Expectation> expect_same(const Workload& workload,
                                           std::vector<std::byte> results) const override {
    return expect_same_results(workload.problem.custom(), std::move(results));
  }
  Config plainest(const Workload&) const override { return kPlainest; }

  std::string find_promise_fault(Device& device, const CompileProgram& compile,
                                 const Workload& workload,
                                 std::span<void* const> arguments) const override {
    const SegmentReduction reduction = segment_reduction_of(workload);
    Reduction all = one_fold(reduction.segment);
    if (all.op != Operator::custom) return {};
    all.count = reduction.elements;
    const std::vector<const void*> inputs(
        arguments.begin() + kFirstInput,
        arguments.begin() + kFirstInput + static_cast<std::ptrdiff_t>(all.input_types().size()));
    return find_law_fault(device, all, inputs, *compile(make_law_program(all)));
  }

  bool is_reproducible(const Problem& problem) const override {
    return segment_reduction_of(problem).segment.determinism != Determinism::any;
  }
  std::string format(const Problem& problem, std::span<const std::byte> results) const override {
    return format_results(segment_reduction_of(problem).segment, results);
  }
};

}  // namespace

const Judge& segments_judge() {
  static const SegmentsJudge judge;
  return judge;
}

std::vector<std::uint64_t> make_offsets(const SegmentReduction& reduction, std::uint64_t seed) {
  std::vector<std::uint64_t> offsets(reduction.segments + 1);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < reduction.segments; ++i) {
    sum += weight(reduction, i, seed);
    offsets[i + 1] = sum;
  }
  if (sum == 0) return offsets;
  for (std::uint64_t i = 1; i < reduction.segments; ++i) {
    offsets[i] =
        static_cast<std::uint64_t>(static_cast<double>(offsets[i]) / static_cast<double>(sum) *
                                   static_cast<double>(reduction.elements));
  }
  offsets.back() = reduction.elements;
  return offsets;
}

/// A thread: one combination after another of all elements of its vectors, or of one for each
/// vector. Of a long segment, chunks and what they come to.
FoldShape segment_fold_shape(const SegmentReduction& reduction, const SegmentParams& params,
                             std::uint64_t count) {
  const auto vector = static_cast<std::uint64_t>(params.vector_width);
  const auto block = static_cast<std::uint64_t>(params.block_size);
  const auto fold_by = [&](std::uint64_t elements, std::uint64_t threads) {
    const std::uint64_t vectors = elements / (threads * vector) + 2;
    return FoldShape{.depth = (vectors + 2) * vector + ceil_log2(threads) + 2 * ceil_log2(kWarp),
                     .tile = vector};
  };
  if (count <= static_cast<std::uint64_t>(max_group_elements(params))) {
    return fold_by(count, static_cast<std::uint64_t>(params.group));
  }
  const FoldShape in_warp = fold_by(count, kWarp);
  const bool has_helpers = reduction.elements > 2 * kLeastChunk;
  if (!has_helpers || count <= static_cast<std::uint64_t>(max_warp_elements(params))) {
    return in_warp;
  }
  const std::uint64_t most_chunk =
      std::max({kLeastChunk, reduction.elements / kChunksOfHelper + 1,
                2 * block * vector * static_cast<std::uint64_t>(params.unroll)});
  FoldShape in_chunks = fold_by(std::min(count, 2 * most_chunk), block);
  in_chunks.depth += count / kLeastChunk / block + 2 + ceil_log2(block) + 2 * ceil_log2(kWarp);
  // A warp folds up to four times the mean, or what is short beside a chunk, and all segments that
  // are said to be equal.
  constexpr std::uint64_t kShares = 4;
  const bool is_long = reduction.lengths != SegmentLengths::equal &&
                       count > std::max(kShares * mean_elements(reduction), most_chunk);
  if (is_long) return in_chunks;
  return in_chunks.depth > in_warp.depth ? in_chunks : in_warp;
}

}  // namespace foldtune
