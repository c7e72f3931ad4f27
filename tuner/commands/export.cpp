// foldtune export: measurements as a file for others.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/commands/commands.h"
#include "tuner/commands/files_read.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/exchange/export_rows.h"
#include "tuner/inspect/row_fields.h"
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
  bool json = false;
};

void print_report(const ExportReport& report, std::uint64_t bytes) {
  print_to(stderr, "exported {} of {} on {}: {}\n",
           format_count(report.measurements, "measurement"), format_count(report.runs, "run"),
           format_count(report.devices, "device"), format_bytes(bytes));
  for (const std::string& line : report.left_out) print_to(stderr, "  left out {}\n", line);
}

void print_json(const std::string& file, const ExportReport& report, std::uint64_t bytes) {
  print_indented({{"file", file},
                  {"measurements", report.measurements},
                  {"runs", report.runs},
                  {"devices", report.devices},
                  {"bytes", bytes},
                  {"left_out", report.left_out}});
}

ExitCode run_export(const ExportArguments& arguments, const std::vector<std::string>& read) {
  require_place_for_json(arguments.json, arguments.output, "the export", "-o");
  const auto is_wanted = row_test(arguments.filter);
  const std::string database = database_path(arguments.database);
  OutputFile output(arguments.output, "export", read);
  const ExportReport report =
      export_rows(database, arguments.best ? RowSet::best : RowSet::all, is_wanted, output);
  output.commit();
  if (arguments.json) {
    print_json(arguments.output, report, output.bytes());
  } else if (finish_output() == 0) {  // else the program's end says that it is not written
    print_report(report, output.bytes());
  }
  return report.left_out.empty() ? ExitCode::ok : ExitCode::database;
}

}  // namespace

Action prepare_export(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<ExportArguments>();
  add_database_option(app, arguments->database);
  app.add_option("-o,--output", arguments->output, "The file to write [-, the standard output]")
      ->type_name(kFileToWrite);
  add_row_filter(app, arguments->filter);
  app.add_flag("--best", arguments->best, "Only the best configuration of every problem");
  app.add_flag("--json", arguments->json, "Print JSON: an object; needs -o");
  app.footer(
      "Writes every measurement, with its run and its device, as JSON that `foldtune import` reads "
      "on any\nmachine; docs/database.md describes it. The database is only read. A file is there "
      "as a whole or\nnot at all. It holds the command lines of the runs as they were typed.\n\n"
      "Examples:\n"
      "  foldtune export -o h200.json --device h200\n"
      "  foldtune export --best --op sum | ssh host foldtune import -");
  return [arguments, &app] { return run_export(*arguments, files_read(app)); };
}

}  // namespace foldtune
