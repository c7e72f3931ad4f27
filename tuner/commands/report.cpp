// foldtune report: a page on what the database holds.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "cache/record_check.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/files_read.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/files/output_file.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/report/page.h"
#include "tuner/report/report_data.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

struct ReportArguments {
  std::optional<std::string> database;
  std::string output;
  RowFilter filter;
  bool json = false;
};

using OrderedJson = nlohmann::ordered_json;

/// `left_out`: sentences on what the page does not show.
void print_report(const std::string& file, const OrderedJson& left_out, std::uint64_t bytes) {
  for (const OrderedJson& sentence : left_out) {
    print_to(stderr, "foldtune: note: {}\n", sentence.get<std::string>());
  }
  if (is_standard_output(file)) return;
  print_to(stderr, "wrote {} ({}): open it in a browser\n", file, format_bytes(bytes));
}

ExitCode run_report(const ReportArguments& arguments, const std::vector<std::string>& read) {
  require_place_for_json(arguments.json, arguments.output, "the page", "-o");
  const std::string path = database_path(arguments.database);
  select({}, arguments.filter);  // before the files are looked for, the names are checked
  OutputFile output(arguments.output, "page", read);
  ReportSource source{.database = std::filesystem::path(path).filename().string(),
                      .made_at = utc_now()};
  source.measurements =
      open_sqlite_store(path, OpenMode::read_only)->measurements_where(row_test(arguments.filter));
  const OrderedJson data = make_report_data(source);
  const OrderedJson& left_out = data.at("left_out");
  output.write(make_page(data));
  output.commit();
  if (arguments.json) {
    print_indented({{"file", arguments.output}, {"bytes", output.bytes()}, {"left_out", left_out}});
  } else {
    print_report(arguments.output, left_out, output.bytes());
  }
  return ExitCode::ok;
}

}  // namespace

Action prepare_report(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<ReportArguments>();
  add_database_option(app, arguments->database);
  app.add_option("-o,--output", arguments->output, "The page; - for stdout")
      ->type_name(kFileToWrite)
      ->required();
  add_row_filter(app, arguments->filter);
  app.add_flag("--json", arguments->json, "Print JSON: an object");
  app.footer(
      "Writes a page for a browser on what the database holds: how close to the memory's bandwidth "
      "the\nbest configurations come, how time depends on size and on each tunable, and what "
      "failed. "
      "The page\nis one file that needs no network. The database is only read.\n\n"
      "Examples:\n"
      "  foldtune report -o report.html\n"
      "  foldtune report --device h200 --op sum,dot -o sums.html");
  return [arguments, &app] { return run_report(*arguments, files_read(app)); };
}

}  // namespace foldtune
