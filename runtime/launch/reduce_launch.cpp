#include "runtime/launch/reduce_launch.h"

#include <fmt/format.h>

#include "runtime/launch/count_argument.h"
#include "runtime/launch/custom_source.h"
#include "templates/catalog.h"
#include "templates/reduce/scratch.cuh"

namespace foldtune {
namespace {

constexpr auto kMain = static_cast<std::size_t>(KernelRole::main);
constexpr auto kHelper = static_cast<std::size_t>(KernelRole::helper);

}  // namespace

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

std::size_t reduce_scratch_bytes(const Variant& variant, std::uint32_t blocks,
                                 std::uint64_t count) {
  const std::size_t slots = has_fixed_order(variant.problem) ? chunk_count(count) : blocks;
  // One total is the result, and atomics fold into the output.
  const FinalStage stage = std::get<ReduceParams>(variant.params).final_stage;
  if (slots <= 1 || stage == FinalStage::atomic) return 0;
  if (stage == FinalStage::counted) return kScratchHeaderBytes;
  return kScratchHeaderBytes +
         accumulator_bytes(variant.problem, counts_in_64_bits(variant)) * kSlotSizes * slots;
}

ReduceLaunch::ReduceLaunch(const Variant& variant, int resident_blocks)
    : grid_(variant.problem, std::get<ReduceParams>(variant.params), resident_blocks),
      threads_(static_cast<std::uint32_t>(std::get<ReduceParams>(variant.params).block_size)),
      final_stage_(std::get<ReduceParams>(variant.params).final_stage),
      has_fixed_order_(has_fixed_order(variant.problem)),
      counts_in_64_bits_(counts_in_64_bits(variant)) {}

void ReduceLaunch::enqueue(const Kernel& kernel, const Call& call, void* scratch,
                           Stream stream) const {
  if (has_fixed_order_) return enqueue_in_order(kernel, call, scratch, stream);
  enqueue_in_any_order(kernel, call, scratch, stream);
}

void ReduceLaunch::enqueue_in_any_order(const Kernel& kernel, const Call& call, void* scratch,
                                        Stream stream) const {
  std::uint32_t blocks = grid_size(call.count);
  // A grid of one block writes the output itself.
  const FinalStage stage = blocks == 1 ? FinalStage::last_block : final_stage_;

  auto inputs = call.inputs;
  CountArgument count(call.count, counts_in_64_bits_);
  void* output = call.output;
  bool inputs_ready = call.inputs_ready;
  if (stage == FinalStage::atomic) {
    void* arguments[] = {&output};
    kernel.launch(kHelper, {.grid_size = 1, .block_size = 32}, arguments, stream);
  }
  void* arguments[] = {inputs.data(), count.address(), &output, &scratch, &inputs_ready};
  kernel.launch(
      kMain,
      {.grid_size = blocks, .block_size = threads_, .is_cluster = stage == FinalStage::cluster},
      arguments, stream);
  if (stage == FinalStage::two_pass) {
    void* pass_arguments[] = {&scratch, &blocks, &count.wide, &output};
    kernel.launch(kHelper, {.grid_size = 1, .block_size = threads_}, pass_arguments, stream);
  }
}

void ReduceLaunch::enqueue_in_order(const Kernel& kernel, const Call& call, void* scratch,
                                    Stream stream) const {
  std::uint32_t chunk = chunk_elements(call.count);
  std::uint32_t chunks = chunk_count(call.count);
  auto inputs = call.inputs;
  CountArgument count(call.count, counts_in_64_bits_);
  void* output = call.output;
  bool inputs_ready = call.inputs_ready;
  void* arguments[] = {inputs.data(), count.address(), &chunk, &output, &scratch, &inputs_ready};
  kernel.launch(kMain, {.grid_size = grid_size(call.count), .block_size = threads_}, arguments,
                stream);
  if (chunks > 1 && final_stage_ == FinalStage::two_pass) {
    void* pass_arguments[] = {&scratch, &chunks, &count.wide, &output};
    kernel.launch(kHelper, {.grid_size = 1, .block_size = threads_}, pass_arguments, stream);
  }
}

}  // namespace foldtune
