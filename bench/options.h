/// The command line of foldtune_bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/comparison.h"
#include "bench/report.h"
#include "foldtune/problem.h"
#include "tuner/exit_code.h"

namespace foldtune::bench {

struct Options {
  std::string device = "cuda:0";
  int ordinal = 0;                    ///< the number in `device`
  std::string database;               ///< path; exists
  std::vector<Problem> problems;      ///< every operator over every type
  std::vector<std::uint32_t> counts;  ///< elements, ascending
  ComparisonOptions comparison;
  std::string json;  ///< path of the report; empty: none
  bool check = false;
  Targets targets;
  std::string command;  ///< as it was typed, for the report
};

/// What is left to do after the command line: measure, or end with an exit code.
struct ParsedOptions {
  Options options;
  bool run = true;
  ExitCode exit_code = ExitCode::ok;  ///< if not `run`: after --help, or after a complaint
};

/// Prints help and complaints about the syntax itself. Throws InvalidArgument for values that
/// cannot be, DatabaseError where there is no database, FileError where there is no folder for the
/// report.
ParsedOptions parse_options(int argc, char** argv);

}  // namespace foldtune::bench
