// The reductions of segments: of many lengths, and of lengths that differ much.
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases.h"
#include "foldtune/segment_reduction.h"

namespace foldtune::bench {
namespace {

using enum ElementType;

constexpr std::uint64_t kTotal = 1 << 26;

/// `kTotal` elements in segments of each length, on average.
std::vector<Shape> shapes_of_means(std::initializer_list<std::uint64_t> means) {
  std::vector<Shape> shapes;
  for (const std::uint64_t mean : means) shapes.push_back({{kTotal / mean, kTotal}});
  return shapes;
}

Case segments(Operator op, ElementType type, SegmentLengths lengths, std::vector<Shape> shapes,
              std::uint64_t elements = kTotal) {
  return {.name = fmt::format("{} {} {}", name(op), name(type), name(lengths)),
          .workload =
              Workload(SegmentReduction{.segment = {.op = op, .type = type}, .lengths = lengths}),
          .shapes = std::move(shapes),
          .direction = std::string(name(lengths)),
          .elements = elements};
}

}  // namespace

std::vector<Case> segment_cases() {
  using enum SegmentLengths;
  constexpr Shape kEqual{{1024, 1024 * 1000}};
  std::vector<Case> cases{
      segments(Operator::sum, f32, uniform, shapes_of_means({4, 16, 64, 256, 1000, 16384})),
      segments(Operator::sum, f32, power_law, {{{8587, kTotal}}}),
      segments(Operator::sum, f32, one_long, {{{524289, kTotal}}}),
      segments(Operator::sum, f32, mostly_empty, shapes_of_means({64})),
      segments(Operator::sum, f32, equal, {kEqual}, kEqual[1]),
  };
  for (const Operator op : {Operator::max, Operator::argmax, Operator::variance}) {
    cases.push_back(segments(op, f32, uniform, shapes_of_means({16, 256, 16384})));
  }
  cases.push_back(segments(Operator::sum, bf16, uniform, shapes_of_means({16, 1000})));
  return cases;
}

}  // namespace foldtune::bench
