/// The verbs of the command line, one file each. A new one is a file here and a row in cli.cpp.
#pragma once

#include <functional>
#include <string>

#include "tuner/commands/exit_code.h"

namespace CLI {
class App;
}

namespace foldtune {

/// Does what the parsed options say. Failures are exceptions, which cli.cpp reports.
using Action = std::function<ExitCode()>;

// Each adds the options of its verb to `app`, and returns what to do once they are parsed.
// `command_line` is what the user typed, for the record.
Action prepare_bundle(CLI::App& app, const std::string& command_line);
Action prepare_devices(CLI::App& app, const std::string& command_line);
Action prepare_diff(CLI::App& app, const std::string& command_line);
Action prepare_doctor(CLI::App& app, const std::string& command_line);
Action prepare_export(CLI::App& app, const std::string& command_line);
Action prepare_import(CLI::App& app, const std::string& command_line);
Action prepare_ladder(CLI::App& app, const std::string& command_line);
Action prepare_landscape(CLI::App& app, const std::string& command_line);
Action prepare_pin(CLI::App& app, const std::string& command_line);
Action prepare_prune(CLI::App& app, const std::string& command_line);
Action prepare_report(CLI::App& app, const std::string& command_line);  // with FOLDTUNE_REPORT
Action prepare_revalidate(CLI::App& app, const std::string& command_line);
Action prepare_run(CLI::App& app, const std::string& command_line);
Action prepare_show(CLI::App& app, const std::string& command_line);
Action prepare_tune(CLI::App& app, const std::string& command_line);
Action prepare_unpin(CLI::App& app, const std::string& command_line);
Action prepare_why(CLI::App& app, const std::string& command_line);

}  // namespace foldtune
