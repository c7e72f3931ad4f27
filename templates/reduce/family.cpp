#include "templates/family.h"

#include <fmt/format.h>

#include <algorithm>

#include "templates/catalog.h"
#include "templates/reduce/custom_source.h"
#include "templates/reduce/launcher.h"
#include "templates/reduce/space.h"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

/// The text of a custom operator is part of the program itself.
std::string reduce_lines(bool in_order, Operator op) {
  std::string lines = in_order ? "#include \"templates/reduce/fixed_order.cuh\"\n"
                               : "#include \"templates/reduce/reduce.cuh\"\n";
  if (op != Operator::custom) lines += fmt::format("#include \"{}\"\n", operator_file(op));
  return lines;
}

Program make_reduce_program(const Variant& variant) {
  const Problem& problem = variant.problem;
  ReduceParams params = reduce_params(variant.params);
  const bool wide = counts_in_64_bits(variant);
  const std::string op = device_operator(problem, wide);
  const std::string output = result_shape(problem.op) == ResultShape::value
                                 ? std::string(device_name(problem.result_type()))
                                 : fmt::format("{}::Result", op);
  const FinalStage final_stage = params.final_stage;
  params.waves = 0;  // shapes the launch alone
  const std::string seen_by_kernel = to_template_argument("foldtune::ReduceParams", params);

  const std::string_view index = wide ? "foldtune::uint64" : "foldtune::uint32";
  const bool in_order = has_fixed_order(problem);
  Program program;
  program.source = reduce_lines(in_order, problem.op);
  program.fuses_multiply_add = !in_order;
  if (needs_toolkit(params)) {
    program.source += "#include \"templates/reduce/toolkit_stages.cuh\"\n";
    program.needs_toolkit = true;
  }
  if (problem.op == Operator::custom) program.source += custom_source(*problem.custom);
  program.name_expressions.push_back(
      in_order ? fmt::format("foldtune::reduce_in_order<{}, {}, {}, {}>", op, output, index,
                             seen_by_kernel)
               : fmt::format("foldtune::reduce<{}, {}, {}, {}, {}>", op, output, index,
                             problem.alignment == Alignment::vector, seen_by_kernel));
  if (final_stage == FinalStage::atomic) {
    program.name_expressions.push_back(fmt::format("foldtune::store_identity<{}, {}>", op, output));
  } else if (final_stage == FinalStage::two_pass) {
    program.name_expressions.push_back(fmt::format("foldtune::{}<{}, {}, {}>",
                                                   in_order ? "fold_in_order" : "fold_blocks", op,
                                                   output, seen_by_kernel));
  }
  return program;
}

constexpr Field kReduceFields[] = {
    {.name = "result",
     .get =
         [](const Problem& problem) {
           const bool is_said = problem.op != Operator::custom &&
                                problem.result_type() != problem.accumulator_type();
           return is_said ? std::string(name(problem.result_type())) : std::string();
         },
     .set =
         [](Problem& problem, std::string_view text) {
           problem.result = parse_element_type(text);
           return problem.result.has_value();
         }},
    {.name = "nan_policy",
     .get =
         [](const Problem& problem) {
           const bool is_said = problem.nan_policy != NanPolicy::propagate;
           return is_said ? std::string(name(problem.nan_policy)) : std::string();
         },
     .set =
         [](Problem& problem, std::string_view text) {
           const auto policy = parse_nan_policy(text);
           problem.nan_policy = policy.value_or(NanPolicy::propagate);
           return policy.has_value();
         }},
    {.name = "ddof",
     .get =
         [](const Problem& problem) {
           return problem.ddof == 0 ? std::string() : std::to_string(problem.ddof);
         },
     .set =
         [](Problem& problem, std::string_view text) {
           problem.ddof = text == "1" ? 1 : 0;
           return text == "1";
         }},
};

class ReduceFamily final : public Family {
 public:
  std::string_view name() const override { return "reduce"; }
  std::span<const Field> fields() const override { return kReduceFields; }
  std::span<const Tunable> tunables() const override { return reduce_tunables(); }

  bool is_valid(const Problem& problem, const Config& config) const override {
    return foldtune::is_valid(problem, reduce_params(config));
  }
  bool is_searched(const Problem& problem, const Config& config) const override {
    return foldtune::is_searched(problem, reduce_params(config));
  }
  Config canonical(const Problem& problem, const Config& config,
                   int multiprocessor_count) const override {
    return foldtune::canonical(problem, reduce_params(config), multiprocessor_count);
  }
  Config fallback(const Problem& problem, int multiprocessor_count) const override {
    return default_reduce_params(problem, multiprocessor_count);
  }
  std::vector<Config> known_good(const Problem& problem) const override {
    const std::vector<ReduceParams> all = known_good_reduce_params(problem);
    return {all.begin(), all.end()};
  }

  /// Vectors of as many bytes as before.
  Config adapted(const Config& config, const Problem& from, const Problem& to) const override {
    ReduceParams params = reduce_params(config);
    const int bytes = params.vector_width * static_cast<int>(size_of(from.type));
    params.vector_width = std::max(1, bytes / static_cast<int>(size_of(to.type)));
    return params;
  }

  double estimate_us(const Problem& problem, const DeviceFacts& device,
                     const Config& config) const override {
    return foldtune::estimate_us(problem, device, reduce_params(config));
  }

  bool stores_result_once(const Config& config) const override {
    return reduce_params(config).final_stage != FinalStage::atomic;
  }

  std::string include_lines(const Problem& problem) const override {
    return reduce_lines(has_fixed_order(problem), problem.op);
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
    return std::make_unique<ReduceLauncher>(variant.problem, params, resident_blocks);
  }
};

}  // namespace

const Family& reduce_family() {
  static const ReduceFamily family;
  return family;
}

}  // namespace foldtune
