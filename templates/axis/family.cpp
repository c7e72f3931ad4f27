#include "templates/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "foldtune/axis_reduction.h"
#include "templates/axis/launcher.h"
#include "templates/axis/merge.h"
#include "templates/axis/space.h"
#include "templates/axis/strides.h"
#include "templates/catalog.h"
#include "templates/fold/custom_source.h"
#include "templates/fold/fields.h"
#include "templates/fold/many_folds.h"
#include "templates/fold/operators.h"
#include "templates/hardware.h"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr std::string_view kExtents[] = {"outer", "reduced", "inner", "innermost"};
constexpr std::string_view kLayouts[] = {"vector", "element", "pitched_vector", "pitched",
                                         "strided"};
constexpr std::size_t kFirstInput = 1;
constexpr std::string_view kParts = "along an axis";

Operator op_of(const Problem& problem) {
  return static_cast<Operator>(problem.get(fold_fields()[fold_field::op]));
}

/// Bytes of an element of each input. Calls ask for them: nothing is allocated.
struct InputSizes {
  explicit InputSizes(const Problem& problem) {
    if (problem.custom() != nullptr) {
      for (const ElementType type : problem.custom()->inputs) bytes[count++] = size_of(type);
      return;
    }
    const auto type = static_cast<ElementType>(problem.get(fold_fields()[fold_field::type]));
    count = static_cast<std::size_t>(input_count(op_of(problem)));
    std::ranges::fill(bytes, size_of(type));
  }

  std::array<std::size_t, kMaxInputs> bytes{};
  std::size_t count = 0;
};

std::string axis_lines(Operator op) {
  std::string lines = "#include \"templates/axis/axis.cuh\"\n";
  if (op != Operator::custom) lines += fmt::format("#include \"{}\"\n", operator_file(op));
  return lines;
}

std::string_view layout_name(AxisLayout layout) {
  switch (layout) {
    case AxisLayout::vector:
      return "foldtune::AxisLayout::vector";
    case AxisLayout::element:
      return "foldtune::AxisLayout::element";
    case AxisLayout::strided:
      break;
  }
  return "foldtune::AxisLayout::strided";
}

std::string_view rows_name(ResultRows rows) {
  switch (rows) {
    case ResultRows::one:
      return "foldtune::ResultRows::one";
    case ResultRows::in_turn:
      return "foldtune::ResultRows::in_turn";
    case ResultRows::joined:
      break;
  }
  return "foldtune::ResultRows::joined";
}

Program make_axis_program(const Variant& variant) {
  const AxisReduction reduction = axis_reduction_of(variant.workload);
  AxisParams params = axis_params(variant.params);
  params.splits = 1;  // shapes the launch alone, as do waves
  params.waves = 0;
  const bool is_wide = has_wide_numbers(reduction.shape);
  const std::string op = device_operator(reduction.row, is_wide);
  const std::string output = device_output(reduction.row, op);
  const std::string_view index = is_wide ? "foldtune::uint64" : "foldtune::uint32";
  const std::string_view layout = layout_name(device_layout(reduction.alignment));
  const std::string seen = to_template_argument("foldtune::AxisParams", params);
  Program program;
  program.source = axis_lines(reduction.row.op);
  if (reduction.row.op == Operator::custom) {
    program.source += custom_source(*reduction.row.custom);
  }
  switch (params.method) {
    case AxisMethod::rows:
      program.name_expressions.push_back(
          fmt::format("foldtune::fold_along_rows<{}, foldtune::{}Warp<{}>, {}, {}, {}, {}, {}>", op,
                      has_warp_fold(reduction.row) ? "Redux" : "Shuffle", op, output, index, layout,
                      rows_name(result_rows(reduction, params)), seen));
      break;
    case AxisMethod::staged:
      program.name_expressions.push_back(fmt::format("foldtune::fold_staged_rows<{}, {}, {}, {}>",
                                                     op, output, reads_staged_vectors(reduction),
                                                     seen));
      break;
    case AxisMethod::strips:
      program.name_expressions.push_back(fmt::format("foldtune::fold_strips<{}, {}, {}, {}, {}>",
                                                     op, output, index, layout, seen));
      break;
    case AxisMethod::lines:
      program.name_expressions.push_back(
          fmt::format("foldtune::fold_lines<{}, {}, {}, {}, {}>", op, output, index, layout, seen));
      break;
  }
  return program;
}

std::vector<Argument> axis_arguments(const Reduction& row) {
  std::vector<Argument> arguments = folds_arguments(row);
  arguments.push_back({.name = "strides",
                       .access = Access::scalar,
                       .type = ElementType::i64,
                       .element_bytes = sizeof(AxisStrides),
                       .alignment = alignof(AxisStrides)});
  return arguments;
}

/// Whether a step of `stride` elements, of which there are `extent`, is one of whole vectors.
bool is_of_vectors(std::uint64_t extent, std::int64_t stride, std::size_t bytes) {
  return extent <= 1 || static_cast<std::uint64_t>(stride) * bytes % kMaxLoadBytes == 0;
}

class AxisFamily final : public Family {
 public:
  std::string_view name() const override { return "axis"; }

  std::span<const Field> fields() const override { return fold_fields(); }
  void complete(Problem& problem) const override { complete_folds(problem); }
  std::string find_fault(const Problem& problem) const override {
    return find_folds_fault(fold_of(problem), kParts);
  }
  std::string describe(const Problem& problem) const override {
    return describe_folds(fold_of(problem), kParts);
  }
  std::string text(const Problem& problem, const Field& field) const override {
    return fold_text(problem, field);
  }
  bool parse(Problem& problem, const Field& field, std::string_view text) const override {
    return parse_fold(problem, field, text);
  }

  std::span<const std::string_view> extents() const override { return kExtents; }
  std::string find_fault(const Problem& problem, const Shape& shape) const override {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : shape.extents) {
      if (extent > kMaxCount || (extent > 0 && product > kMaxCount / extent)) {
        return fmt::format("{} x {} x {} x {} elements are more than the most, 2^40", shape[0],
                           shape[1], shape[2], shape[3]);
      }
      product *= std::max<std::uint64_t>(extent, 1);
    }
    return find_number_fault(problem, row_count(shape));
  }
  std::string find_call_fault(const Problem& problem, const Shape& shape) const override {
    if (std::string fault = find_fault(problem, shape); !fault.empty()) return fault;
    const Operator op = op_of(problem);
    if (row_count(shape) > 0 || result_count(shape) == 0 || has_empty_result(op)) return {};
    return fmt::format("rows without elements: there is no {} of nothing", foldtune::name(op));
  }

  bool has_axes() const override { return true; }
  Shape merged_shape(const Problem& problem, std::span<const std::uint64_t> extents,
                     std::span<const int> axes, std::string& fault) const override {
    if (extents.size() > kMaxRank) {
      fault = fmt::format("{} extents: an array has at most {}", extents.size(), kMaxRank);
      return {};
    }
    const ArrayView view = c_order_view(extents);
    return merge_axes(view, axes, results_of(view, axes), numbers_elements(op_of(problem)), fault)
        .shape;
  }

  std::span<const std::string_view> layouts() const override { return kLayouts; }
  int layout(const Problem& problem, const Call& call) const override {
    const InputSizes sizes(problem);
    const Shape& shape = call.shape;
    const auto* const said =
        static_cast<const AxisStrides*>(call.arguments[kFirstInput + sizes.count]);
    const AxisStrides strides = said != nullptr ? *said : dense_strides(shape);
    const std::size_t lines_end = has_rows(shape) ? 4 : 3;  // extents from the innermost on
    const auto is_step = [&](std::size_t i, std::int64_t step) {
      return shape[i] <= 1 || strides.input[i] == step;
    };
    if (!is_step(lines_end - 1, 1)) return static_cast<int>(AxisAlignment::strided);
    bool is_dense = true;
    std::int64_t step = 1;
    for (std::size_t i = lines_end; i-- > 0;) {
      is_dense = is_dense && is_step(i, step);
      step *= static_cast<std::int64_t>(shape[i]);
    }
    bool is_aligned = true;
    for (std::size_t i = 0; i < sizes.count; ++i) {
      const auto address = reinterpret_cast<std::uintptr_t>(call.arguments[kFirstInput + i]);
      is_aligned = is_aligned && address % kMaxLoadBytes == 0;
      for (std::size_t j = 0; j + 1 < lines_end; ++j) {
        is_aligned = is_aligned && is_of_vectors(shape[j], strides.input[j], sizes.bytes[i]);
      }
      // A line ends at a vector, too: neighbouring columns are loaded together, and none beyond the
      // last, and rows are cut into vectors.
      is_aligned = is_aligned && shape[lines_end - 1] * sizes.bytes[i] % kMaxLoadBytes == 0;
    }
    if (is_dense) {
      return static_cast<int>(is_aligned ? AxisAlignment::vector : AxisAlignment::element);
    }
    return static_cast<int>(is_aligned ? AxisAlignment::pitched_vector : AxisAlignment::pitched);
  }
  /// Of dense calls at other addresses those of `element` alone, or nothing would be tuned for
  /// them.
  bool serves(int layout, const Problem& problem, const Call& call) const override {
    const auto own = static_cast<AxisAlignment>(this->layout(problem, call));
    switch (const auto wanted = static_cast<AxisAlignment>(layout)) {
      case AxisAlignment::vector:
      case AxisAlignment::element:
        return own == wanted;
      case AxisAlignment::pitched_vector:
        return device_layout(own) == AxisLayout::vector;
      case AxisAlignment::pitched:
        return own != AxisAlignment::strided;
      case AxisAlignment::strided:
        break;
    }
    return true;
  }
  std::vector<Argument> arguments(const Problem& problem) const override {
    return axis_arguments(fold_of(problem));
  }
  std::uint64_t elements(const Problem& problem, std::size_t argument,
                         const Shape& shape) const override {
    if (argument == 0) return result_count(shape);
    const std::size_t inputs = fold_of(problem).input_types().size();
    return argument <= inputs ? result_count(shape) * row_count(shape) : 1;
  }

  std::span<const Tunable> tunables() const override { return axis_tunables(); }
  bool is_valid(const Workload& workload, const Config& config) const override {
    return foldtune::is_valid(axis_reduction_of(workload), axis_params(config));
  }
  bool is_searched(const Workload& workload, const Config& config) const override {
    return foldtune::is_searched(axis_reduction_of(workload), axis_params(config));
  }
  Config fallback(const Workload& workload, int multiprocessor_count) const override {
    return default_axis_params(axis_reduction_of(workload), multiprocessor_count);
  }

  double estimate_us(const Workload& workload, const DeviceFacts& device,
                     const Config& config) const override {
    return foldtune::estimate_us(axis_reduction_of(workload), device, axis_params(config));
  }

  std::string include_lines(const Problem& problem) const override {
    return axis_lines(fold_of(problem).op);
  }
  std::vector<std::string> all_include_lines() const override {
    std::vector<std::string> all{axis_lines(Operator::custom)};
    for (const Operator op : operators()) all.push_back(axis_lines(op));
    return all;
  }
  Program program(const Variant& variant) const override { return make_axis_program(variant); }
  std::unique_ptr<Launcher> launcher(const Variant& variant,
                                     const KernelFacts& facts) const override {
    const AxisParams params = axis_params(variant.params);
    const int resident_blocks =
        params.waves > 0 ? facts.resident_blocks(static_cast<std::uint32_t>(params.block_size)) : 0;
    return std::make_unique<AxisLauncher>(axis_reduction_of(variant.workload), params,
                                          resident_blocks);
  }
};

}  // namespace

const Family& axis_family() {
  static const AxisFamily family;
  return family;
}

}  // namespace foldtune
