#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "foldtune/reduction.h"
#include "templates/array_family.h"
#include "templates/catalog.h"
#include "templates/fold/custom_source.h"
#include "templates/fold/fields.h"
#include "templates/fold/operators.h"
#include "templates/reduce/launcher.h"
#include "templates/reduce/space.h"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr std::string_view kExtents[] = {"n"};

/// The text of a custom operator is part of the program itself.
std::string reduce_lines(bool in_order, Operator op) {
  std::string lines = in_order ? "#include \"templates/reduce/fixed_order.cuh\"\n"
                               : "#include \"templates/reduce/reduce.cuh\"\n";
  if (op != Operator::custom) lines += fmt::format("#include \"{}\"\n", operator_file(op));
  return lines;
}

Program make_reduce_program(const Variant& variant) {
  const Reduction reduction = reduction_of(variant.workload);
  ReduceParams params = reduce_params(variant.params);
  const bool wide = takes_64_bits(reduction.count);
  const std::string op = device_operator(reduction, wide);
  const std::string output = result_shape(reduction.op) == ResultShape::value
                                 ? std::string(device_name(reduction.result_type()))
                                 : fmt::format("{}::Result", op);
  const FinalStage final_stage = params.final_stage;
  params.waves = 0;  // shapes the launch alone
  const std::string seen_by_kernel = to_template_argument("foldtune::ReduceParams", params);

  const std::string_view index = wide ? "foldtune::uint64" : "foldtune::uint32";
  const bool in_order = has_fixed_order(reduction);
  Program program;
  program.source = reduce_lines(in_order, reduction.op);
  program.fuses_multiply_add = !in_order;
  if (reduction.op == Operator::custom) program.source += custom_source(*reduction.custom);
  program.name_expressions.push_back(
      in_order ? fmt::format("foldtune::reduce_in_order<{}, {}, {}, {}>", op, output, index,
                             seen_by_kernel)
               : fmt::format("foldtune::reduce<{}, {}, {}, {}, {}>", op, output, index,
                             reduction.alignment == Alignment::vector, seen_by_kernel));
  if (final_stage == FinalStage::atomic) {
    program.name_expressions.push_back(fmt::format("foldtune::store_identity<{}, {}>", op, output));
  } else if (final_stage == FinalStage::two_pass) {
    program.name_expressions.push_back(fmt::format("foldtune::{}<{}, {}, {}>",
                                                   in_order ? "fold_in_order" : "fold_blocks", op,
                                                   output, seen_by_kernel));
  }
  return program;
}

constexpr std::string_view kInputNames[] = {"input", "input 2", "input 3", "input 4"};
static_assert(std::size(kInputNames) == kMaxInputs);

std::vector<Argument> reduce_arguments(const Reduction& reduction) {
  std::vector<Argument> arguments{{.name = "output",
                                   .access = Access::output,
                                   .type = reduction.result_type(),
                                   .element_bytes = reduction.result_bytes(),
                                   .alignment = reduction.output_alignment()}};
  for (const ElementType type : reduction.input_types()) {
    arguments.push_back({.name = kInputNames[arguments.size() - 1],
                         .type = type,
                         .element_bytes = size_of(type),
                         .alignment = size_of(type)});
  }
  return arguments;
}

class ReduceFamily final : public ArrayFamily {
 public:
  using ArrayFamily::find_fault;

  std::string_view name() const override { return "reduce"; }

  std::span<const Field> fields() const override { return fold_fields(); }
  void complete(Problem& problem) const override { complete_fold(problem); }
  std::string find_fault(const Problem& problem) const override {
    return find_fold_fault(reduction_of(problem));
  }
  std::string describe(const Problem& problem) const override {
    return describe_fold(reduction_of(problem));
  }
  std::string text(const Problem& problem, const Field& field) const override {
    return fold_text(problem, field);
  }
  bool parse(Problem& problem, const Field& field, std::string_view text) const override {
    return parse_fold(problem, field, text);
  }

  std::span<const std::string_view> extents() const override { return kExtents; }
  std::string find_fault(const Problem&, const Shape& shape) const override {
    return find_count_fault(shape[0]);
  }
  /// As Family's.
  Bucket bucket(const Shape& shape) const override {
    return {{static_cast<std::int16_t>(size_class(shape[0]))}};
  }
  Shape max_shape(const Bucket& bucket) const override { return {{max_count(bucket.classes[0])}}; }

  /// Arguments that the problem has not are null.
  int layout(const Problem&, const Call& call) const override {
    std::uintptr_t addresses = 0;
    for (std::size_t i = 1; i <= kMaxInputs; ++i) {
      addresses |= reinterpret_cast<std::uintptr_t>(call.arguments[i]);
    }
    return layout_of(addresses);
  }
  std::vector<Argument> arguments(const Problem& problem) const override {
    return reduce_arguments(reduction_of(problem));
  }
  std::uint64_t elements(const Problem&, std::size_t argument, const Shape& shape) const override {
    return argument == 0 ? 1 : shape[0];
  }
  std::string find_call_fault(const Problem& problem, const Shape& shape) const override {
    if (shape[0] > 0) return find_fault(problem, shape);
    const Operator op = reduction_of(problem).op;
    if (has_empty_result(op)) return {};
    return fmt::format("an empty input: there is no {} of nothing; check the count before the call",
                       foldtune::name(op));
  }

  std::span<const Tunable> tunables() const override { return reduce_tunables(); }
  bool is_valid(const Workload& workload, const Config& config) const override {
    return foldtune::is_valid(reduction_of(workload), reduce_params(config));
  }
  bool is_searched(const Workload& workload, const Config& config) const override {
    return foldtune::is_searched(reduction_of(workload), reduce_params(config));
  }
  Config canonical(const Workload& workload, const Config& config,
                   int multiprocessor_count) const override {
    return foldtune::canonical(reduction_of(workload), reduce_params(config), multiprocessor_count);
  }
  Config fallback(const Workload& workload, int multiprocessor_count) const override {
    return default_reduce_params(reduction_of(workload), multiprocessor_count);
  }
  std::vector<Config> known_good(const Workload& workload) const override {
    const std::vector<ReduceParams> all = known_good_reduce_params(reduction_of(workload));
    return {all.begin(), all.end()};
  }

  bool is_alike(const Problem& a, const Problem& b) const override {
    return foldtune::is_alike(reduction_of(a), reduction_of(b));
  }

  Config adapted(const Config& config, const Workload& from, const Workload& to) const override {
    ReduceParams params = reduce_params(config);
    params.vector_width =
        adapted_width(params.vector_width, reduction_of(from).type, reduction_of(to).type);
    return params;
  }

  double estimate_us(const Workload& workload, const DeviceFacts& device,
                     const Config& config) const override {
    return foldtune::estimate_us(reduction_of(workload), device, reduce_params(config));
  }

  bool stores_result_once(const Config& config) const override {
    return reduce_params(config).final_stage != FinalStage::atomic;
  }

  std::string include_lines(const Problem& problem) const override {
    const Reduction reduction = reduction_of(problem);
    return reduce_lines(has_fixed_order(reduction), reduction.op);
  }
  std::vector<std::string> all_include_lines() const override {
    std::vector<std::string> all;
    for (const bool in_order : {false, true}) {
      all.push_back(reduce_lines(in_order, Operator::custom));
      for (const Operator op : operators()) all.push_back(reduce_lines(in_order, op));
    }
    return all;
  }

  Program program(const Variant& variant) const override { return make_reduce_program(variant); }

  std::unique_ptr<Launcher> launcher(const Variant& variant,
                                     const KernelFacts& facts) const override {
    const ReduceParams params = reduce_params(variant.params);
    // The driver is asked for nothing that the grid does not depend on.
    const int resident_blocks =
        params.waves > 0 ? facts.resident_blocks(static_cast<std::uint32_t>(params.block_size)) : 0;
    return std::make_unique<ReduceLauncher>(reduction_of(variant.workload), params,
                                            resident_blocks);
  }
};

}  // namespace

const Family& reduce_family() {
  static const ReduceFamily family;
  return family;
}

}  // namespace foldtune
