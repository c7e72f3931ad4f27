/// The command line of foldtune_bench.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/cases.h"
#include "tuner/commands/exit_code.h"
#include "tuner/measure/measure.h"

namespace foldtune::bench {

/// Elements of each input, and how these are aligned.
struct Size {
  std::uint64_t count = 0;
  Alignment alignment = Alignment::vector;
  bool operator==(const Size&) const = default;
};

struct Options {
  std::string device = "cuda:0";
  std::string database;   ///< path; exists, unless there is nothing to measure
  std::string yardstick;  ///< path of another one, with what is best in some cells; may be empty
  std::vector<Case> cases;
  std::vector<Size>
      sizes;  ///< of cases without shapes; the aligned ones first, each kind ascending
  std::vector<Manner> manners;
  int rounds = 9;
  std::uint64_t seed = 1;
  std::optional<double> budget;   ///< seconds after which no further cell is begun
  std::vector<std::string> from;  ///< reports to be joined instead of a measurement; may be empty
  std::string json;               ///< path of the report; empty: none
  bool inputs_ready = false;      ///< Foldtune is promised that nothing running writes its inputs
  bool check = false;             ///< against the thresholds
  bool list = false;              ///< the cases' names, and nothing else
  bool tune_options = false;      ///< what tunes the cases with shapes, and nothing else
  std::string command;            ///< as it was typed, for the report
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
ParsedOptions parse_options(int argc, const char* const* argv);

/// "graph", "hot", "stream", "latency".
std::string_view name(Manner manner);

}  // namespace foldtune::bench
