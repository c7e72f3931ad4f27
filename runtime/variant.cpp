#include "runtime/variant.h"

#include <fmt/format.h>

#include "runtime/custom_source.h"
#include "runtime/histogram_launch.h"
#include "templates/catalog.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

Program make_reduce_program(const Variant& variant) {
  const Problem& problem = variant.problem;
  ReduceParams params = std::get<ReduceParams>(variant.params);
  const bool wide = counts_in_64_bits(variant);
  const std::string op = device_operator(problem, wide);
  const std::string output = result_shape(problem.op) == ResultShape::value
                                 ? std::string(device_name(problem.result_type()))
                                 : fmt::format("{}::Result", op);
  const FinalStage final_stage = params.final_stage;
  params.waves = 0;  // shapes the launch alone
  const std::string seen_by_kernel = to_template_argument(params);

  const std::string_view index = wide ? "foldtune::uint64" : "foldtune::uint32";
  const bool in_order = has_fixed_order(problem);
  Program program;
  program.source = in_order ? "#include \"templates/reduce/fixed_order.cuh\"\n"
                            : "#include \"templates/reduce/reduce.cuh\"\n";
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

}  // namespace

bool counts_in_64_bits(const Variant& variant) {
  // The largest count of size class 30 is 2^30.5, far enough below 2^32 for a grid of tiles.
  return size_class(variant.problem.count) > 30;
}

Program make_program(const Variant& variant) {
  return family_of(variant.params) == Family::histogram ? make_histogram_program(variant)
                                                        : make_reduce_program(variant);
}

}  // namespace foldtune
