// Reductions of segments: every operator and type, by every method, over segments of all lengths,
// in order and not, empty, overlapping, and beyond the input.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <random>

#include "runtime/launch/plan.h"
#include "runtime/support/sanitizer.h"
#include "templates/fold/fields.h"
#include "templates/fold/judge/many_results.h"
#include "templates/fold/operators.h"
#include "templates/segments/judge/judge.h"
#include "templates/segments/space.h"
#include "templates/segments/work.cuh"
#include "tests/catch.h"
#include "tests/conformance/checker.h"
#include "tests/conformance/environment.h"
#include "tests/conformance/input.h"
#include "tests/support/batch_compiler.h"
#include "tests/support/segment_variants.h"

namespace foldtune::test {
namespace {

/// Elements of each input.
constexpr std::uint64_t kSegmentElements = 40'000;
constexpr std::size_t kMostSegments = 20'000;

struct Span {
  std::int64_t begin;
  std::int64_t end;
};

/// Segments of one call.
struct Segments {
  std::string name;
  std::uint64_t elements;  ///< of the input that the call may read
  std::vector<Span> spans;
};

/// Lengths at which kernels change their way.
std::int64_t draw_length(std::mt19937& random) {
  constexpr std::array<std::int64_t, 22> kEdges{
      0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 64, 100, 255, 257, 500, 513, 900, 2048, 2049, 4500};
  return kEdges[random() % kEdges.size()];
}

Segments in_order(std::mt19937& random, std::size_t most, std::string name,
                  const std::function<std::int64_t(std::size_t)>& length_of) {
  Segments segments{.name = std::move(name), .elements = kSegmentElements, .spans = {}};
  auto at = static_cast<std::int64_t>(random() % 7);
  while (segments.spans.size() < most) {
    const std::int64_t end = at + length_of(segments.spans.size());
    if (end > static_cast<std::int64_t>(kSegmentElements)) break;
    segments.spans.push_back({at, end});
    at = end;
  }
  return segments;
}

/// All kinds, each with at most so many segments.
std::vector<Segments> make_segments(std::mt19937& random, std::size_t most) {
  std::vector<Segments> all;
  all.push_back(in_order(random, most, "edges", [&](std::size_t) { return draw_length(random); }));
  all.push_back(in_order(random, most, "short",
                         [&](std::size_t) { return static_cast<std::int64_t>(random() % 9); }));
  all.push_back(
      in_order(random, most, "crowded", [&](std::size_t i) { return i % 300 < 200 ? 0 : 150; }));
  all.push_back(in_order(random, most, "one long", [&](std::size_t i) {
    return i == 5 ? 30'000 : i < 5 ? 3 : 40;
  }));
  Segments spread{
      .name = "out of order", .elements = kSegmentElements - random() % 100, .spans = {}};
  for (std::size_t i = 0; i < std::min<std::size_t>(most, 120); ++i) {
    const auto begin = static_cast<std::int64_t>(random() % kSegmentElements);
    spread.spans.push_back({begin - 20, begin + draw_length(random)});
  }
  all.push_back(spread);
  // More than the queue has room for: helpers are done long before the warp that folds the rest.
  Segments overlapping{.name = "overlapping", .elements = kSegmentElements, .spans = {}};
  for (std::size_t i = 0; i < std::min<std::size_t>(most, 40); ++i) {
    overlapping.spans.push_back({static_cast<std::int64_t>(i), kSegmentElements});
  }
  all.push_back(overlapping);
  Segments reversed{.name = "ends before begins", .elements = 100, .spans = {}};
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(std::min<std::size_t>(most, 40)); ++i) {
    reversed.spans.push_back({3 * i, i % 2 == 0 ? 3 * i - 2 : 3 * i + 2});
  }
  all.push_back(reversed);
  return all;
}

/// Calls the plans of one problem, one call after another, and compares.
class SegmentsChecker {
 public:
  SegmentsChecker(Device& device, SegmentReduction problem, Tally& tally)
      : device_(device),
        problem_(std::move(problem)),
        tally_(tally),
        bytes_(output_bytes_of_one(segment_reduction_of(Problem(problem_)).segment)),
        poison_(kMostSegments * bytes_ + 2 * kGuardBytes, kPoison),
        output_(device, poison_.size()),
        found_(poison_.size()),
        offsets_(device, 2 * kMostSegments * size_of(problem_.offsets)),
        inputs_(make_telling_inputs(device, one_of(0), kSegmentElements)) {
    if (overflows(one_of(kSegmentElements))) return;
    for (Input& special : make_special_inputs(device, one_of(0), kSpecials)) {
      special_.push_back(std::move(special));
    }
  }

  void run(const Variant& variant, const CompiledKernel& compiled, unsigned seed) {
    const Plan plan(device_, variant, compiled);
    ++tally_.variants;
    std::mt19937 random(seed);
    const Shape most = segments_family().max_shape(bucket_of(variant.workload));
    const DeviceBuffer scratch(device_, plan.max_scratch_bytes(most) + kGuardBytes);
    const std::vector<Segments> all =
        make_segments(random, std::min<std::size_t>(kMostSegments, most[segment_extent::segments]));
    for (int turn = 0; turn < 2; ++turn) {  // each twice, with others in between
      for (const Segments& segments : all) {
        call(plan, inputs_[random() % inputs_.size()], segments, scratch.data());
      }
    }
    tally_.cases += all.size();
    for (const Input& special : special_) {
      Segments segments{.name = "special", .elements = kSpecials, .spans = {{0, kSpecials}}};
      if (most[segment_extent::segments] > 2) {
        segments.spans.push_back({3, kSpecials});
        segments.spans.push_back({0, 0});
      }
      call(plan, special, segments, scratch.data());
    }
    check_scratch(plan, scratch.data(), plan.max_scratch_bytes(most));
  }

  /// What was wrong, the first few in words: empty if nothing was.
  std::string faults() const {
    return failures_ == 0 ? "" : fmt::format("{} faults:\n{}", failures_, messages_);
  }

 private:
  static constexpr std::uint64_t kSpecials = 37;

  Reduction one_of(std::uint64_t count) const {
    Reduction one = one_fold(problem_.segment);
    one.count = count;
    return one;
  }

  void call(const Plan& plan, const Input& input, const Segments& segments, void* scratch) {
    const std::size_t count = segments.spans.size();
    copy_offsets(segments);
    Call call{
        .shape = {{count, segments.elements}}, .arguments = {}, .inputs_ready = calls_++ % 2 == 1};
    const std::size_t inputs = problem_.segment.input_types().size();
    call.arguments[0] = static_cast<std::byte*>(output_.data()) + kGuardBytes;
    for (std::size_t i = 0; i < inputs; ++i) call.arguments[1 + i] = input.device(i);
    call.arguments[1 + inputs] = offsets_.data();
    call.arguments[2 + inputs] =
        static_cast<std::byte*>(offsets_.data()) + count * size_of(problem_.offsets);
    device_.copy(output_.data(), poison_.data(), poison_.size());
    plan.enqueue(call, scratch, nullptr);
    device_.synchronize(nullptr);
    device_.copy(found_.data(), output_.data(), found_.size());
    ++tally_.calls;
    compare(plan, input, segments);
  }

  /// Each call leaves all of it zero but the partial results.
  void check_scratch(const Plan& plan, const void* scratch, std::size_t bytes) {
    std::vector<std::byte> left(bytes);
    device_.copy(left.data(), scratch, bytes);
    const SegmentReduction reduction = segment_reduction_of(plan.variant().workload);
    const std::size_t slot = accumulator_bytes(reduction.segment, has_wide_numbers(reduction));
    const std::size_t chunks =
        (bytes - kSegmentHeaderBytes) / (sizeof(std::uint64_t) + slot + sizeof(std::uint32_t));
    const auto slots = left.begin() + static_cast<std::ptrdiff_t>(kSegmentHeaderBytes +
                                                                  chunks * sizeof(std::uint64_t));
    const auto arrivals = slots + static_cast<std::ptrdiff_t>(chunks * slot);
    const auto is_zero = [](std::byte byte) { return byte == std::byte{}; };
    if (!std::all_of(left.begin(), slots, is_zero) || !std::all_of(arrivals, left.end(), is_zero)) {
      fail(plan, "left its scratch not zero");
    }
  }

  void copy_offsets(const Segments& segments) {
    const std::size_t count = segments.spans.size();
    if (problem_.offsets == ElementType::i64) {
      std::vector<std::int64_t> offsets(2 * count);
      for (std::size_t i = 0; i < count; ++i) {
        offsets[i] = segments.spans[i].begin;
        offsets[count + i] = segments.spans[i].end;
      }
      device_.copy(offsets_.data(), offsets.data(), offsets.size() * sizeof(offsets[0]));
    } else {
      std::vector<std::int32_t> offsets(2 * count);
      for (std::size_t i = 0; i < count; ++i) {
        offsets[i] = static_cast<std::int32_t>(segments.spans[i].begin);
        offsets[count + i] = static_cast<std::int32_t>(segments.spans[i].end);
      }
      device_.copy(offsets_.data(), offsets.data(), offsets.size() * sizeof(offsets[0]));
    }
  }

  void compare(const Plan& plan, const Input& input, const Segments& segments) {
    const std::vector<ElementType> types = problem_.segment.input_types();
    SegmentReduction called = problem_;
    called.segments = segments.spans.size();
    called.elements = segments.elements;
    for (std::size_t i = 0; i < segments.spans.size(); ++i) {
      const std::int64_t begin = std::max<std::int64_t>(0, segments.spans[i].begin);
      const std::int64_t end =
          std::min(segments.spans[i].end, static_cast<std::int64_t>(segments.elements));
      const Reduction one =
          one_of(static_cast<std::uint64_t>(std::max<std::int64_t>(0, end - begin)));
      if (one.count == 0 && !has_empty_result(one.op)) continue;
      std::vector<const void*> addresses;
      for (std::size_t k = 0; k < types.size(); ++k) {
        addresses.push_back(static_cast<const std::byte*>(input.host(k)) +
                            static_cast<std::size_t>(begin) * size_of(types[k]));
      }
      const Reference reference = compute_reference(one, addresses);
      if (!stays_in_range(one, reference)) continue;
      const FoldShape shape =
          segment_fold_shape(called, segment_params(plan.variant().params), one.count);
      const std::string difference =
          find_one_difference(problem_.segment, found_.data() + kGuardBytes + i * bytes_, reference,
                              error_bound(one, shape, reference));
      if (!difference.empty()) {
        return fail(plan, fmt::format("{} of input \"{}\", result {} of {}, of {} elements: {}",
                                      segments.name, input.name(), i, segments.spans.size(),
                                      one.count, difference));
      }
    }
    const auto is_poison = [](std::byte byte) { return byte == kPoison; };
    const auto end =
        found_.begin() + static_cast<std::ptrdiff_t>(kGuardBytes + segments.spans.size() * bytes_);
    if (!std::all_of(found_.begin(), found_.begin() + kGuardBytes, is_poison) ||
        !std::all_of(end, found_.end(), is_poison)) {
      fail(plan, segments.name + ": wrote beside its results");
    }
  }

  void fail(const Plan& plan, const std::string& what) {
    if (++failures_ > kMessages) return;
    messages_ += fmt::format("  {}, {}: {}\n", to_string(plan.variant().workload),
                             to_json(plan.variant().params), what);
  }

  Device& device_;
  SegmentReduction problem_;
  Tally& tally_;
  std::size_t bytes_;  ///< of a result
  std::vector<std::byte> poison_;
  DeviceBuffer output_;
  std::vector<std::byte> found_;
  DeviceBuffer offsets_;
  std::vector<Input> inputs_;
  std::vector<Input> special_;
  std::uint64_t calls_ = 0;
  std::uint64_t failures_ = 0;
  std::string messages_;
};

/// Configurations of each problem.
std::size_t segment_variant_count(const Reduction& segment) {
  const Environment& environment = Environment::get();
  if (kThreadSanitizer) return is_representative(segment) ? 2 : 1;
  if (environment.options().all) return 24;
  if (environment.is_cuda()) return environment.options().quick ? 2 : 8;
  if (is_representative(segment)) return 3;
  return is_plain(segment) ? 1 : 0;
}

TEST_CASE("Results of segments are right for every list of segments, by every method",
          "[segments]") {
  constexpr int kSmallBlock = 64;
  constexpr int kLargestBlock = 1024;
  Environment& environment = Environment::get();
  std::vector<SegmentReduction> problems;
  std::vector<std::vector<Variant>> variants;
  std::vector<ProgramGroup> groups;
  for (const Reduction& listed : chosen_reductions()) {
    const std::size_t i = problems.size();
    problems.push_back(of_segments(listed, i % 2 == 1));
    INFO(to_string(Problem(problems[i])));
    CHECK(find_fault(Problem(problems[i])).empty());
    const std::size_t count = segment_variant_count(listed);
    variants.push_back(random_variants(problems[i], count, static_cast<unsigned>(i),
                                       kThreadSanitizer ? kSmallBlock : kLargestBlock));
    CHECK(variants.back().size() == count);
    std::ranges::move(group_by_program(variants.back()), std::back_inserter(groups));
  }
  const BatchCompiler compiler(environment.device().compiler(), std::move(groups));
  std::size_t program = 0;
  unsigned done = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (variants[i].empty()) continue;
    const auto begin = std::chrono::steady_clock::now();
    Tally& tally = environment.tally("segments " + describe_fold(one_fold(problems[i].segment)));
    SegmentsChecker checker(environment.device(), problems[i], tally);
    for (std::size_t called = 0; called < variants[i].size(); ++program) {
      const CompiledKernel compiled = compiler.get(program);
      ++tally.programs;
      for (const Variant& variant : compiler.groups()[program].variants) {
        checker.run(variant, compiled, done++);
        ++called;
      }
    }
    tally.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    INFO(checker.faults());
    CHECK(checker.faults().empty());
  }
  CHECK(done > 0);
}

}  // namespace
}  // namespace foldtune::test
