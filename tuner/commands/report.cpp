// foldtune report: a page on what the database holds.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cache/config_store.h"
#include "cache/record_check.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/files/output_file.h"
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
};

ExitCode run_report(const ReportArguments& arguments) {
  const std::string path = database_path(arguments.database);
  select({}, arguments.filter);  // before the files are looked for, the names are checked
  OutputFile output(arguments.output, "page", {path});
  ReportSource source{.database = std::filesystem::path(path).filename().string(),
                      .made_at = utc_now()};
  source.measurements =
      open_sqlite_store(path, OpenMode::read_only)->measurements_where(row_test(arguments.filter));
  const nlohmann::ordered_json data = make_report_data(source);
  for (const nlohmann::ordered_json& sentence : data.at("left_out")) {
    print_to(stderr, "foldtune: note: {}\n", sentence.get<std::string>());
  }
  const std::string page = make_page(data);
  output.write(page);
  output.commit();
  if (arguments.output != "-") {
    print_to(stderr, "wrote {} ({}): open it in a browser\n", arguments.output,
             format_bytes(page.size()));
  }
  return ExitCode::ok;
}

}  // namespace

Action prepare_report(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<ReportArguments>();
  add_database_option(app, arguments->database);
  app.add_option("-o,--output", arguments->output, "The page; - for stdout")
      ->type_name("FILE")
      ->required();
  add_row_filter(app, arguments->filter);
  app.footer(
      "Writes a page for a browser on what the database holds: how close to the memory's bandwidth "
      "the\nbest configurations come, how time depends on size and on each tunable, and what "
      "failed. "
      "The page\nis one file that needs no network. The database is only read.\n\n"
      "Examples:\n"
      "  foldtune report -o report.html\n"
      "  foldtune report --device h200 --op sum,dot -o sums.html");
  return [arguments] { return run_report(*arguments); };
}

}  // namespace foldtune
