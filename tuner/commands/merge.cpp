// foldtune merge: several databases in one.
#include "cache/merge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tuner/commands/commands.h"
#include "tuner/format.h"

namespace foldtune {
namespace {

struct MergeArguments {
  std::string into;
  std::vector<std::string> from;
};

void print_report(const std::string& from, const MergeReport& report) {
  fmt::print("{}: {} added, {} already there, {} refused\n", from, report.taken.added,
             report.taken.known, report.refused.size());
  for (const std::string& refusal : report.refused) fmt::print("  refused {}\n", refusal);
  fmt::print("  the best changed for {}, and is the first for {}\n",
             format_count(report.taken.changed_problems, "problem"), report.taken.new_problems);
  std::fflush(stdout);  // It is in the file, whatever becomes of the next.
}

ExitCode run_merge(const MergeArguments& arguments) {
  ExitCode code = ExitCode::ok;
  for (const std::string& from : arguments.from) {
    const MergeReport report = merge_database(arguments.into, from);
    print_report(from, report);
    if (!report.refused.empty()) code = ExitCode::database;
  }
  return code;
}

}  // namespace

Action prepare_merge(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<MergeArguments>();
  app.add_option("INTO", arguments->into, "The database that takes all; made if it is missing")
      ->required();
  app.add_option("FROM", arguments->from, "The databases that are read")->required();
  app.footer(
      "Copies every measurement that INTO lacks, with its run, "
      "Nothing is\noverwritten, and FROM is only read. "
      "The best of a\nproblem is then of the highest round, of these the fastest, as ever. What "
      "cannot be a measurement\nis refused, with its reason, and the exit code is 5 then.\n\n"
      "Example:\n"
      "  foldtune merge all.db host1.db host2.db");
  return [arguments] { return run_merge(*arguments); };
}

}  // namespace foldtune
