// foldtune vacuum: a smaller file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cache/compact.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/format.h"

namespace foldtune {
namespace {

ExitCode run_vacuum(const std::optional<std::string>& database) {
  const std::string path = database_path(database);
  const CompactReport report = compact_database(path);
  fmt::print("{}: {} before, {} after\n", path, format_bytes(report.bytes_before),
             format_bytes(report.bytes_after));
  return ExitCode::ok;
}

}  // namespace

Action prepare_vacuum(CLI::App& app, const std::string&) {
  auto database = std::make_shared<std::optional<std::string>>();
  app.add_option("--db", *database, "The tuning database [see foldtune --help]")->type_name("FILE");
  app.footer(
      "Writes the file anew without the space that removed measurements left, and prints its size "
      "before\nand after. It takes free space for a copy meanwhile.\n\n"
      "Example:\n"
      "  foldtune vacuum --db tuning.db");
  return [database] { return run_vacuum(*database); };
}

}  // namespace foldtune
