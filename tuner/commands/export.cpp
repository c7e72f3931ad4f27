// foldtune export: measurements as a file for others.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/exchange/export_rows.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

struct ExportArguments {
  std::optional<std::string> database;
  std::string output = "-";
  RowFilter filter;
  bool best = false;
};

ExitCode run_export(const ExportArguments& arguments) {
  const auto is_wanted = row_test(arguments.filter);
  const std::string database = database_path(arguments.database);
  OutputFile output(arguments.output, "export", {database});
  const ExportReport report =
      export_rows(database, arguments.best ? RowSet::best : RowSet::all, is_wanted, output);
  output.commit();
  print_to(stderr, "exported {} of {} on {}\n", format_count(report.measurements, "measurement"),
           format_count(report.runs, "run"), format_count(report.devices, "device"));
  for (const std::string& line : report.left_out) print_to(stderr, "  left out {}\n", line);
  return report.left_out.empty() ? ExitCode::ok : ExitCode::database;
}

}  // namespace

Action prepare_export(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<ExportArguments>();
  add_database_option(app, arguments->database);
  app.add_option("-o,--output", arguments->output, "The file to write [-, the standard output]")
      ->type_name("FILE");
  add_row_filter(app, arguments->filter);
  app.add_flag("--best", arguments->best, "Only the best configuration of every problem");
  app.footer(
      "Writes every measurement, with its run and its device, as JSON that `foldtune import` reads "
      "on any\nmachine; docs/database.md describes it. The database is only read. A file is there "
      "as a whole or\nnot at all. It holds the command lines of the runs as they were typed.\n\n"
      "Examples:\n"
      "  foldtune export -o h200.json --device h200\n"
      "  foldtune export --best --op sum | ssh host foldtune import -");
  return [arguments] { return run_export(*arguments); };
}

}  // namespace foldtune
