#include "templates/family.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "foldtune/segment_reduction.h"
#include "templates/catalog.h"
#include "templates/fold/custom_source.h"
#include "templates/fold/fields.h"
#include "templates/fold/many_folds.h"
#include "templates/fold/operators.h"
#include "templates/segments/fields.h"
#include "templates/segments/launcher.h"
#include "templates/segments/space.h"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr std::string_view kExtents[] = {"segments", "elements"};
constexpr std::string_view kParts = "of segments";

std::string segment_lines(Operator op) {
  std::string lines = "#include \"templates/segments/segments.cuh\"\n";
  if (op != Operator::custom) lines += fmt::format("#include \"{}\"\n", operator_file(op));
  return lines;
}

std::vector<Field> make_fields() {
  const auto of_folds = fold_fields();
  std::vector<Field> fields(of_folds.begin(), of_folds.end());
  fields.push_back({.name = "offsets",
                    .meaning = "Type of the offsets of segments, i32 or i64",
                    .labels = element_type_names(),
                    .fallback = static_cast<int>(ElementType::i32),
                    .apart = 0,
                    .place = fields.size()});
  fields.push_back({.name = "lengths",
                    .meaning = "How long segments are expected to be",
                    .labels = segment_lengths_names(),
                    .fallback = static_cast<int>(SegmentLengths::uniform),
                    .apart = 1,
                    .place = fields.size()});
  return fields;
}

class SegmentsFamily final : public Family {
 public:
  std::string_view name() const override { return "segments"; }

  std::span<const Field> fields() const override { return segment_fields(); }
  void complete(Problem& problem) const override { complete_folds(problem); }
  std::string find_fault(const Problem& problem) const override {
    const ElementType offsets = segment_reduction_of(problem).offsets;
    if (offsets != ElementType::i32 && offsets != ElementType::i64) {
      return fmt::format("offsets of segments are i32 or i64, not {}", foldtune::name(offsets));
    }
    return find_folds_fault(fold_of(problem), kParts);
  }
  std::string describe(const Problem& problem) const override {
    const SegmentReduction reduction = segment_reduction_of(problem);
    std::string text = describe_folds(reduction.segment, kParts);
    if (reduction.lengths != SegmentLengths::uniform) {
      text += fmt::format(" ({})", foldtune::name(reduction.lengths));
    }
    if (reduction.offsets != ElementType::i32) text += " by i64 offsets";
    return text;
  }
  std::string text(const Problem& problem, const Field& field) const override {
    return fold_text(problem, field);
  }
  bool parse(Problem& problem, const Field& field, std::string_view text) const override {
    return parse_fold(problem, field, text);
  }

  std::span<const std::string_view> extents() const override { return kExtents; }
  std::string find_fault(const Problem& problem, const Shape& shape) const override {
    for (std::size_t i = 0; i < std::size(kExtents); ++i) {
      if (shape[i] > kMaxCount) {
        return fmt::format("{} {} are more than the most, 2^40", shape[i], kExtents[i]);
      }
    }
    const std::uint64_t elements = shape[segment_extent::elements];
    const bool is_narrow = problem.get(offsets_field()) == static_cast<int>(ElementType::i32);
    if (is_narrow && elements > INT32_MAX) {
      return fmt::format("offsets of i32 do not reach {} elements: ask for i64", elements);
    }
    return find_number_fault(problem, elements);
  }

  std::vector<Argument> arguments(const Problem& problem) const override {
    const SegmentReduction reduction = segment_reduction_of(problem);
    std::vector<Argument> arguments = folds_arguments(reduction.segment);
    for (const std::string_view offsets : {"begins", "ends"}) {
      arguments.push_back({.name = offsets,
                           .type = reduction.offsets,
                           .element_bytes = size_of(reduction.offsets),
                           .alignment = size_of(reduction.offsets),
                           .is_table = true,
                           .follows_shape = true});
    }
    return arguments;
  }
  std::uint64_t elements(const Problem& problem, std::size_t argument,
                         const Shape& shape) const override {
    const std::size_t inputs = fold_of(problem).input_types().size();
    const bool is_input = argument > 0 && argument <= inputs;
    return shape[is_input ? segment_extent::elements : segment_extent::segments];
  }

  std::span<const Tunable> tunables() const override { return segment_tunables(); }
  bool is_valid(const Workload& workload, const Config& config) const override {
    return foldtune::is_valid(segment_reduction_of(workload), segment_params(config));
  }
  bool is_searched(const Workload& workload, const Config& config) const override {
    return foldtune::is_searched(segment_reduction_of(workload), segment_params(config));
  }
  Config fallback(const Workload& workload, int multiprocessor_count) const override {
    return default_segment_params(segment_reduction_of(workload), multiprocessor_count);
  }

  std::string include_lines(const Problem& problem) const override {
    return segment_lines(fold_of(problem).op);
  }
  std::vector<std::string> all_include_lines() const override {
    std::vector<std::string> all{segment_lines(Operator::custom)};
    for (const Operator op : operators()) all.push_back(segment_lines(op));
    return all;
  }
  Program program(const Variant& variant) const override {
    const SegmentReduction reduction = segment_reduction_of(variant.workload);
    const bool is_wide = has_wide_numbers(reduction);
    const std::string op = device_operator(reduction.segment, is_wide);
    Program program;
    // What is long is folded at one of two places, and either may be fused or not.
    program.fuses_multiply_add = reduction.segment.determinism == Determinism::any;
    program.source = segment_lines(reduction.segment.op);
    if (reduction.segment.op == Operator::custom) {
      program.source += custom_source(*reduction.segment.custom);
    }
    program.name_expressions.push_back(fmt::format(
        "foldtune::fold_segments<{}, {}, {}, {}, {}>", op, device_output(reduction.segment, op),
        device_name(reduction.offsets), is_wide ? "foldtune::uint64" : "foldtune::uint32",
        to_template_argument("foldtune::SegmentParams", variant.params)));
    return program;
  }
  std::unique_ptr<Launcher> launcher(const Variant& variant,
                                     const KernelFacts& facts) const override {
    const SegmentParams params = segment_params(variant.params);
    return std::make_unique<SegmentLauncher>(
        segment_reduction_of(variant.workload), params,
        facts.resident_blocks(static_cast<std::uint32_t>(params.block_size)));
  }
};

}  // namespace

std::span<const Field> segment_fields() {
  static const std::vector<Field> fields = make_fields();
  return fields;
}
const Field& offsets_field() { return segment_fields()[fold_fields().size()]; }
const Field& lengths_field() { return segment_fields()[fold_fields().size() + 1]; }

const Family& segments_family() {
  static const SegmentsFamily family;
  return family;
}

}  // namespace foldtune
