#include "tuner/session/ladder.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "templates/histogram/space.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

using enum BlockStage;
using enum FinalStage;
using How = std::variant<Config, LibraryFunction, NotLinked>;

constexpr std::uint64_t kMega = 1 << 20;

const Problem kSum{.determinism = Determinism::any};

Problem over(Operator op, ElementType type = ElementType::f32) {
  return {.op = op, .type = type, .determinism = Determinism::any};
}

const NotLinked kPyTorch{"PyTorch is not linked: bench/run.py measures it"};

/// The common shape of the textbooks' kernels: 256 threads, an element per thread.
Config textbook(BlockStage block_stage, FinalStage final_stage, int waves = 0, int unroll = 1) {
  return ReduceParams{.block_size = 256,
                      .vector_width = 1,
                      .unroll = unroll,
                      .block_stage = block_stage,
                      .final_stage = final_stage,
                      .waves = waves};
}

/// 16-byte loads.
Config vectors(BlockStage block_stage, FinalStage final_stage, int waves = 1, int unroll = 4) {
  return ReduceParams{.block_size = 256,
                      .vector_width = 4,
                      .unroll = unroll,
                      .block_stage = block_stage,
                      .final_stage = final_stage,
                      .waves = waves};
}

Config by_single_thread() {
  return ReduceParams{
      .block_size = 32, .vector_width = 1, .unroll = 1, .block_stage = single_thread};
}

Config of_block_size(int block_size) {
  return ReduceParams{.block_size = block_size,
                      .vector_width = 1,
                      .unroll = 2,
                      .block_stage = tree_shuffle,
                      .final_stage = two_pass,
                      .waves = 1};
}

Config counting(BinPrivacy privacy) {
  return HistogramParams{.block_size = 256,
                         .vector_width = 16,
                         .unroll = 1,
                         .privacy = privacy,
                         .finish = HistogramFinal::zero_first,
                         .blocks_per_multiprocessor = 8};
}

/// The operator of the user's own: the range that the elements span.
Problem custom_range() {
  Problem problem = make_problem(
      CustomOperator{.name = "range",
                     .accumulator = {{.name = "low", .type = ElementType::f32},
                                     {.name = "high", .type = ElementType::f32}},
                     .identity = "Accumulator{3e38f, -3e38f}",
                     .map = "Accumulator{x, x}",
                     .combine = "Accumulator{fminf(a.low, b.low), fmaxf(a.high, b.high)}",
                     .finish = "a.high - a.low"});
  problem.determinism = Determinism::any;
  return problem;
}

Problem bytes_histogram() {
  Problem problem = over(Operator::histogram, ElementType::u8);
  problem.accumulator = ElementType::u32;
  problem.histogram = {.bins = 256, .binning = Binning::key};
  return problem;
}

/// Collects the kernels of a section.
class Section {
 public:
  Section(char letter, const LadderOptions& options, std::vector<LadderKernel>& kernels)
      : letter_(letter), fixed_count_(options.count), kernels_(kernels) {}

  /// At each of the sizes, or at the one that was asked for.
  void add(std::string_view name, const Problem& problem, std::span<const std::uint64_t> counts,
           const How& how, std::string_view published = "") {
    const std::span<const std::uint64_t> fixed(&fixed_count_, 1);
    for (const std::uint64_t count : fixed_count_ == 0 ? counts : fixed) {
      LadderKernel kernel{.section = letter_,
                          .name = std::string(name),
                          .problem = problem,
                          .how = how,
                          .published = std::string(published)};
      kernel.problem.count = count;
      kernels_.push_back(std::move(kernel));
    }
  }

 private:
  char letter_;
  std::uint64_t fixed_count_;
  std::vector<LadderKernel>& kernels_;
};

void add_naive_to_optimized(Section section) {
  constexpr std::array kFloats{16 * kMega, 64 * kMega};
  constexpr std::array kBytes{256 * kMega};
  const auto sum = [&](std::string_view name, const How& how, std::string_view published = "") {
    section.add(name, kSum, kFloats, how, published);
  };
  sum("V0 single thread", by_single_thread(), "10 GB/s, 0.5%");
  sum("V1 interleaved", textbook(interleaved, two_pass), "210 GB/s");
  sum("V2 sequential", textbook(tree, two_pass), "380 GB/s");
  sum("V3 first add", textbook(tree, two_pass, 0, 2), "620 GB/s");
  sum("V4 warp unroll", textbook(tree_shuffle, two_pass, 0, 2), "1180 GB/s");
  sum("V5 full shuffle", textbook(shuffle, two_pass, 1), "1720 GB/s, 88.9%");
  sum("vectorized", vectors(shuffle, atomic, 0, 1));
  sum("two-pass", vectors(shuffle, two_pass));
  sum("atomic", vectors(shuffle, atomic));
  sum("CUB DeviceReduce", LibraryFunction{"cub::DeviceReduce"}, "1810 GB/s, 93.5%");
  sum("CUB BlockReduce", vectors(cub_block, two_pass));
  sum("CUB WarpReduce", vectors(cub_warp, two_pass));
  section.add("max", over(Operator::max), kFloats, vectors(shuffle, two_pass));
  section.add("argmax", over(Operator::argmax), kFloats, vectors(shuffle, two_pass));
  section.add("generic operator", custom_range(), kFloats, vectors(shuffle, two_pass));
  const auto histogram = [&](std::string_view name, const How& how, std::string_view published) {
    section.add(name, bytes_histogram(), kBytes, how, published);
  };
  histogram("histogram, global", counting(BinPrivacy::global), "42 GB/s");
  histogram("histogram, per block", counting(BinPrivacy::block), "380 GB/s");
  histogram("histogram, per warp", counting(BinPrivacy::warp), "520 GB/s");
  histogram("histogram, CUB", LibraryFunction{"cub::DeviceHistogram"}, "580 GB/s");
}

void add_dot_product(Section section) {
  constexpr std::array kCounts{kMega};
  const auto dot = [&](std::string_view name, const How& how, std::string_view published = "") {
    section.add(name, over(Operator::dot), kCounts, how, published);
  };
  dot("atomic per element", textbook(none, atomic), "5.2 GFLOPS");
  dot("shuffle, atomic per warp", textbook(warp, atomic));
  dot("tree + shuffle, atomic", textbook(tree_shuffle, atomic));
  dot("two-phase", textbook(tree_shuffle, two_pass));
  dot("vectorized", vectors(shuffle, atomic, 0, 1));
  dot("optimized", vectors(shuffle, two_pass, 1, 1), "520 GFLOPS, 3.8 us, 95% of cuBLAS");
  dot("cublasSdot", LibraryFunction{"cublasSdot"});
}

/// A row of the study, with its times in milliseconds at the largest size.
struct StudyRow {
  std::string_view name;
  How how;
  std::string_view f32_ms;
  std::string_view i32_ms;
};

/// Of the sizes of the study the three that say most.
constexpr std::array<std::uint64_t, 3> kStudyCounts{1 << 16, 1 << 20, 1 << 25};

/// One where a size was asked for.
std::span<const std::uint64_t> study_counts(const LadderOptions& options) {
  return std::span(kStudyCounts).last(options.count == 0 ? kStudyCounts.size() : 1);
}

void add_study(Section section, std::span<const std::uint64_t> counts) {
  const ReduceParams two_elements{.block_size = 256,
                                  .vector_width = 1,
                                  .unroll = 2,
                                  .tile_layout = TileLayout::split,
                                  .block_stage = tree_cooperative_groups,
                                  .final_stage = atomic};
  const std::array rows{
      StudyRow{"Torch sum", kPyTorch, "0.207872", "0.946176"},
      StudyRow{"atomic per element", textbook(none, atomic), "55.927807", "0.617472"},
      StudyRow{"atomic in shared memory", textbook(shared_atomic, atomic), "3.020992", "0.187392"},
      StudyRow{"tree", textbook(tree, atomic), "0.399360", "0.401408"},
      StudyRow{"tree + shuffle", textbook(tree_shuffle, atomic), "0.248832", "0.253952"},
      StudyRow{"tree + unrolled", textbook(tree_unrolled, atomic), "0.233472", "0.237568"},
      StudyRow{"tree + groups", textbook(tree_cooperative_groups, atomic), "0.229376", "0.217088"},
      StudyRow{"groups, 2 elements", Config(two_elements), "0.187392", "0.187392"},
      StudyRow{"CUB BlockReduce", textbook(cub_block, atomic), "0.228352", "0.188416"}};
  for (const ElementType type : {ElementType::f32, ElementType::i32}) {
    Problem problem = over(Operator::sum, type);
    problem.accumulator = type;
    for (const StudyRow& row : rows) {
      const std::string published =
          std::string(type == ElementType::f32 ? row.f32_ms : row.i32_ms) + " ms";
      for (const std::uint64_t count : counts) {
        const bool is_largest = count == counts.back();
        section.add(row.name, problem, std::array{count}, row.how, is_largest ? published : "");
      }
    }
  }
}

void add_contest(Section section) {
  constexpr std::array kCounts{16 * kMega};
  const auto sum = [&](std::string_view name, const How& how) {
    section.add(name, kSum, kCounts, how);
  };
  sum("single thread", by_single_thread());
  sum("grid-stride coalesced", textbook(none, atomic, 1));
  sum("warp shuffle", textbook(warp, atomic, 1));
  sum("shared memory, atomic", textbook(shuffle, atomic, 4));
  sum("16-byte loads", vectors(shuffle, atomic, 4, 1));
  sum("unrolled loop", textbook(shuffle, atomic, 4, 4));
  sum("two-pass", textbook(shuffle, two_pass, 4));
  sum("torch.sum", kPyTorch);
}

void add_guide(Section section) {
  constexpr std::array kCounts{16 * kMega};
  constexpr std::array kOddCounts{16 * kMega - 3};
  for (const Operator op : {Operator::sum, Operator::max, Operator::min}) {
    const auto add = [&](std::string_view kernel, const How& how, std::string_view published = "") {
      section.add(kernel, over(op), kCounts, how, op == Operator::sum ? published : "");
    };
    add("naive interleaved", textbook(interleaved, two_pass), "2.8 ms, 85 GB/s");
    add("optimized", of_block_size(256), "0.12 ms, 92%");
    add("cooperative groups", textbook(cooperative_groups, two_pass, 1, 2));
    add("atomic combine", textbook(tree_shuffle, atomic, 1, 2));
  }
  const auto claim = [&](std::string_view name, const How& how) {
    section.add(name, kSum, kCounts, how);
  };
  claim("optimized, 128 threads", of_block_size(128));
  claim("optimized, 512 threads", of_block_size(512));
  claim("optimized, 1024 threads", of_block_size(1024));
  claim("large grid, two-pass", textbook(tree_shuffle, two_pass, 0, 2));
  claim("large grid, atomic", textbook(tree_shuffle, atomic, 0, 2));
  section.add("odd size", kSum, kOddCounts, of_block_size(256));
}

}  // namespace

std::string_view ladder_section_title(char section) {
  switch (section) {
    case 'A':
      return "From naive to warp-optimized (published on an A100-80GB)";
    case 'B':
      return "Dot product";
    case 'C':
      return "Reduction study (published on an RTX A6000)";
    case 'D':
      return "Vector sum, a competition entry (on an L4)";
    default:
      return "Reduction guide";
  }
}

std::vector<LadderKernel> make_ladder(const LadderOptions& options) {
  std::vector<LadderKernel> kernels;
  for (const char letter : kLadderSections) {
    if (options.sections.find(letter) == std::string::npos) continue;
    const Section section(letter, options, kernels);
    if (letter == 'A') add_naive_to_optimized(section);
    if (letter == 'B') add_dot_product(section);
    if (letter == 'C') add_study(section, study_counts(options));
    if (letter == 'D') add_contest(section);
    if (letter == 'E') add_guide(section);
  }
  return kernels;
}

}  // namespace foldtune
