// foldtune import: measurements of other machines, from files of foldtune export or databases.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/intake.h"
#include "cache/read_rows.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/field_options.h"
#include "tuner/commands/options.h"
#include "tuner/exchange/import_rows.h"
#include "tuner/exchange/input_bytes.h"
#include "tuner/exchange/row_rules.h"
#include "tuner/files/file_error.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

struct ImportArguments {
  std::optional<std::string> database;
  std::vector<std::string> files;
  bool edited = false;
  bool dry_run = false;
  bool json = false;
};

using Take = std::function<void(const std::vector<ResultRow>&)>;

bool is_database(const InputBytes& input) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, kMagic.size()> head{};
  return input.begin()(head.data(), head.size()) == head.size() &&
         std::string_view(head.data(), head.size()) == kMagic;
}

/// What can be known without a database, so that a damaged file makes and changes none.
ExchangeContents require_contents(const InputBytes& input, bool edited) {
  ExchangeContents contents = read_contents(input.begin(), input.name());
  if (contents.changed.empty() || edited) return contents;
  throw FileError(
      fmt::format("{} is not as it was exported: its {} do not have the hashes that it gives; copy "
                  "or export it again, or give --edited if you changed it on purpose",
                  input.name(), contents.changed));
}

/// If the source changes meanwhile it is read again: what was taken before is known then.
ImportReport import_database(const std::string& path, const Take& take) {
  ImportReport report;
  read_rows(path, RowSet::all, [&](const EachRow& each) {
    report = {};
    std::vector<ResultRow> batch;
    each([&](const ResultRow& row) {
      ++report.rows;
      if (const std::string reason = judge_row(row).fault; !reason.empty()) {
        ++report.refused;
        if (report.reasons.size() < kMostReasons) {
          report.reasons.push_back(reason_line("measurement", row.result.measurement_id, reason));
        }
        return;
      }
      batch.push_back(row);
      batch.back().result.imported_from = path;
      if (batch.size() == Intake::kRowsAtATime) take(std::exchange(batch, {}));
    });
    take(batch);
  });
  return report;
}

nlohmann::ordered_json to_json(const std::string& file, const ImportReport& read,
                               const IntakeReport& taken, bool dry_run) {
  return {{"file", file},
          {"dry_run", dry_run},
          {"read", read.rows},
          {"added", taken.added},
          {"known", taken.known},
          {"refused", read.refused},
          {"reasons", read.reasons},
          {"new_devices", taken.new_devices},
          {"new_problems", taken.new_problems}};
}

void print_report(const std::string& file, const ImportReport& read, const IntakeReport& taken,
                  bool dry_run) {
  print_to(stdout, "{}: {} read, {} {}, {} already there, {} refused\n", file,
           format_count(read.rows, "measurement"), taken.added,
           dry_run ? "would be added" : "added", taken.known, read.refused);
  for (const std::string& reason : read.reasons) print_to(stdout, "  refused {}\n", reason);
  if (read.refused > read.reasons.size()) {
    print_to(stdout, "  and {} more\n", read.refused - read.reasons.size());
  }
  print_to(stdout, "  new: {}, {}\n", format_count(taken.new_devices, "device"),
           format_count(taken.new_problems, "problem"));
  finish_output();  // It is in the database, whatever becomes of the next.
}

/// `done` takes what is printed as JSON.
ExitCode import_file(const std::string& file, const ImportArguments& arguments,
                     nlohmann::ordered_json& done) {
  const std::string path = database_path(arguments.database);
  const InputBytes input(file);
  const bool is_db = is_database(input);
  ExchangeContents contents;
  if (is_db && file == "-") {
    throw FileError("the standard input is a database, which is read by its name: name the file");
  }
  if (is_db) {
    read_rows(file, RowSet::all, [](const EachRow&) {});  // whether it can be read at all
  } else {
    contents = require_contents(input, arguments.edited);
  }
  Intake intake(path, arguments.dry_run ? Intake::Mode::rehearse : Intake::Mode::add);
  const Take take = [&](const std::vector<ResultRow>& rows) { intake.add(rows); };
  const ImportReport report = is_db ? import_database(file, take)
                                    : import_rows(input.begin(), input.name(), contents, take);
  done.push_back(to_json(input.name(), report, intake.report(), arguments.dry_run));
  if (!arguments.json) print_report(input.name(), report, intake.report(), arguments.dry_run);
  return report.refused == 0 ? ExitCode::ok : ExitCode::database;
}

ExitCode run_import(const ImportArguments& arguments) {
  ExitCode code = ExitCode::ok;
  nlohmann::ordered_json done = nlohmann::ordered_json::array();
  try {
    for (const std::string& file : arguments.files) {
      if (import_file(file, arguments, done) != ExitCode::ok) code = ExitCode::database;
    }
  } catch (...) {  // What was imported before is in the database all the same.
    if (arguments.json && !done.empty()) print_indented(done);
    throw;
  }
  if (arguments.json) print_indented(done);
  return code;
}

}  // namespace

Action prepare_import(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<ImportArguments>();
  app.add_option("FILE", arguments->files,
                 "Files of foldtune export (- is the standard input), or databases")
      ->required();
  app.add_option("--db", arguments->database,
                 "The database that takes it, made if it is missing [see foldtune --help]")
      ->type_name(kFileToRead);
  app.add_flag("--edited", arguments->edited, "Take a file that was changed since it was exported");
  app.add_flag("--dry-run", arguments->dry_run, "Print what would be added, and change nothing");
  add_family_files_option(app);
  app.add_flag("--json", arguments->json, "Print JSON: an array with an object for each file");
  app.footer(
      "Adds every measurement of the files that the database lacks, with its run and its device; "
      "nothing\nis overwritten, and the files are only read. An exported file that is torn or was "
      "changed is refused\nas a whole. Of others each row is looked at: what cannot be a "
      "measurement of this Foldtune's\nproblems is refused, with its reason, and the exit code is "
      "5 "
      "then. An import that was stopped is\ncompleted by the same command.\n\n"
      "Examples:\n"
      "  foldtune import h200.json --dry-run\n"
      "  foldtune import h200.json --db shared.db\n"
      "  foldtune import host1.db host2.db --db all.db");
  return [arguments] { return run_import(*arguments); };
}

}  // namespace foldtune
