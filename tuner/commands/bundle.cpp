// foldtune bundle: what was tuned, and its kernels, to be shipped with a program.
#include "tuner/exchange/bundle.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foldtune/error.h"
#include "runtime/support/temporary_folder.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/files_read.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/exchange/input_bytes.h"
#include "tuner/files/output_file.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

struct BundleArguments {
  std::string output;
  std::optional<std::string> database;
  RowFilter filter;
  int threads = 0;
  bool json = false;
};

void print_report(const BundleReport& report, std::uint64_t bytes) {
  print_to(stderr, "bundled {} of {} with {}, {} of them compiled now: {}\n",
           format_count(report.results, "result"), format_count(report.devices, "device"),
           format_count(report.kernels, "kernel"), report.compiled, format_bytes(bytes));
  if (report.imported > 0) {
    print_to(stderr, "  {} of the results imported, where nothing was measured here\n",
             report.imported);
  }
  for (const std::string& line : report.left_out) print_to(stderr, "  left out {}\n", line);
}

void print_json(const std::string& file, const BundleReport& report, std::uint64_t bytes) {
  print_indented({{"file", file},
                  {"results", report.results},
                  {"imported", report.imported},
                  {"devices", report.devices},
                  {"kernels", report.kernels},
                  {"compiled", report.compiled},
                  {"bytes", bytes},
                  {"left_out", report.left_out}});
}

void write_copy(const std::string& path, OutputFile& output) {
  constexpr std::size_t kBytesAtATime = std::size_t{64} << 10;
  const InputBytes file(path);
  const ByteSource read = file.begin();
  std::array<char, kBytesAtATime> bytes;
  while (const std::size_t size = read(bytes.data(), bytes.size())) {
    output.write(std::string_view(bytes.data(), size));
  }
}

ExitCode run_bundle(const BundleArguments& arguments, const std::vector<std::string>& read) {
  require_place_for_json(arguments.json, arguments.output, "the bundle", "-o");
  const auto is_wanted = row_test(arguments.filter);
  const std::string database = database_path(arguments.database);
  OutputFile output(arguments.output, "bundle", read);
  const TemporaryFolder folder;
  const std::string path = folder.path() / "bundle.db";
  const BundleReport report = write_bundle(
      {.database = database, .is_wanted = is_wanted, .threads = arguments.threads}, path);
  if (report.results == 0) {
    const std::string refused =
        report.left_out.empty()
            ? ""
            : fmt::format(" ({} of its rows are no measurements, the first of them {})",
                          report.left_out.size(), report.left_out.front());
    throw InvalidArgument(fmt::format(
        "nothing in {} is to be bundled: it has no such results of GPUs and of this Foldtune's "
        "kernels{}; `foldtune show` lists what it has",
        database, refused));
  }
  write_copy(path, output);
  output.commit();
  if (arguments.json) {
    print_json(arguments.output, report, output.bytes());
  } else if (finish_output() == 0) {  // else the program's end says that it is not written
    print_report(report, output.bytes());
  }
  return report.left_out.empty() ? ExitCode::ok : ExitCode::database;
}

}  // namespace

Action prepare_bundle(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<BundleArguments>();
  app.add_option("-o,--output", arguments->output, "The file to write")
      ->type_name(kFileToWrite)
      ->required();
  add_database_option(app, arguments->database);
  add_row_filter(app, arguments->filter);
  add_threads_option(app, arguments->threads);
  app.add_flag("--json", arguments->json, "Print JSON: an object");
  app.footer(
      "Writes what was chosen for GPUs, and every kernel that programs run with it, for all shapes "
      "and\nlayouts. Kernels that the database does not keep are compiled, which needs NVRTC "
      "and no GPU.\nPrograms name the file in ContextOptions::bundles or FOLDTUNE_BUNDLE, and need "
      "no NVRTC then;\nresults in the user's own database go first. Kernels of custom operators "
      "are left out.\n\n"
      "Examples:\n"
      "  foldtune bundle -o product.db --op sum,max --type f32 --device h200\n"
      "  FOLDTUNE_BUNDLE=product.db product");
  return [arguments, &app] { return run_bundle(*arguments, files_read(app)); };
}

}  // namespace foldtune
