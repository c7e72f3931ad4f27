#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <random>

#include "bench/cub_calls.h"
#include "bench/cuda.h"
#include "bench/judge.h"
#include "bench/options.h"
#include "bench/report.h"
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
          .cuda = cuda_runtime_version(),
          .cub = cub_version(),
          .compiler = device.compiler().version(),
          .command = options.command,
          .rounds = options.rounds,
          .seed = options.seed};
}

class Bench {
 public:
  Bench(std::shared_ptr<Device> device, const Options& options)
      : device_(std::move(device)),
        options_(options),
        store_(open_sqlite_store(options.database, OpenMode::read_only)),
        compilations_(device_->compiler(), 1),
        random_(options.seed) {}

  void run(const Case& one) {
    std::map<Manner, std::vector<std::string>> lines;
    for (const std::uint64_t count : options_.counts) {
      Problem problem = one.problem;
      problem.count = count;
      problem.alignment = options_.alignment;
      for (Row& row : compare(one.name, problem)) {
        lines[row.manner].push_back(format_row(row));
        rows_.push_back(std::move(row));
      }
    }
    for (const Manner manner : options_.manners) {
      print_line(format_header(one.name, manner));
      for (const std::string& line : lines[manner]) print_line(line);
    }
  }

  double read_bandwidth_gbps() {
    if (read_bandwidth_gbps_ == 0) {
      make_pool({.count = 1});
      read_bandwidth_gbps_ = measure_read_bandwidth(*device_, compilations_, *pool_);
    }
    return read_bandwidth_gbps_;
  }

  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> compare(const std::string& name, const Problem& problem) {
    if (pool_ == nullptr || !pool_->serves(problem)) {
      Problem largest = problem;
      largest.count = options_.counts.back();
      make_pool(largest);
    }
    Measurer measurer(*device_, compilations_, *pool_, problem);
    const std::vector<Contender> contenders = make_contenders(device_, store_, problem, *pool_);
    try {
      check_results(measurer, contenders);
    } catch (const WrongResult& error) {
      throw WrongResult(
          fmt::format("checking the results for {}: {}", to_string(problem), error.what()));
    }
    std::vector<Row> rows;
    for (const Manner manner : options_.manners) {
      rows.push_back(
          {.case_name = name,
           .problem = problem,
           .manner = manner,
           .figures = time_in_rounds(measurer, contenders, manner, options_.rounds, random_)});
    }
    return rows;
  }

  void make_pool(const Problem& largest) {
    pool_.reset();  // before the next one takes its memory
    pool_ = std::make_unique<InputPool>(*device_, largest, options_.seed);
  }

  std::shared_ptr<Device> device_;
  const Options& options_;
  std::shared_ptr<const ConfigStore> store_;
  CompilePool compilations_;
  std::mt19937_64 random_;
  std::unique_ptr<InputPool> pool_;
  std::vector<Row> rows_;
  double read_bandwidth_gbps_ = 0;
};

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << '\n';
  file.close();
  if (!file) throw FileError(fmt::format("the report {} cannot be written", path));
}

/// Makes the device the current one of the CUDA runtime API, whose context is Foldtune's too.
void select(const Device& device) {
  const std::string& id = device.info().id;
  constexpr std::string_view kPrefix = "cuda:";
  if (!id.starts_with(kPrefix)) {
    throw InvalidArgument(
        fmt::format("'{}' is no CUDA device; write cuda:0 for the first one", id));
  }
  check(cudaSetDevice(std::stoi(id.substr(kPrefix.size()))), "choosing " + id);
}

ExitCode run(const Options& options) {
  const std::shared_ptr<Device> device = open_device(options.device);
  select(*device);
  Bench bench(device, options);
  Provenance provenance = describe_run(*device, options);
  provenance.read_bandwidth_gbps = bench.read_bandwidth_gbps();
  print_line(format_provenance(provenance));
  for (const Case& one : options.cases) {
    bench.run(one);
    // What was measured is kept, whatever comes.
    if (!options.json.empty()) write_file(options.json, to_json(provenance, bench.rows()));
  }
  print_line("\n" + format_summary(bench.rows()));
  print_line(config_legend(Family::reduce));
  return ExitCode::ok;
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
