// foldtune run: reduces a file with what was tuned.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foldtune/context.h"
#include "foldtune/error.h"
#include "runtime/compile/kernel_cache.h"
#include "runtime/device/device.h"
#include "runtime/lookup/config_lookup.h"
#include "tuner/commands/call_limit.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/problem_options.h"
#include "tuner/commands/run_input.h"
#include "tuner/commands/run_report.h"
#include "tuner/measure/statistics.h"
#include "tuner/text/print.h"
#include "tuner/verify/operator_laws.h"

namespace foldtune {
namespace {

// Without --repeat: enough calls for a median, unless a call is slow.
constexpr int kUsualCalls = 10;
constexpr double kEnoughUs = 1e6;

// Without --timeout, of a custom operator, which may loop for ever: what a worker of `tune` has for
// a problem.
constexpr std::chrono::seconds kCustomLimit{60};
constexpr std::uint64_t kCustomBytesPerSecond = 1'000'000'000 / 60;

constexpr const char* kRunFooter =
    R"(FILE is a .npy file, an array of an .npz file (data.npz:x, or data.npz if it holds one), both
known by their first bytes, or a raw one: elements in the order of this machine's bytes, and
nothing else. - is the standard input. Text, compressed files and others that hold no elements as
they are are refused, unless --raw says that their bytes are elements. An array of any shape is
reduced as a whole, and indices are those of the flattened array in C order, as in NumPy. bf16,
which NumPy has no type for, is read from raw files and, with --type bf16, from arrays of 2 bytes.

Determinism is what the result's bits are promised to depend on; results are looked up by it:
any (nothing is promised), run_to_run (device and configuration), config_independent (neither).

A histogram of 8-bit elements counts each value, unless --range or --edges is given; of other
elements it needs one of them.

The time is that of a call and of the wait for its end, on the host's clock, and the median of
several; reading the file and copying it to the device are not in it. The database is only
read, but for the kernels that are compiled, which it keeps; where nothing fitting was tuned, a
sound default is used.

Examples:
  foldtune run --op argmax data.npy
  foldtune run data.npz:x
  zcat data.npy.gz | foldtune run --op max -
  foldtune run --op dot --type bf16 --acc f64 x.bin y.bin
  foldtune run --op max --type i32 --device cpu data.bin --json
  foldtune run --op custom --inputs f32,f32 --map '(x - y) * (x - y)' --finish 'sqrt(a)' x.npy y.npy
  foldtune run --custom distance.json x.npy y.npy
  foldtune run --op histogram --type u8 picture.bin
  foldtune run --op histogram --bins 100 --range -1:1 data.npy)";

struct RunArguments {
  std::vector<std::string> files;
  std::optional<std::string> op;
  std::optional<std::string> type;
  ProblemOptions problem;
  std::optional<std::string> device;
  std::optional<std::string> database;
  std::optional<int> calls;
  std::optional<std::uint64_t> timeout_s;
  bool raw = false;
  bool json = false;
};

/// As a program does it. None where there is no such file, or none that can be used.
ConfigLookup open_configs(const std::optional<std::string>& asked) {
  std::error_code ignored;
  if (asked && !std::filesystem::exists(*asked, ignored) && !ignored) {
    print_to(stderr, "foldtune: note: there is no database {}; running untuned\n", *asked);
  }
  return ConfigLookup::open(asked.value_or(""));
}

/// Calls the reducer `calls` times, or until the time is enough, and returns the times.
std::vector<double> time_calls(const std::optional<int>& calls, const std::function<void()>& call) {
  std::vector<double> samples;
  double total = 0;
  const auto is_enough = [&] {
    const auto made = static_cast<int>(samples.size());
    return calls ? made >= *calls : made >= kUsualCalls || (made > 0 && total > kEnoughUs);
  };
  while (!is_enough()) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - begin;
    samples.push_back(elapsed.count());
    total += elapsed.count();
  }
  return samples;
}

/// The problem, but for its count and perhaps its type, which are those of the files.
Problem asked_problem(const RunArguments& arguments) {
  const Operator op = choose_operator(arguments.op, arguments.problem, arguments.type.has_value());
  const ElementType type = arguments.type ? require_element_type(*arguments.type) : ElementType{};
  return make_problem(arguments.problem, op, type);
}

/// What the files have to hold; empty where they say it.
std::vector<std::optional<WantedType>> input_types(const RunArguments& arguments,
                                                   const Problem& problem) {
  const bool is_custom = problem.op == Operator::custom;
  const std::string remedy =
      is_custom ? "name that type in the operator's inputs, or convert it with array.astype"
                : "leave out --type to reduce it as it is, or convert it with array.astype";
  std::vector<std::optional<WantedType>> result;
  for (const ElementType type : problem.input_types()) {
    result.emplace_back();
    if (is_custom || arguments.type) result.back() = {.type = type, .remedy = remedy};
  }
  return result;
}

/// The standard input can be read once.
void check_standard_input(const RunArguments& arguments) {
  std::vector<std::string> names = arguments.files;
  if (arguments.problem.bins.edges) names.push_back(*arguments.problem.bins.edges);
  const auto times = std::ranges::count_if(
      names, [](const std::string& file) { return file == "-" || file.starts_with("-:"); });
  if (times > 1) {
    throw InvalidArgument("'-', the standard input, can be read once: name a file instead");
  }
}

/// Whether the result depends on which element is where.
bool needs_c_order(const Problem& problem) {
  return problem.input_types().size() > 1 || problem.op == Operator::custom ||
         result_shape(problem.op) == ResultShape::indexed_value;
}

std::vector<const void*> addresses(const std::vector<DeviceBuffer>& buffers) {
  std::vector<const void*> result;
  result.reserve(buffers.size());
  for (const DeviceBuffer& buffer : buffers) result.push_back(buffer.data());
  return result;
}

/// What is called, of whatever family it is. The context must outlive it.
struct RunCall {
  std::function<void()> prepare;  ///< does what the first call would do, except the launch
  std::function<void()> enqueue;
  std::function<Explanation()> explain;
};

/// Passes addresses on as the reducer takes them.
template <class Function>
void with_list(const std::vector<const void*>& inputs, const Function& function) {
  switch (inputs.size()) {
    case 1:
      return function({inputs[0]});
    case 2:
      return function({inputs[0], inputs[1]});
    case 3:
      return function({inputs[0], inputs[1], inputs[2]});
    default:
      return function({inputs[0], inputs[1], inputs[2], inputs[3]});
  }
}

using List = std::initializer_list<const void*>;

RunCall make_reduction(Context& context, const Problem& problem,
                       const std::vector<const void*>& inputs, void* output) {
  const Reducer reducer = context.reducer(problem);
  const std::uint64_t count = problem.count;
  return {.prepare = [=] { with_list(inputs, [&](List list) { reducer.prepare(list, count); }); },
          .enqueue = [=] { with_list(inputs, [&](List list) { reducer(list, count, output); }); },
          .explain = [=] { return reducer.explain(count); }};
}

RunCall make_histogram(Context& context, const Problem& problem,
                       const std::vector<const void*>& inputs, const BinBounds& bounds,
                       void* output) {
  const HistogramShape& shape = problem.histogram;
  const Histogram histogram = context.histogram({.type = problem.type,
                                                 .bins = shape.bins,
                                                 .binning = shape.binning,
                                                 .counter = problem.accumulator_type(),
                                                 .distribution = shape.distribution});
  const std::uint64_t count = problem.count;
  RunCall call{.prepare = [=] { histogram.prepare(inputs[0], count); },
               .enqueue = nullptr,
               .explain = [=] { return histogram.explain(count); }};
  switch (shape.binning) {
    case Binning::even:
      call.enqueue = [=] { histogram(inputs[0], count, bounds.lower, bounds.upper, output); };
      break;
    case Binning::custom:
      call.enqueue = [=] { histogram(inputs[0], count, inputs[1], output); };
      break;
    case Binning::key:
      call.enqueue = [=] { histogram.count_keys(inputs[0], count, output); };
      break;
  }
  return call;
}

/// Calls of `problem` on its count of elements in the arrays `inputs`, and for custom bins on the
/// edges that follow them, all in device memory.
RunCall make_run_call(Context& context, const Problem& problem,
                      const std::vector<const void*>& inputs, const BinBounds& bounds,
                      void* output) {
  return problem.op == Operator::histogram
             ? make_histogram(context, problem, inputs, bounds, output)
             : make_reduction(context, problem, inputs, output);
}

/// How long a call may take; empty: for ever, as Foldtune's own operators end.
std::optional<std::chrono::seconds> call_limit(const RunArguments& arguments,
                                               const Problem& problem) {
  if (arguments.timeout_s == 0U) return std::nullopt;
  if (arguments.timeout_s) return std::chrono::seconds(*arguments.timeout_s);
  if (problem.op != Operator::custom) return std::nullopt;
  return kCustomLimit + std::chrono::seconds(problem.input_bytes() / kCustomBytesPerSecond);
}

/// Throws InvalidArgument for a custom operator whose result would depend on the order of elements,
/// as seen on a few of them.
void check_laws(Device& device, const KernelSources& kernels, const Problem& problem,
                const std::vector<const void*>& inputs, std::optional<std::chrono::seconds> limit) {
  if (problem.op != Operator::custom || problem.count == 0) return;
  KernelCache cache(kernels);
  const auto compiled = cache.get(device, make_law_program(problem), device.compiler().version());
  const CallLimit watched(limit, fmt::format("trying {} on a few elements", problem.custom->name));
  const std::string fault = find_law_fault(device, problem, inputs, *compiled);
  if (!fault.empty()) throw InvalidArgument(fault);
}

RunReport reduce_files(const RunArguments& arguments) {
  RunReport report;
  Problem& problem = report.problem;
  problem = asked_problem(arguments);
  const std::string what(problem.custom ? problem.custom->name : name(problem.op));
  check_standard_input(arguments);
  const std::vector<InputArray> files =
      open_inputs(what, arguments.files, input_types(arguments, problem),
                  arguments.raw ? InputFormat::raw : InputFormat::by_content);
  problem.type = files.front().type();
  problem.count = files.front().count();
  report.shape = files.front().shape().value_or(Shape{problem.count});
  if (problem.op == Operator::histogram) {
    set_bins(problem, arguments.problem.bins);
    report.bins = read_bins(problem, arguments.problem.bins);
  }
  if (const std::string fault = find_fault(problem); !fault.empty()) throw InvalidArgument(fault);
  report.files = arguments.files;

  const std::shared_ptr<Device> device = open_device(choose_device(arguments.device));
  const ConfigLookup configs = open_configs(arguments.database);
  Context context(device, configs);
  std::vector<DeviceBuffer> buffers;
  buffers.reserve(files.size() + 1);
  const ElementOrder order = needs_c_order(problem) ? ElementOrder::c_order : ElementOrder::any;
  for (const InputArray& file : files) buffers.push_back(copy_to_device(*device, file, order));
  if (!report.bins.edges.empty()) {
    buffers.emplace_back(*device, report.bins.edges.size());
    device->copy(buffers.back().data(), report.bins.edges.data(), report.bins.edges.size());
  }
  const std::optional<std::chrono::seconds> limit = call_limit(arguments, problem);
  check_laws(*device, configs.kernels(), problem, addresses(buffers), limit);
  report.result.resize(problem.result_bytes());
  const DeviceBuffer output(*device, report.result.size());

  const RunCall call =
      make_run_call(context, problem, addresses(buffers), report.bins.bounds, output.data());
  call.prepare();
  CallLimit watched(limit, fmt::format("running {} on {} elements", what, problem.count));
  const std::vector<double> samples = time_calls(arguments.calls, [&] {
    watched.restart();
    call.enqueue();
    device->synchronize(nullptr);
  });
  device->copy(report.result.data(), output.data(), report.result.size());
  report.device = device->info();
  report.explanation = call.explain();
  report.median_us = median(samples);
  report.calls = static_cast<int>(samples.size());
  report.tune_command = tune_command(arguments.problem, problem, report.device.id);
  return report;
}

}  // namespace

Action prepare_run(CLI::App& app, const std::string&) {
  constexpr std::uint64_t kMostCalls = 1'000'000;
  constexpr std::uint64_t kMostSeconds = 1'000'000;
  auto arguments = std::make_shared<RunArguments>();
  app.add_option("FILE", arguments->files,
                 "The file to reduce: .npy, .npz or raw, or - for the standard input; one for each "
                 "input")
      ->type_name("")
      ->required()
      ->transform([](const std::string& file) {
        constexpr std::string_view kLongName = "/dev/stdin:";  // as split_words() names it
        return file.starts_with(kLongName) ? "-:" + file.substr(kLongName.size()) : file;
      });
  app.add_option("--op", arguments->op, "The operator [sum]")->type_name("NAME");
  app.add_option("--type", arguments->type,
                 "The element type: needed for a raw file, checked for .npy")
      ->type_name("TYPE");
  app.add_flag("--raw", arguments->raw, "Take every FILE as raw elements, whatever it looks like");
  add_problem_options(app, arguments->problem);
  add_run_bin_options(app, arguments->problem.bins);
  app.add_option("--device", arguments->device,
                 "cuda:N or cpu [cuda:0 where there is one, else cpu]")
      ->type_name("NAME");
  add_database_option(app, arguments->database);
  add_number_option(
      app, "--repeat", {.least = 1, .most = kMostCalls},
      [arguments](std::uint64_t value) { arguments->calls = static_cast<int>(value); },
      fmt::format("Calls to time [{}, or fewer where they take long]", kUsualCalls));
  add_number_option(
      app, "--timeout", {.least = 0, .most = kMostSeconds},
      [arguments](std::uint64_t value) { arguments->timeout_s = value; },
      "Seconds that a call may take; 0: any [60 and 60 per 10^9 bytes of a custom operator, which "
      "may not end; 0 of others]");
  app.add_flag("--json", arguments->json, "Print JSON: an object");
  app.footer(kRunFooter);
  return [arguments] {
    const RunReport report = reduce_files(*arguments);
    arguments->json ? print_json(report) : print_text(report);
    return ExitCode::ok;
  };
}

}  // namespace foldtune
