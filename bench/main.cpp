#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bench/check.h"
#include "bench/cub_calls.h"
#include "bench/cuda.h"
#include "bench/matrix.h"
#include "bench/options.h"
#include "bench/report_json.h"
#include "bench/report_text.h"
#include "cache/store_error.h"
#include "foldtune/error.h"
#include "templates/family.h"
#include "tuner/files/file_error.h"
#include "tuner/files/output_file.h"
#include "tuner/text/format.h"

namespace foldtune::bench {
namespace {

/// A row is seen when it is measured, also through a pipe.
void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

Run describe_run(Device& device, const Options& options) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const DeviceRecord& record = device.info().record;
  return {.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)),
          .command = options.command,
          .device = record.name,
          .architecture = record.architecture,
          .driver = record.driver,
          .versions = {{"CUDA", cuda_runtime_version()},
                       {std::string(kCub), cub_version()},
                       {"compiler", device.compiler().version()}},
          .rounds = options.rounds,
          .seed = options.seed};
}

/// What was measured is kept, whatever comes; but a large report is not written all the time.
class Keeper {
 public:
  explicit Keeper(std::string path) : path_(std::move(path)) {}

  void keep(const Report& report) {
    constexpr std::chrono::seconds kPause{2};
    if (Clock::now() - written_ > kPause) write(report);
  }

  void write(const Report& report) {
    written_ = Clock::now();
    if (path_.empty()) return;
    OutputFile file(path_, "report");
    file.write(to_json(report));
    file.commit();
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::string path_;
  Clock::time_point written_ = Clock::now();
};

/// Each line once.
void print_lines(const std::vector<std::string>& lines) {
  std::set<std::string> printed;
  for (const std::string& line : lines) {
    if (printed.insert(line).second) print_line(line);
  }
}

/// Wrong results by cell; what a library does not have is the same for all cells of a case.
void print_faults(const Report& report) {
  std::vector<std::string> lines;
  for (const Fault& fault : report.faults) {
    const std::string where = fault.is_wrong ? describe(fault.cell) : fault.cell.case_name;
    lines.push_back(fmt::format("{}, {}: {}{}", fault.contender, where,
                                fault.is_wrong ? "FAILED: " : "", first_line(fault.reason)));
  }
  for (const Cell& cell : report.not_run) {
    lines.push_back(fmt::format("not run for want of time: {}", describe(cell)));
  }
  print_lines(lines);
}

/// Of runs with the same versions, the first.
void print_runs(const Report& report) {
  std::set<std::map<std::string, std::string>> printed;
  for (const Run& run : report.runs) {
    if (printed.insert(run.versions).second) print_line(format_run(run) + '\n');
  }
}

/// What is called tuned, and is not, is not what was to be measured.
void print_untuned(const Report& report) {
  std::vector<std::string> lines;
  for (const Figure& figure : report.figures) {
    if (figure.contender != kTuned || figure.source != "default") continue;
    lines.push_back(fmt::format("not tuned: {}", describe(figure.cell)));
  }
  print_lines(lines);
}

/// 1 for wrong results, and for a check that fails.
ExitCode conclude(const Report& report, const Options& options) {
  print_line(fmt::format("\n{}", format_summary(report)));
  for (const Family* const family : families()) print_line(config_legend(*family));
  print_untuned(report);
  print_faults(report);
  const bool is_right = std::ranges::none_of(report.faults, &Fault::is_wrong);
  if (!options.check) return is_right ? ExitCode::ok : ExitCode::internal;
  const std::vector<Verdict> verdicts = check(report, thresholds());
  print_line(fmt::format("\n{}", format_verdicts(report, verdicts)));
  return is_passed(report, verdicts) ? ExitCode::ok : ExitCode::internal;
}

ExitCode show_joined(const Options& options) {
  std::vector<Report> reports;
  for (const std::string& path : options.from) reports.push_back(read_report(path));
  const Report report = join(std::move(reports));
  Keeper(options.json).write(report);
  print_runs(report);
  print_line(format_tables(report));
  return conclude(report, options);
}

/// Shows each case when it is measured.
void measure_all(Matrix& matrix, const std::vector<Case>& cases) {
  std::size_t shown = 0;
  for (const Case& one : cases) {
    matrix.measure(one);
    const Report& report = matrix.report();
    const std::vector<Row> rows = rows_of(report);
    if (shown == 0) print_line(format_run(report.runs.front()));
    if (rows.size() > shown) {
      print_line(fmt::format("\n{}", format_tables(std::span(rows).subspan(shown))));
    }
    shown = rows.size();
  }
}

ExitCode measure(const Options& options) {
  const std::shared_ptr<Device> device = open_device(options.device);
  if (device->info().record.kind == "cuda") select(*device);
  Keeper keeper(options.json);
  Matrix matrix(device, options, describe_run(*device, options),
                [&](const Report& report) { keeper.keep(report); });
  try {
    measure_all(matrix, options.cases);
  } catch (const Error&) {
    keeper.write(matrix.report());
    throw;
  }
  keeper.write(matrix.report());
  return conclude(matrix.report(), options);
}

ExitCode run(const Options& options) {
  if (options.list) {
    for (const Case& one : options.cases) print_line(one.name);
    return ExitCode::ok;
  }
  if (options.tune_options) {
    for (const Case& one : options.cases) {
      if (!one.shapes.empty()) print_line(tune_options(one));
    }
    return ExitCode::ok;
  }
  return options.from.empty() ? measure(options) : show_joined(options);
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
