// Prints one translation unit with kernels of every problem instantiated, for compilers that take
// no name expressions: a few of each problem's covering sample, other ones for every problem.

#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>

#include "templates/axis/space.h"
#include "templates/catalog.h"
#include "templates/fold/many_folds.h"
#include "templates/fold/operators.h"
#include "templates/reduce/space.h"
#include "templates/segments/space.h"
#include "tests/support/axis_variants.h"
#include "tests/support/batch_compiler.h"
#include "tests/support/histogram_variants.h"
#include "tests/support/segment_variants.h"
#include "tests/support/variants.h"

namespace foldtune::test {
namespace {

/// The kernel's second template argument.
std::string output_of(const std::string& expression, const std::string& op) {
  const std::size_t begin = expression.find(op) + op.size() + std::string(", ").size();
  const std::string rest = expression.substr(begin);
  return rest.starts_with(op) ? op + "::Result" : rest.substr(0, rest.find_first_of(",>"));
}

/// The parameters of the kernel of a reduction that a name expression names.
std::string parameters(const std::string& expression, const Reduction& reduction) {
  const bool wide = takes_64_bits(reduction.count);
  const std::string output = output_of(expression, device_operator(reduction, wide));
  const std::string first = fmt::format("foldtune::InputPointers<{}>, foldtune::{}",
                                        reduction.input_types().size(), wide ? "uint64" : "uint32");
  if (expression.starts_with("foldtune::reduce<")) {
    return fmt::format("({}, {}*, void*, bool)", first, output);
  }
  if (expression.starts_with("foldtune::reduce_in_order<")) {
    return fmt::format("({}, foldtune::uint32, {}*, void*, bool)", first, output);
  }
  if (expression.starts_with("foldtune::store_identity<")) return fmt::format("({}*)", output);
  return fmt::format("(void*, foldtune::uint32, foldtune::uint64, {}*)", output);
}

/// Those of the kernel of a histogram.
std::string parameters(const std::string& expression, const HistogramWorkload& histogram) {
  const std::string_view counter = device_name(histogram.counter);
  if (expression.starts_with("foldtune::zero_bins<")) return fmt::format("({}*)", counter);
  if (expression.starts_with("foldtune::zero_bins_of_rows<")) {
    return fmt::format("({}*, foldtune::uint64)", counter);
  }
  return fmt::format(
      "(const {}*, foldtune::{}, {}foldtune::BinRange, {}*, void*, bool)",
      device_name(histogram.type), takes_64_bits(histogram.count) ? "uint64" : "uint32",
      histogram.has_many_rows() ? "foldtune::uint64, foldtune::int64, " : "", counter);
}

/// Those of the kernel of a reduction along axes.
std::string parameters(const AxisReduction& reduction) {
  const std::string output = device_output(
      reduction.row, device_operator(reduction.row, has_wide_numbers(reduction.shape)));
  return fmt::format(
      "(foldtune::InputPointers<{}>, foldtune::AxisShape, foldtune::AxisWork, {}*, void*, bool)",
      reduction.row.input_types().size(), output);
}

/// Those of the kernel of a reduction of segments.
std::string parameters(const SegmentReduction& reduction) {
  const std::string_view offset = device_name(reduction.offsets);
  return fmt::format(
      "(foldtune::InputPointers<{}>, const {}*, const {}*, foldtune::SegmentWork, {}*, void*, "
      "bool)",
      reduction.segment.input_types().size(), offset, offset,
      device_output(reduction.segment,
                    device_operator(reduction.segment, has_wide_numbers(reduction))));
}

std::string parameters(const std::string& expression, const Workload& workload) {
  const Family& family = workload.problem.family();
  if (&family == &reduce_family()) return parameters(expression, reduction_of(workload));
  if (&family == &axis_family()) return parameters(axis_reduction_of(workload));
  if (&family == &segments_family()) return parameters(segment_reduction_of(workload));
  return parameters(expression, histogram_of(workload));
}

/// Every reduction, and the sums of floating-point numbers in a fixed order as well.
std::vector<Reduction> reductions() {
  std::vector<Reduction> result = all_reductions();
  for (Reduction reduction : all_reductions()) {
    reduction.determinism = Determinism::config_independent;
    if (has_fixed_order(reduction)) result.push_back(reduction);
  }
  return result;
}

/// One variant of each problem.
std::vector<Variant> choose_variants() {
  std::vector<Variant> result;
  for (const Reduction& reduction : reductions()) {
    const std::vector<Variant> sample = covering_variants(reduction);
    result.push_back(some_of(sample, 1, result.size()).front());
  }
  for (const HistogramWorkload& histogram : all_histograms()) {
    result.push_back(
        random_variants(with_rows_in_turn(histogram, result.size()), 1, result.size()).front());
  }
  for (const AxisReduction& reduction : all_axis_reductions()) {
    result.push_back(random_variants(reduction, 1, result.size()).front());
  }
  for (const SegmentReduction& reduction : all_segment_reductions()) {
    result.push_back(random_variants(reduction, 1, result.size()).front());
  }
  return result;
}

void write_instances() {
  std::set<std::string> instances;
  std::set<std::string> sources;
  for (const ProgramGroup& group : group_by_program(choose_variants())) {
    sources.insert(group.program.source);
    for (const std::string& expression : group.program.name_expressions) {
      instances.insert(expression + parameters(expression, group.variants.front().workload));
    }
  }
  fmt::print("// {} kernels. Generated by tests/templates/write_instances.cpp.\n",
             instances.size());
  for (const std::string& source : sources) fmt::print("{}", source);
  for (const std::string& instance : instances) fmt::print("template void {};\n", instance);
}

}  // namespace
}  // namespace foldtune::test

int main() { foldtune::test::write_instances(); }
