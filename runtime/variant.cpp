#include "runtime/variant.h"

#include <fmt/format.h>

#include "templates/reduce/space.h"

namespace foldtune {

bool counts_in_64_bits(const Variant& variant) {
  // The largest count of size class 30 is 2^30.5, far enough below 2^32 for a grid of tiles.
  return size_class(variant.problem.count) > 30;
}

Program make_program(const Variant& variant) {
  const std::string_view element = device_name(variant.problem.type);
  const std::string_view accumulator = device_name(variant.problem.accumulator_type());
  const std::string_view op = device_name(variant.problem.op);
  ReduceParams seen_by_kernel = variant.params;
  seen_by_kernel.waves = 0;  // shapes the launch alone
  const std::string params = to_template_argument(seen_by_kernel);

  Program program;
  program.source = "#include \"templates/reduce/reduce.cuh\"\n";
  program.name_expressions.push_back(
      fmt::format("foldtune::reduce<{}, {}, {}, {}, {}, {}>", element, accumulator, op,
                  counts_in_64_bits(variant) ? "foldtune::uint64" : "foldtune::uint32",
                  variant.problem.alignment == Alignment::vector, params));
  if (variant.params.final_stage == FinalStage::atomic) {
    program.name_expressions.push_back(
        fmt::format("foldtune::store_identity<{}, {}>", accumulator, op));
  } else if (variant.params.final_stage == FinalStage::two_pass) {
    program.name_expressions.push_back(
        fmt::format("foldtune::fold_blocks<{}, {}, {}>", accumulator, op, params));
  }
  return program;
}

}  // namespace foldtune
