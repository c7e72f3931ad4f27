/// The command line of foldtune_bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/cases.h"
#include "tuner/exit_code.h"
#include "tuner/measure.h"

namespace foldtune::bench {

struct Options {
  std::string device = "cuda:0";
  std::string database;  ///< path; exists
  std::vector<Case> cases;
  std::vector<std::uint64_t> counts;  ///< elements, ascending
  std::vector<Manner> manners;
  Alignment alignment = Alignment::vector;
  int rounds = 9;
  std::uint64_t seed = 1;
  std::string json;     ///< path of the report; empty: none
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

/// "graph", "hot", "stream", "latency".
std::string_view name(Manner manner);

}  // namespace foldtune::bench
