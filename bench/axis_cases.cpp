// The reductions along axes: rows and columns of many lengths, and shapes that models have.
#include <fmt/format.h>

#include <utility>

#include "bench/cases.h"
#include "bench/report.h"
#include "foldtune/axis_reduction.h"

namespace foldtune::bench {
namespace {

using enum ElementType;

constexpr Operator kOperators[] = {Operator::sum,      Operator::max,       Operator::argmax,
                                   Operator::variance, Operator::logsumexp, Operator::nrm2};
constexpr ElementType kTypes[] = {f32, bf16, f16, u8, i32, f64};

constexpr std::uint64_t kTotals[] = {1 << 26, 1 << 20};
constexpr std::uint64_t kLengths[] = {2,    3,    4,     8,     16,      17,     31,  32,
                                      33,   64,   100,   127,   128,     256,    500, 1000,
                                      1024, 4096, 16384, 65536, 1 << 18, 1 << 20};
constexpr std::size_t kFewerLengths = 3;  ///< other types than f32 have every third

using MakeShape = Shape (*)(std::uint64_t results, std::uint64_t length);

Shape make_rows(std::uint64_t results, std::uint64_t length) { return {{1, 1, results, length}}; }
Shape make_columns(std::uint64_t results, std::uint64_t length) {
  return {{1, length, results, 1}};
}

/// `total` elements in results of each length. A single column is a row.
std::vector<Shape> shapes_of(MakeShape make, ElementType type, std::uint64_t total) {
  std::vector<Shape> shapes;
  const std::size_t step = type == f32 ? 1 : kFewerLengths;
  for (std::size_t i = 0; i < std::size(kLengths); i += step) {
    const std::uint64_t results = total / kLengths[i];
    if (results > 1 || make == make_rows) shapes.push_back(make(results, kLengths[i]));
  }
  return shapes;
}

/// Those that can be computed.
void append(std::vector<Case>& cases, Operator op, ElementType type, std::string direction,
            std::vector<Shape> shapes, std::uint64_t elements = 0) {
  const AxisReduction reduction{.row = {.op = op, .type = type}};
  if (!find_fault(Problem(reduction)).empty()) return;
  std::string text = fmt::format("{} {} {}", name(op), name(type), direction);
  if (elements > 0) text += ' ' + format_elements(elements);
  cases.push_back({.name = std::move(text),
                   .workload = reduction,
                   .shapes = std::move(shapes),
                   .direction = std::move(direction),
                   .elements = elements});
}

}  // namespace

std::vector<Case> axis_cases() {
  std::vector<Case> cases;
  for (const ElementType type : kTypes) {
    for (const Operator op : kOperators) {
      for (const std::uint64_t total : kTotals) {
        append(cases, op, type, "rows", shapes_of(make_rows, type, total), total);
        append(cases, op, type, "columns", shapes_of(make_columns, type, total), total);
      }
    }
  }
  const std::vector<Shape> logits{make_rows(1, 151936), make_rows(8, 151936), make_rows(32, 151936),
                                  make_rows(1024, 151936), make_rows(2048, 32000)};
  for (const ElementType type : {f32, bf16}) {
    for (const Operator op : {Operator::argmax, Operator::logsumexp}) {
      append(cases, op, type, "vocabulary", logits);
    }
  }
  const std::vector<Shape> middles{
      {{64, 1024, 1024, 1}}, {{4096, 128, 128, 1}}, {{7, 1000, 333, 1}}, {{2, 32768, 1024, 1}}};
  // Images of 256 x 64 x 56 x 56 and 32 x 256 x 14 x 14, over all but their channels.
  const std::vector<Shape> images{{{1, 256, 64, 56 * 56}}, {{1, 32, 256, 14 * 14}}};
  for (const Operator op : {Operator::sum, Operator::variance}) {
    append(cases, op, f32, "middle", middles);
    append(cases, op, f32, "batch_norm", images);
  }
  return cases;
}

}  // namespace foldtune::bench
