// foldtune doctor: what is there, what is not, and what to fix.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/commands/commands.h"
#include "tuner/commands/field_options.h"
#include "tuner/commands/options.h"
#include "tuner/inspect/diagnosis.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

struct DoctorArguments {
  std::optional<std::string> database;
  bool json = false;
};

bool is_problem(const Finding& finding) { return finding.health == Health::problem; }

void print_json(const std::vector<Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"area", finding.area},
                    {"status", to_string(finding.health)},
                    {"text", finding.text},
                    {"remedy", finding.remedy}});
  }
  print_indented({{"problems", std::ranges::count_if(findings, is_problem)}, {"findings", list}});
}

void print_text(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    print_to(stdout, "{:<8} {}: {}{}\n", to_string(finding.health), finding.area, finding.text,
             finding.remedy.empty() ? "" : "; " + finding.remedy);
  }
  const auto problems = static_cast<std::size_t>(std::ranges::count_if(findings, is_problem));
  print_to(stdout, "{}\n", problems == 0 ? "nothing is broken" : format_count(problems, "problem"));
}

/// That of the first problem.
ExitCode exit_code_of(const std::vector<Finding>& findings) {
  const auto first = std::ranges::find_if(findings, is_problem);
  if (first == findings.end()) return ExitCode::ok;
  const bool is_stored =
      first->area == "database" || first->area == "kernels" || first->area == "bundle";
  return is_stored ? ExitCode::database : ExitCode::unavailable;
}

}  // namespace

Action prepare_doctor(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<DoctorArguments>();
  app.add_option("--db", arguments->database, "Look at this database or bundle, and nothing else")
      ->type_name(kFileToRead);
  add_family_files_option(app);
  app.add_flag("--json", arguments->json, "Print JSON: an object with the array \"findings\"");
  app.footer(
      "A line for each thing that Foldtune needs or uses: the driver, NVRTC, the toolkit's "
      "headers, the\ndevices, foldtune-worker, the database, the kernels in it, the bundles in "
      "FOLDTUNE_BUNDLE. "
      "Of databases the whole\nfile, its tables and every row are looked at, and each fault has a "
      "line. It begins with ok, note (may\nbe so) or problem (is broken), and ends with what to "
      "do. "
      "Nothing is changed.\n\n"
      "The exit code is 0 if nothing is broken; 5 where the first problem is a database's or a "
      "bundle's, 3\nwhere it is the machine's. With --db the machine does not matter: it is 0 for "
      "a "
      "sound database.\n\n"
      "Examples:\n"
      "  foldtune doctor --json\n"
      "  foldtune doctor --db tuning.db");
  return [arguments] {
    const std::vector<Finding> findings =
        arguments->database ? diagnose(*arguments->database) : diagnose();
    arguments->json ? print_json(findings) : print_text(findings);
    return exit_code_of(findings);
  };
}

}  // namespace foldtune
