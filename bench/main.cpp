#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "bench/cub_reduce.h"
#include "bench/cuda.h"
#include "bench/options.h"
#include "cache/config_store.h"
#include "cache/store_error.h"
#include "foldtune/error.h"
#include "tuner/file_error.h"
#include "tuner/format.h"

namespace foldtune::bench {
namespace {

/// A row is seen when it is measured, also through a pipe.
void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

Provenance describe_run(Device& device, const Options& options) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const DeviceRecord& record = device.info().record;
  return {.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)),
          .device = record.name,
          .architecture = record.architecture,
          .driver = record.driver,
          .driver_cuda = cuda_driver_version(),
          .cuda = cuda_runtime_version(),
          .cub = cub_version(),
          .compiler = device.compiler().version(),
          .command = options.command,
          .settings = options.comparison};
}

std::vector<Comparison> compare_all(const std::shared_ptr<Device>& device, const Options& options) {
  Context tuned(device, open_sqlite_store(options.database, OpenMode::read_only));
  Context untuned(device, nullptr);
  const Arena arena{.device = device, .tuned = tuned, .untuned = untuned};
  std::vector<Comparison> comparisons;
  for (const Problem& problem : options.problems) {
    print_line(format_header(problem));
    comparisons.push_back(compare(arena, problem, options.counts, options.comparison,
                                  [](const Row& row) { print_line(format_row(row)); }));
    print_line(format_summary(comparisons.back()));
  }
  print_line(fmt::format("\n{}", config_legend(Family::reduce)));
  return comparisons;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << '\n';
  file.close();
  if (!file) throw FileError(fmt::format("the report {} cannot be written", path));
}

/// Whether all targets are met.
bool check_targets(const std::vector<Comparison>& comparisons, const Targets& targets) {
  std::vector<std::string> missed;
  for (const Comparison& comparison : comparisons) {
    for (std::string& line : find_missed_targets(comparison, targets)) {
      missed.push_back(std::move(line));
    }
  }
  print_line(missed.empty() ? "\nall targets met" : "\nmissed targets:");
  for (const std::string& line : missed) print_line(fmt::format("  {}", line));
  return missed.empty();
}

ExitCode run(const Options& options) {
  const std::shared_ptr<Device> device = open_device(options.device);
  check(cudaSetDevice(options.ordinal), "choosing " + options.device);
  const Provenance provenance = describe_run(*device, options);
  print_line(format_provenance(provenance));
  const std::vector<Comparison> comparisons = compare_all(device, options);
  if (!options.json.empty()) write_file(options.json, to_json(provenance, comparisons));
  const bool is_enough = !options.check || check_targets(comparisons, options.targets);
  return is_enough ? ExitCode::ok : ExitCode::internal;
}

ExitCode parse_and_run(int argc, char** argv) {
  const ParsedOptions parsed = parse_options(argc, argv);
  return parsed.run ? run(parsed.options) : parsed.exit_code;
}

ExitCode fail(ExitCode code, const std::exception& error) {
  fmt::print(stderr, "foldtune_bench: error: {}\n", error.what());
  return code;
}

/// With the program `foldtune`'s exit codes.
ExitCode run_program(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const InvalidArgument& error) {
    return fail(ExitCode::usage, error);
  } catch (const Unavailable& error) {
    return fail(ExitCode::unavailable, error);
  } catch (const FileError& error) {
    return fail(ExitCode::file, error);
  } catch (const StoreError& error) {
    return fail(ExitCode::database, error);
  } catch (const DatabaseError& error) {
    return fail(ExitCode::database, error);
  } catch (const CompileError& error) {
    return fail(ExitCode::device, error);
  } catch (const DeviceError& error) {
    return fail(ExitCode::device, error);
  } catch (const std::exception& error) {
    return fail(ExitCode::internal, error);
  }
}

}  // namespace
}  // namespace foldtune::bench

int main(int argc, char** argv) {
  return static_cast<int>(foldtune::bench::run_program(argc, argv));
}
