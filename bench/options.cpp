#include "bench/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "foldtune/error.h"
#include "tuner/commands/options.h"
#include "tuner/count_list.h"
#include "tuner/exit_code.h"
#include "tuner/file_error.h"

namespace foldtune::bench {
namespace {

constexpr std::string_view kCompared = "sum, min and max of i32, f32 and f64 are";

/// "all" stands for what is compared.
std::vector<Problem> make_problems(const std::string& ops, const std::string& types) {
  const bool has_all = ops == "all" || types == "all";
  std::vector<Problem> problems;
  for (const Operator op : parse_operators(ops)) {
    for (const ElementType type : parse_element_types(types)) {
      if (is_compared(op, type)) {
        problems.push_back(comparable_problem(op, type));
      } else if (!has_all) {
        throw InvalidArgument(
            fmt::format("{} of {} is not compared with CUB; {}", name(op), name(type), kCompared));
      }
    }
  }
  if (problems.empty()) {
    throw InvalidArgument(fmt::format("nothing of --op {} --type {} is compared with CUB; {}", ops,
                                      types, kCompared));
  }
  return problems;
}

/// In ascending order, as far as CUB's 32-bit offsets go.
std::vector<std::uint32_t> make_counts(const std::string& text) {
  std::vector<std::uint32_t> counts;
  for (const std::uint64_t count : parse_counts(text)) {
    if (count > std::numeric_limits<std::uint32_t>::max()) {
      throw InvalidArgument(
          fmt::format("{} elements are too many for this comparison, which calls CUB with 32-bit "
                      "offsets; give --n less than 2^32",
                      count));
    }
    counts.push_back(static_cast<std::uint32_t>(count));
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

int read_ordinal(const std::string& device) {
  constexpr std::string_view kPrefix = "cuda:";
  const std::string digits = device.starts_with(kPrefix) ? device.substr(kPrefix.size()) : "";
  if (digits.empty() || digits.size() > 3 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    throw InvalidArgument(
        fmt::format("'{}' is no CUDA device; write cuda:0 for the first one", device));
  }
  return std::stoi(digits);
}

std::string find_database(const std::optional<std::string>& asked) {
  std::string path = database_path(asked);
  if (!std::filesystem::exists(path)) {
    throw DatabaseError(
        fmt::format("there is no tuning database {}; tune first (foldtune tune), or name another "
                    "one with --db",
                    path));
  }
  return path;
}

/// Found out before an hour of measuring rather than after it.
void check_folder_of(const std::string& file) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw FileError(
        fmt::format("the report {} cannot be written: {} is not a folder; create it first", file,
                    folder.string()));
  }
}

/// What a shell would take as it is stays as it is.
std::string quote(std::string_view word) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:^@%";
  if (!word.empty() && word.find_first_not_of(kHarmless) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string join_command(int argc, char** argv) {
  std::string command;
  for (int i = 0; i < argc; ++i) command += (i > 0 ? " " : "") + quote(argv[i]);
  return command;
}

}  // namespace

ParsedOptions parse_options(int argc, char** argv) {
  Options options;
  std::string ops = "sum";
  std::string types = "f32";
  std::string counts = "2^12..2^28";
  std::optional<std::string> database;
  bool stream = false;
  bool latency = false;

  CLI::App app{"Compares Foldtune, tuned and untuned, with CUB's DeviceReduce in one run."};
  app.add_option("--device", options.device, "CUDA device")->capture_default_str();
  app.add_option("--db", database,
                 "Tuning database; default: $FOLDTUNE_DB, else the user's cache folder");
  app.add_option("--op", ops, "Operators by comma, or all")->capture_default_str();
  app.add_option("--type", types, "Element types by comma, or all")->capture_default_str();
  app.add_option("--n", counts, "Elements: 4096, 64K, 2^12; by comma, or A..B in steps of 4")
      ->capture_default_str();
  app.add_option("--rounds", options.comparison.rounds, "Samples of each competitor")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", options.comparison.seed, "Of the order within each round")
      ->capture_default_str();
  CLI::Option* stream_option =
      app.add_flag("--stream", stream, "Time plain launches back to back instead of a CUDA graph");
  app.add_flag("--latency", latency, "Time from the call to its result on the host instead")
      ->excludes(stream_option);
  app.add_option("--json", options.json, "Write the report to this file too");
  app.add_flag("--check", options.check, "Exit with 1 unless the three targets are met");
  app.add_option("--min-geomean", options.targets.geometric_mean,
                 "Target: geometric mean of CUB's time over ours, over all n")
      ->capture_default_str();
  app.add_option("--min-ratio", options.targets.minimum, "Target: CUB's time over ours at every n")
      ->capture_default_str();
  app.add_option("--min-gbps", options.targets.gbps, "Target: GB/s at the largest n")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool is_help = app.exit(error) == 0;
    return {.options = {}, .run = false, .exit_code = is_help ? ExitCode::ok : ExitCode::usage};
  }

  options.ordinal = read_ordinal(options.device);
  options.problems = make_problems(ops, types);
  options.counts = make_counts(counts);
  options.database = find_database(database);
  if (!options.json.empty()) check_folder_of(options.json);
  if (stream) options.comparison.method = Method::stream;
  if (latency) options.comparison.method = Method::latency;
  options.command = join_command(argc, argv);
  return {.options = std::move(options)};
}

}  // namespace foldtune::bench
