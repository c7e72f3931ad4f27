// foldtune run: computes the result of files with what was tuned.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/printable.h"
#include "foldtune/context.h"
#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "runtime/lookup/config_lookup.h"
#include "templates/family.h"
#include "tuner/commands/call_limit.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/files_read.h"
#include "tuner/commands/options.h"
#include "tuner/commands/problem_options.h"
#include "tuner/commands/run_input.h"
#include "tuner/commands/run_report.h"
#include "tuner/commands/run_task.h"
#include "tuner/files/output_file.h"
#include "tuner/measure/statistics.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

// Without --repeat: enough calls for a median, unless a call is slow.
constexpr int kUsualCalls = 10;
constexpr double kEnoughUs = 1e6;

// Without --timeout, of a custom operator, which may loop for ever: what a worker of `tune` has for
// a problem.
constexpr std::chrono::seconds kCustomLimit{60};
constexpr std::uint64_t kCustomBytesPerSecond = 1'000'000'000 / 60;

constexpr const char* kFilesHelp =
    R"(FILE is a .npy file, an array of an .npz file (data.npz:x, or data.npz if it holds one), both
known by their first bytes, or a raw one: elements of --type in the order of this machine's bytes,
and nothing else. - is the standard input. Text, compressed files and others that hold no elements as
they are are refused, unless --raw says that their bytes are elements. bf16, which NumPy has no type
for, is read from raw files and, with --type bf16, from arrays of 2 bytes.)";

constexpr const char* kTimesHelp =
    R"(The time is that of a call and of the wait for its end, on the host's clock, and the median of
several; reading the file and copying it to the device are not in it. The database is only
read, but for the kernels that are compiled, which it keeps; where nothing fitting was tuned, a
sound default is used.)";

struct RunArguments {
  std::vector<std::string> files;
  ProblemOptions problem;
  RunnableFamilies families = make_runnable_families();
  std::optional<std::string> device;
  std::optional<std::string> database;
  std::optional<std::string> output;
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

/// Makes the call `calls` times, or until the time is enough, and returns the times.
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

/// What the files have to hold; empty where they say it.
std::vector<std::optional<WantedType>> input_types(const RunnableFamily& family,
                                                   const RunArguments& arguments,
                                                   const Problem& problem) {
  const bool is_custom = problem.custom() != nullptr;
  const std::string remedy =
      is_custom ? "name that type in the operator's inputs, or convert it with array.astype"
                : "leave out --type to take it as it is, or convert it with array.astype";
  std::vector<std::optional<WantedType>> result;
  for (const Argument& argument : problem.family().arguments(problem)) {
    if (argument.access != Access::input || argument.is_table) continue;
    result.emplace_back();
    if (is_custom || arguments.problem.fields.contains(family.type_field())) {
      result.back() = {.type = argument.type, .remedy = remedy};
    }
  }
  return result;
}

/// The task on the files, of which the first says the type unless an operator has its own.
std::unique_ptr<RunTask> make_task(const RunnableFamily& family, const RunArguments& arguments,
                                   const Problem& problem, const InputArray& first) {
  RunRequest request{.options = arguments.problem,
                     .type = first.type(),
                     .count = first.count(),
                     .shape = first.shape().value_or(ArrayShape{first.count()}),
                     .output = arguments.output};
  if (problem.custom() == nullptr) {
    request.options.fields[std::string(family.type_field())] = name(first.type());
  }
  return family.make_task(request);
}

/// What is computed, for messages: the first word.
std::string operator_name(const Problem& problem) {
  if (problem.custom() != nullptr) return problem.custom()->name;
  const std::string text = to_string(problem);
  return text.substr(0, text.find(' '));
}

/// The files of inputs and of what they are read with, as they are named.
std::vector<std::string> input_files(const RunArguments& arguments, const RunnableFamily& family) {
  std::vector<std::string> files = arguments.files;
  std::ranges::copy(family.files(), std::back_inserter(files));
  if (const auto& custom = arguments.problem.custom.file) files.push_back(*custom);
  for (std::string& file : files) file = InputArray::find_place(file).path;
  return files;
}

/// Whether the results can be written to where they are asked for.
void check_output(const RunArguments& arguments, const RunnableFamily& family) {
  if (!arguments.output) return;
  if (!family.has_many_results()) {
    throw InvalidArgument(
        "--output is for results that are an array, such as those along --axis: one result is "
        "printed");
  }
  if (is_standard_output(*arguments.output)) {
    throw InvalidArgument(
        "--output: what is said of the result is printed there: name a file for the results");
  }
}

/// The standard input can be read once, and so can a pipe.
void check_read_once(const std::vector<std::string>& files) {
  std::set<std::pair<dev_t, ino_t>> streams;
  for (const std::string& file : files) {
    const bool is_standard_input = file == "-";
    struct stat status {};
    const int found =
        is_standard_input ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
    if (found != 0 || !(is_standard_input || S_ISFIFO(status.st_mode))) continue;
    if (streams.emplace(status.st_dev, status.st_ino).second) continue;
    throw InvalidArgument(fmt::format("{} can be read once: name a file instead",
                                      is_standard_input
                                          ? "'-', the standard input,"
                                          : fmt::format("{}, a pipe,", printable(file))));
  }
}

std::vector<const void*> addresses(const std::vector<DeviceBuffer>& buffers) {
  std::vector<const void*> result;
  result.reserve(buffers.size());
  for (const DeviceBuffer& buffer : buffers) result.push_back(buffer.data());
  return result;
}

/// How long a call may take; empty: for ever, as Foldtune's own operators end.
std::optional<std::chrono::seconds> call_limit(const RunArguments& arguments,
                                               const Workload& workload) {
  if (arguments.timeout_s == 0U) return std::nullopt;
  if (arguments.timeout_s) return std::chrono::seconds(*arguments.timeout_s);
  if (workload.problem.custom() == nullptr) return std::nullopt;
  return kCustomLimit + std::chrono::seconds(input_bytes(workload) / kCustomBytesPerSecond);
}

/// The help's paragraphs after the options, and its examples.
std::string run_footer(const RunnableFamilies& families) {
  std::string text = fmt::format("{}\n\n{}\n\n", describe_field_values(), kFilesHelp);
  for (const auto& family : families) text += fmt::format("{}\n\n", family->help());
  text += fmt::format("{}\n\nExamples:", kTimesHelp);
  for (const auto& family : families) text += fmt::format("\n{}", family->examples());
  return text;
}

/// `read` are all files that the results may not replace.
RunReport compute_files(const RunArguments& arguments, std::vector<std::string> read) {
  const Problem asked = make_problem(arguments.problem);  // but for a type of the files
  const RunnableFamily& family = require_runnable(arguments.families, asked.family());
  if (asked.custom() != nullptr) {  // the only one that has all its types before the files are read
    if (const std::string fault = find_fault(asked); !fault.empty()) throw InvalidArgument(fault);
  }
  check_output(arguments, family);
  check_read_once(input_files(arguments, family));
  const std::vector<InputArray> files =
      open_inputs(operator_name(asked), arguments.files, input_types(family, arguments, asked),
                  arguments.raw ? InputFormat::raw : InputFormat::by_content);
  RunReport report;
  report.task = make_task(family, arguments, asked, files.front());
  RunTask& task = *report.task;
  report.shape = files.front().shape().value_or(ArrayShape{files.front().count()});
  report.files = arguments.files;

  const std::shared_ptr<Device> device = open_device(choose_device(arguments.device));
  const ConfigLookup configs = open_configs(arguments.database);
  Context context(device, configs);
  std::vector<DeviceBuffer> buffers;
  buffers.reserve(files.size());
  const ElementOrder order = task.needs_c_order() ? ElementOrder::c_order : ElementOrder::any;
  for (const InputArray& file : files) buffers.push_back(copy_to_device(*device, file, order));
  report.result.resize(output_bytes(task.workload()));
  const DeviceBuffer output(*device, report.result.size());
  const std::optional<std::chrono::seconds> limit = call_limit(arguments, task.workload());
  const KernelSources kernels = configs.kernels();
  task.prepare({.context = context,
                .device = *device,
                .kernels = kernels,
                .limit = limit,
                .inputs = addresses(buffers),
                .output = output.data(),
                .files = std::move(read)});
  CallLimit watched(
      limit, fmt::format("running {} on {} elements", operator_name(asked), files.front().count()));
  const std::vector<double> samples = time_calls(arguments.calls, [&] {
    watched.restart();
    task.enqueue();
    device->synchronize(nullptr);
  });
  device->copy(report.result.data(), output.data(), report.result.size());
  task.save(report.result);
  report.device = device->info();
  report.explanation = task.explain();
  report.median_us = median(samples);
  report.calls = static_cast<int>(samples.size());
  report.tune_command =
      tune_command(arguments.problem, task.workload(), report.device.id, arguments.database);
  return report;
}

}  // namespace

Action prepare_run(CLI::App& app, const std::string&) {
  constexpr std::uint64_t kMostCalls = 1'000'000;
  constexpr std::uint64_t kMostSeconds = 1'000'000;
  auto arguments = std::make_shared<RunArguments>();
  app.add_option("FILE", arguments->files,
                 "A file of elements: .npy, .npz or raw, or - for the standard input; one for each "
                 "input")
      ->type_name("")
      ->required()
      ->transform([](const std::string& file) {
        constexpr std::string_view kLongName = "/dev/stdin:";  // as split_words() names it
        return file.starts_with(kLongName) ? "-:" + file.substr(kLongName.size()) : file;
      });
  app.add_flag("--raw", arguments->raw, "Take every FILE as raw elements, whatever it looks like");
  add_problem_options(app, arguments->problem, Values::one);
  for (const auto& family : arguments->families) family->add_options(app);
  app.add_option("--output", arguments->output,
                 "Write the results to this file, as .npy: where there are many")
      ->type_name(kFileToWrite);
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
  app.footer(run_footer(arguments->families));
  return [arguments, &app] {
    const RunReport report = compute_files(*arguments, files_read(app));
    arguments->json ? print_json(report) : print_text(report);
    return ExitCode::ok;
  };
}

}  // namespace foldtune
