#include "bench/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "foldtune/error.h"
#include "tuner/commands/options.h"
#include "tuner/files/file_error.h"
#include "tuner/problem/count_list.h"
#include "tuner/text/format.h"

namespace foldtune::bench {
namespace {

/// CUB is called with offsets of 32 bits.
constexpr std::uint64_t kMostElements = std::numeric_limits<std::int32_t>::max();

constexpr std::array<std::pair<Manner, std::string_view>, 4> kManners{{
    {Manner::rotating, "graph"},
    {Manner::hot, "hot"},
    {Manner::stream, "stream"},
    {Manner::latency, "latency"},
}};

std::vector<Manner> parse_manners(const std::vector<std::string>& names) {
  std::vector<Manner> manners;
  for (const std::string& text : names) {
    const auto found =
        std::ranges::find(kManners, text, [](const auto& entry) { return entry.second; });
    if (found == kManners.end()) {
      throw InvalidArgument(
          fmt::format("there is no manner '{}': use graph, hot, stream or latency", text));
    }
    manners.push_back(found->first);
  }
  return manners;
}

void append_sizes(std::vector<Size>& sizes, const std::string& text, Alignment alignment) {
  std::vector<std::uint64_t> counts = parse_counts(text);
  std::ranges::sort(counts);
  if (counts.back() > kMostElements) {
    throw InvalidArgument(fmt::format(
        "{} elements are too many for this comparison, which calls the libraries with 32-bit "
        "counts; give less than 2^31",
        counts.back()));
  }
  for (const std::uint64_t count : counts)
    sizes.push_back({.count = count, .alignment = alignment});
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

std::string join_command(int argc, const char* const* argv) {
  std::string command;
  for (int i = 0; i < argc; ++i) command += (i > 0 ? " " : "") + shell_quoted(argv[i]);
  return command;
}

}  // namespace

std::string_view name(Manner manner) {
  const auto found =
      std::ranges::find(kManners, manner, [](const auto& entry) { return entry.first; });
  return found == kManners.end() ? "flushed" : found->second;
}

ParsedOptions parse_options(int argc, const char* const* argv) {
  Options options;
  CaseFilter filter;
  std::string sizes;
  std::string lengths;
  std::vector<std::string> manners{"graph", "hot", "stream", "latency"};
  std::string counts = "2^10..2^30:4,1000003";
  std::string misaligned;
  std::string budget;
  std::optional<std::string> database;

  CLI::App app{"Compares Foldtune, tuned and untuned, with CUB and cuBLAS in one run."};
  app.add_option("--device", options.device, "CUDA device; on cpu Foldtune alone is called")
      ->capture_default_str();
  app.add_option("--db", database,
                 "Tuning database; default: $FOLDTUNE_DB, else the user's cache folder");
  app.add_option("--yardstick", options.yardstick,
                 "Another database: where it has a result for just this n, Foldtune takes part "
                 "with that, too")
      ->check(CLI::ExistingFile);
  app.add_option("--case", filter.names,
                 "Cases by comma: one of this name, or all whose name contains it; default: all")
      ->delimiter(',');
  app.add_option(
         "--family", filter.families,
         "Of the cases those of these families; axis has reductions along axes, segments those "
         "of segments")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--op", filter.operators, "Of the cases those of these operators")->delimiter(',');
  app.add_option("--type", filter.types, "Of the cases those of these elements")->delimiter(',');
  app.add_option(
         "--direction", filter.directions,
         "Of the cases along axes: rows, columns, vocabulary, middle, batch_norm; of histograms: "
         "rows; of segments their lengths: uniform, equal, power_law, one_long, mostly_empty")
      ->delimiter(',');
  app.add_option("--size", sizes,
                 "Of the rows, columns and segments those with so many elements: 2^26,2^20");
  app.add_option("--length", lengths,
                 "Of the cases with shapes those with so many elements to a result, on average");
  app.add_flag("--list", options.list, "Print the names of the cases, and end");
  app.add_flag("--tune-options", options.tune_options,
               "Print the options of foldtune tune for each case with shapes, and end");
  app.add_option("--n", counts,
                 "Elements: 4096, 64K, 2^12; by comma, or A..B in steps of 4; not of cases along "
                 "axes and of segments, which have shapes of their own")
      ->capture_default_str();
  app.add_option("--misaligned", misaligned,
                 "Elements, as for --n, of inputs that are aligned to their element alone");
  app.add_option("--manner", manners,
                 "graph: calls in a CUDA graph, inputs from memory; hot: the same, inputs from the "
                 "L2, where they fit; stream: back to back; latency: from call to result")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--rounds", options.rounds,
                 "Samples of each contender; fewer where they take long")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the inputs, and of the order within each round")
      ->capture_default_str();
  app.add_option("--budget", budget, "Time after which no further n is begun: 300s, 5m");
  app.add_option("--from", options.from,
                 "Reports to be joined and shown; nothing is measured then");
  app.add_option("--json", options.json, "Write the report to this file, as it grows");
  CLI::Option* const inputs_ready =
      app.add_flag("--inputs-ready", options.inputs_ready,
                   "Promise Foldtune that nothing running writes its inputs, which it loads early");
  app.add_flag("--check", options.check, "Exit with 1 unless all thresholds are met")
      ->excludes(inputs_ready);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return {.options = {}, .run = false, .exit_code = code == 0 ? ExitCode::ok : ExitCode::usage};
  }
  if (!sizes.empty()) filter.sizes = parse_counts(sizes);
  if (!lengths.empty()) filter.lengths = parse_counts(lengths);
  options.cases = find_cases(filter);
  append_sizes(options.sizes, counts, Alignment::vector);
  if (!misaligned.empty()) append_sizes(options.sizes, misaligned, Alignment::element);
  options.manners = parse_manners(manners);
  if (!budget.empty()) options.budget = parse_duration(budget);
  const bool measures = options.from.empty() && !options.list && !options.tune_options;
  if (measures) options.database = find_database(database);
  if (!options.json.empty()) check_folder_of(options.json);
  options.command = join_command(argc, argv);
  return {.options = std::move(options)};
}

}  // namespace foldtune::bench
