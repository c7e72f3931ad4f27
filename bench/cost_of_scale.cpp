// How the time of a reduction grows with n, and what it is made of.
//
// For each n, four kernels are timed in turns, in a CUDA graph and with inputs from memory: one
// that does nothing, one that loads and folds each thread's share, one that folds each block's, and
// the reduction itself, all in the grid of the reduction. A column is what one takes longer than
// the one before it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bench/report.h"
#include "cache/config_store.h"
#include "foldtune/error.h"
#include "runtime/count_argument.h"
#include "runtime/lookup.h"
#include "runtime/variant.h"
#include "tuner/count_list.h"
#include "tuner/exit_code.h"
#include "tuner/format.h"
#include "tuner/measure.h"
#include "tuner/statistics.h"
#include "tuner/table.h"

namespace foldtune::bench {
namespace {

/// The parts, with the arguments of foldtune::reduce. What is loaded and folded must be used: the
/// store never happens, since no fold of numbers in [-1, 1) gives the number that it waits for.
constexpr std::string_view kParts = R"(
namespace foldtune {

template <class Op, class Output, class Index, bool kAligned, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
do_nothing(InputPointers<Op::Inputs::kSize>, Index, Output*, void*, bool) {
  platform::let_next_grid_begin();
  platform::await_previous_grid();
}

template <class Op, class Output, class Index, bool kAligned, ReduceParams kParams, bool kFoldsBlock>
FOLDTUNE_DEVICE void do_part(InputPointers<Op::Inputs::kSize> inputs, Index count, Output* output) {
  using Fold = BlockFold<Op, kParams.block_size, kParams.block_stage>;
  using Elements = Share<Op, typename Op::Inputs, Index, kAligned, kParams>;
  FOLDTUNE_SHARED(typename Fold::Storage, storage);
  platform::let_next_grid_begin();
  Elements::prefetch(inputs, count);
  platform::await_previous_grid();
  typename Op::Accumulator value = Elements::fold(inputs, count);
  if constexpr (kFoldsBlock) value = Fold::fold(storage, value);
  constexpr float kNever = 3e38f;
  if (value == kNever) *output = value;
}

template <class Op, class Output, class Index, bool kAligned, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
load(InputPointers<Op::Inputs::kSize> inputs, Index count, Output* output, void*, bool) {
  do_part<Op, Output, Index, kAligned, kParams, false>(inputs, count, output);
}

template <class Op, class Output, class Index, bool kAligned, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_block(InputPointers<Op::Inputs::kSize> inputs, Index count, Output* output, void*, bool) {
  do_part<Op, Output, Index, kAligned, kParams, true>(inputs, count, output);
}

}  // namespace foldtune
)";

constexpr std::array<std::string_view, 3> kPartNames{"do_nothing", "load", "fold_block"};
constexpr std::size_t kTimed = kPartNames.size() + 1;  ///< and the whole

struct Options {
  std::string device;
  std::string database;  ///< empty: untuned
  std::vector<std::uint64_t> counts;
  int rounds = 0;
};

/// The kernels of kParts for the reduction's types and tunables.
Program make_parts(const Variant& variant) {
  constexpr std::string_view kKernel = "foldtune::reduce<";
  const Program whole = make_program(variant);
  const std::string arguments = whole.name_expressions.front().substr(kKernel.size());
  Program parts{.source = whole.source, .name_expressions = {}};
  parts.source += kParts;
  for (const std::string_view name : kPartNames) {
    parts.name_expressions.push_back(fmt::format("foldtune::{}<{}", name, arguments));
  }
  return parts;
}

/// Microseconds per call of the parts and of the whole: medians of samples taken in turns.
std::array<double, kTimed> time_parts(Device& device, Measurer& measurer, const Plan& plan,
                                      const Areas& scratch, int rounds) {
  const Variant& variant = plan.variant();
  const std::unique_ptr<Kernel> parts = device.load(device.compiler().compile(make_parts(variant)));
  const LaunchShape shape{
      .grid_size = plan.grid_size(variant.problem.count),
      .block_size = static_cast<std::uint32_t>(std::get<ReduceParams>(variant.params).block_size)};
  std::vector<std::unique_ptr<Stopwatch>> stopwatches;
  for (std::size_t part = 0; part < kPartNames.size(); ++part) {
    const auto launch = [&, part](const Call& call, Stream stream) {
      auto inputs = call.inputs;
      CountArgument count(call.count, counts_in_64_bits(variant));
      void* output = call.output;
      void* no_scratch = nullptr;
      bool inputs_ready = false;
      void* arguments[] = {inputs.data(), count.address(), &output, &no_scratch, &inputs_ready};
      parts->launch(part, shape, arguments, stream);
    };
    stopwatches.push_back(measurer.make_stopwatch({launch}, Manner::rotating));
  }
  stopwatches.push_back(measurer.make_stopwatch(enqueues_of(plan, scratch), Manner::rotating));

  std::array<std::vector<double>, kTimed> samples;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < kTimed; ++i) {
      samples[i].push_back(stopwatches[i]->take(1).us.front());
    }
  }
  std::array<double, kTimed> medians{};
  for (std::size_t i = 0; i < kTimed; ++i) medians[i] = median(samples[i]);
  return medians;
}

std::vector<std::string> measure(Device& device, CompilePool& compilations, const InputPool& pool,
                                 const ConfigStore* store, const Problem& problem, int rounds) {
  const Choice choice =
      choose_config(store, device.info().record, device.compiler().version(), problem);
  Measurer measurer(device, compilations, pool, problem);
  const Variant variant{.problem = problem, .params = choice.params};
  const Candidate candidate =
      measurer.prepare(choice.params, device.compiler().compile(make_program(variant)));
  if (candidate.plan == nullptr) {
    throw DeviceError(fmt::format("{} with {}: {}", to_string(problem),
                                  format_config(choice.params), candidate.record.failure));
  }
  const auto us = time_parts(device, measurer, *candidate.plan, candidate.scratch, rounds);
  const auto step = [&](std::size_t i) { return format_number(us[i] - us[i - 1]); };
  return {format_elements(problem.count),
          fmt::to_string(candidate.plan->grid_size(problem.count)),
          format_number(us[0]),
          step(1),
          step(2),
          step(3),
          format_number(us[3]),
          format_number(static_cast<double>(problem.input_bytes()) / us[3] / 1e3),
          format_config(choice.params)};
}

void print_costs(const Options& options) {
  const std::shared_ptr<Device> device = open_device(options.device);
  CompilePool compilations(device->compiler(), 1);
  const std::unique_ptr<const ConfigStore> store =
      options.database.empty() ? nullptr : open_sqlite_store(options.database, OpenMode::read_only);
  Problem problem{.op = Operator::sum, .type = ElementType::f32};
  problem.count = *std::ranges::max_element(options.counts);
  const InputPool pool(*device, problem, 1);
  Table table({{"n"},
               {"blocks", Align::right},
               {"launch us", Align::right},
               {"load", Align::right},
               {"block stage", Align::right},
               {"final stage", Align::right},
               {"all us", Align::right},
               {"GB/s", Align::right},
               {"config"}});
  for (const std::uint64_t count : options.counts) {
    problem.count = count;
    table.add_row(measure(*device, compilations, pool, store.get(), problem, options.rounds));
  }
  fmt::print("{}, f32 sum, in a graph, inputs from memory\n{}\n{}\n", device->info().record.name,
             table.to_string(0), config_legend(Family::reduce));
}

ExitCode parse_and_run(int argc, char** argv) {
  Options options;
  std::string counts;
  CLI::App app{"Shows how the time of an f32 sum grows with n, and what it is made of."};
  app.add_option("--device", options.device, "The device")->default_val("cuda:0");
  app.add_option("--db", options.database, "Tuning database [none: the untuned default]");
  app.add_option("--n", counts, "Elements, as for foldtune tune")->default_val("2^10..2^32");
  app.add_option("--rounds", options.rounds, "Samples of each part")
      ->check(CLI::Range(1, 1000))
      ->default_val(9);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::ok : ExitCode::usage;
  }
  options.counts = parse_counts(counts);
  print_costs(options);
  return ExitCode::ok;
}

}  // namespace
}  // namespace foldtune::bench

int main(int argc, char** argv) {
  try {
    return static_cast<int>(foldtune::bench::parse_and_run(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "foldtune_cost_of_scale: error: {}\n", error.what());
    return static_cast<int>(foldtune::ExitCode::internal);
  }
}
