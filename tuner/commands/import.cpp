// foldtune import: measurements from a file of foldtune export.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cache/intake.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/exchange/import_rows.h"
#include "tuner/exchange/input_bytes.h"
#include "tuner/file_error.h"
#include "tuner/format.h"

namespace foldtune {
namespace {

struct ImportArguments {
  std::optional<std::string> database;
  std::string file;
  bool edited = false;
  bool dry_run = false;
};

/// What can be known without a database, so that a damaged file makes and changes none.
ExchangeContents require_contents(const InputBytes& input, bool edited) {
  ExchangeContents contents = read_contents(input.begin(), input.name());
  if (contents.changed.empty() || edited) return contents;
  throw FileError(
      fmt::format("{} is not as it was exported: its {} do not have the hashes that it gives; copy "
                  "or export it again, or give --edited if you changed it on purpose",
                  input.name(), contents.changed));
}

void print_report(const std::string& file, const ImportReport& read, const IntakeReport& taken,
                  bool dry_run) {
  fmt::print("{}: {} read, {} {}, {} already there, {} refused\n", file,
             format_count(read.rows, "measurement"), taken.added,
             dry_run ? "would be added" : "added", taken.known, read.refused);
  for (const std::string& reason : read.reasons) fmt::print("  refused {}\n", reason);
  if (read.refused > read.reasons.size()) {
    fmt::print("  and {} more\n", read.refused - read.reasons.size());
  }
  fmt::print("  new: {}, {}\n", format_count(taken.new_devices, "device"),
             format_count(taken.new_problems, "problem"));
}

ExitCode run_import(const ImportArguments& arguments) {
  const std::string path = database_path(arguments.database);
  const InputBytes input(arguments.file);
  const ExchangeContents contents = require_contents(input, arguments.edited);
  Intake intake(path, arguments.dry_run ? Intake::Mode::rehearse : Intake::Mode::add);
  const ImportReport report =
      import_rows(input.begin(), input.name(), contents,
                  [&](const std::vector<ResultRow>& rows) { intake.add(rows); });
  print_report(input.name(), report, intake.report(), arguments.dry_run);
  return report.refused == 0 ? ExitCode::ok : ExitCode::database;
}

}  // namespace

Action prepare_import(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<ImportArguments>();
  app.add_option("FILE", arguments->file, "A file of foldtune export; - is the standard input")
      ->required();
  app.add_option("--db", arguments->database,
                 "The database that takes it, made if it is missing [see foldtune --help]")
      ->type_name("FILE");
  app.add_flag("--edited", arguments->edited, "Take a file that was changed since it was exported");
  app.add_flag("--dry-run", arguments->dry_run, "Print what would be added, and change nothing");
  app.footer(
      "Adds every measurement of the file that the database lacks, with its run and its device; "
      "nothing is\noverwritten. A file that is torn or was changed is refused as a whole. Of "
      "others each row is looked\nat: what cannot be a measurement of this Foldtune's problems is "
      "refused, with its reason, and the\nexit code is 5 then. An import that was stopped is "
      "completed by the same command.\n\n"
      "Examples:\n"
      "  foldtune import h200.json --dry-run\n"
      "  foldtune import h200.json --db shared.db");
  return [arguments] { return run_import(*arguments); };
}

}  // namespace foldtune
