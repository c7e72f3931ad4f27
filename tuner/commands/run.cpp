// foldtune run: reduces a file with what was tuned.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/context.h"
#include "foldtune/error.h"
#include "runtime/device.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/format.h"
#include "tuner/input_file.h"
#include "tuner/reference.h"

namespace foldtune {
namespace {

/// Bytes that are read and copied to the device at a time.
constexpr std::size_t kChunkBytes = std::size_t{32} << 20;

// Without --repeat: enough calls for a median, unless a call is slow.
constexpr int kUsualCalls = 10;
constexpr double kEnoughUs = 1e6;

constexpr const char* kFooter =
    R"(FILE is a .npy file, known by its first bytes, or a raw one: elements in the order of this
machine's bytes, and nothing else. An array of any shape is reduced as a whole.

The time is that of a call and of the wait for its end, on the host's clock, and the median of
several; reading the file and copying it to the device are not in it. The database is only
read; where nothing fitting was tuned, a sound default is used.

Examples:
  foldtune run --op sum data.npy
  foldtune run --op max --type i32 --device cpu data.bin --json)";

struct Arguments {
  std::string file;
  std::string op = "sum";
  std::optional<std::string> type;
  std::optional<std::string> accumulator;
  std::optional<std::string> device;
  std::optional<std::string> database;
  std::optional<int> calls;
  bool json = false;
};

/// What was computed, and how.
struct Report {
  Problem problem;
  std::array<std::byte, sizeof(double)> result{};  ///< one value of the accumulator type
  DeviceInfo device;
  Explanation explanation;
  double median_us = 0;
  int calls = 0;

  double gbps() const { return static_cast<double>(problem.input_bytes()) / median_us / 1e3; }
};

Problem make_problem(const Arguments& arguments, const InputElements& elements) {
  Problem problem{.op = require_operator(arguments.op), .type = elements.type};
  if (arguments.accumulator) problem.accumulator = require_accumulator(*arguments.accumulator);
  problem.count = elements.count;
  if (const std::string fault = find_fault(problem); !fault.empty()) throw InvalidArgument(fault);
  return problem;
}

/// Null where there is no such file: the run is then untuned.
std::shared_ptr<const ConfigStore> open_store(const std::optional<std::string>& asked) {
  const std::string path = database_path(asked);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) && !ignored) {
    if (asked) {
      fmt::print(stderr, "foldtune: note: there is no database {}; running untuned\n", path);
    }
    return nullptr;
  }
  return open_sqlite_store(path, OpenMode::read_only);
}

DeviceBuffer copy_to_device(Device& device, const InputFile& file, const InputElements& elements) {
  const std::uint64_t bytes = elements.count * size_of(elements.type);
  DeviceBuffer buffer(device, std::max<std::uint64_t>(bytes, 1));
  std::vector<std::byte> chunk(std::min<std::uint64_t>(bytes, kChunkBytes));
  for (std::uint64_t done = 0; done < bytes;) {
    const std::span<std::byte> part =
        std::span(chunk).first(std::min<std::uint64_t>(chunk.size(), bytes - done));
    file.read(elements.offset + done, part);
    device.copy(static_cast<std::byte*>(buffer.data()) + done, part.data(), part.size());
    done += part.size();
  }
  return buffer;
}

double median(std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
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

Report reduce_file(const Arguments& arguments) {
  require_operator(arguments.op);
  std::optional<ElementType> type;
  if (arguments.type) type = require_element_type(*arguments.type);
  const InputFile file(arguments.file);
  const InputElements elements = find_elements(file, type);
  Report report;
  report.problem = make_problem(arguments, elements);

  const std::shared_ptr<Device> device = open_device(choose_device(arguments.device));
  Context context(device, open_store(arguments.database));
  const Reducer reducer = context.reducer(report.problem);
  const DeviceBuffer input = copy_to_device(*device, file, elements);
  const DeviceBuffer output(*device, report.result.size());

  reducer.prepare(input.data(), elements.count);
  const std::vector<double> samples = time_calls(arguments.calls, [&] {
    reducer(input.data(), elements.count, output.data());
    device->synchronize(nullptr);
  });
  device->copy(report.result.data(), output.data(), report.result.size());
  report.device = device->info();
  report.explanation = reducer.explain(elements.count);
  report.median_us = median(samples);
  report.calls = static_cast<int>(samples.size());
  return report;
}

/// A number; what JSON has no number for is a string: "inf", "-inf", "nan".
nlohmann::ordered_json result_json(ElementType type, const std::byte* result) {
  double value = 0;
  if (type == ElementType::f64) {
    std::memcpy(&value, result, sizeof(value));
  } else if (type == ElementType::f32) {
    float single = 0;
    std::memcpy(&single, result, sizeof(single));
    value = single;
  } else {
    return nlohmann::ordered_json::parse(format_number_of(type, result));
  }
  if (!std::isfinite(value)) return format_number_of(type, result);
  return value;
}

void print_json(const Report& report, const std::string& file) {
  const ElementType accumulator = report.problem.accumulator_type();
  const nlohmann::ordered_json json{
      {"result", result_json(accumulator, report.result.data())},
      {"file", file},
      {"op", name(report.problem.op)},
      {"element_type", name(report.problem.type)},
      {"accumulator_type", name(accumulator)},
      {"element_count", report.problem.count},
      {"device", report.device.id},
      {"device_name", report.device.record.name},
      {"config", nlohmann::ordered_json::parse(report.explanation.config)},
      {"config_source", to_string(report.explanation.source)},
      {"config_reason", report.explanation.reason},
      {"tuned_count", report.explanation.tuned_count},
      {"tuned_us", report.explanation.tuned_us},
      {"median_us", report.median_us},
      {"calls", report.calls},
      {"bandwidth_gbps", report.gbps()},
  };
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_text(const Report& report, const std::string& file) {
  const ElementType accumulator = report.problem.accumulator_type();
  const Explanation& explanation = report.explanation;
  fmt::print("result  {}\n", format_result(report.problem, report.result.data()));
  fmt::print("what    {} of {} {} in {}, kept in {}\n", name(report.problem.op),
             report.problem.count, name(report.problem.type), file, name(accumulator));
  fmt::print("device  {} ({})\n", report.device.id, report.device.record.name);
  fmt::print("config  {}\n", format_config(explanation.config));
  fmt::print("why     {}: {}\n", to_string(explanation.source), explanation.reason);
  if (explanation.source == ConfigSource::untuned_default) {
    fmt::print("        tune it: foldtune tune --device {} --op {} --type {} --n {}\n",
               report.device.id, name(report.problem.op), name(report.problem.type),
               std::max<std::uint64_t>(report.problem.count, 1));
  }
  fmt::print("time    {} per call and wait, {} GB/s (host clock, median of {} call{})\n",
             format_us(report.median_us), format_number(report.gbps()), report.calls,
             report.calls == 1 ? "" : "s");
}

}  // namespace

Action prepare_run(CLI::App& app, const std::string&) {
  constexpr int kMostCalls = 1'000'000;
  auto arguments = std::make_shared<Arguments>();
  app.add_option("FILE", arguments->file, "The file to reduce: .npy or raw")
      ->type_name("")
      ->required();
  app.add_option("--op", arguments->op, "The operator [sum]")->type_name("NAME");
  app.add_option("--type", arguments->type,
                 "The element type: needed for a raw file, checked for .npy")
      ->type_name("TYPE");
  app.add_option("--acc", arguments->accumulator, kAccumulatorHelp)->type_name("TYPE");
  app.add_option("--device", arguments->device,
                 "cuda:N or cpu [cuda:0 where there is one, else cpu]")
      ->type_name("NAME");
  app.add_option("--db", arguments->database, "The tuning database [see foldtune --help]")
      ->type_name("FILE");
  app.add_option("--repeat", arguments->calls,
                 fmt::format("Calls to time [{}, or fewer where they take long]", kUsualCalls))
      ->type_name("N")
      ->check(CLI::Range(1, kMostCalls).description(""));
  app.add_flag("--json", arguments->json, "Print JSON: an object");
  app.footer(kFooter);
  return [arguments] {
    const Report report = reduce_file(*arguments);
    arguments->json ? print_json(report, arguments->file) : print_text(report, arguments->file);
    return ExitCode::ok;
  };
}

}  // namespace foldtune
