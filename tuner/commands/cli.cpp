#include "tuner/commands/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cache/excerpt.h"
#include "cache/store_error.h"
#include "foldtune/error.h"
#include "templates/described/judge/judge.h"
#include "tuner/commands/command_words.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/files_read.h"
#include "tuner/commands/standard_streams.h"
#include "tuner/files/file_error.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

using Prepare = Action (*)(CLI::App& app, const std::string& command_line);

struct Verb {
  const char* name;
  const char* summary;
  Prepare prepare;  ///< null: this build has not the verb
};
#if FOLDTUNE_REPORT
constexpr Prepare kPrepareReport = prepare_report;
#else
constexpr Prepare kPrepareReport = nullptr;
#endif
constexpr std::array kVerbs{
    Verb{"devices", "List the devices of this machine", prepare_devices},
    Verb{"doctor", "Look at this machine and its databases, or at one database, for what to fix",
         prepare_doctor},
    Verb{"tune", "Find the fastest configurations for a device, and keep them", prepare_tune},
    Verb{"revalidate", "Time again what was tuned with another driver or compiler",
         prepare_revalidate},
    Verb{"show", "Show what the tuning database holds", prepare_show},
    Verb{"why", "Explain which configuration a problem is run with, and what was before",
         prepare_why},
    Verb{"diff", "Compare the best results of two databases", prepare_diff},
    Verb{"report", "Write a page for a browser on what the tuning database holds", kPrepareReport},
    Verb{"run", "Run a file through the tuned kernel", prepare_run},
    Verb{"ladder", "Climb from naive kernels to the libraries', beside published figures",
         prepare_ladder},
    Verb{"landscape", "Summarise what was measured of a problem, or write it for Kernel Tuner",
         prepare_landscape},
    Verb{"bundle", "Write a small database to be shipped with a program", prepare_bundle},
    Verb{"export", "Write measurements to a file for other machines", prepare_export},
    Verb{"import", "Add the measurements of such files, or of other databases, to a database",
         prepare_import},
    Verb{"pin", "Keep the present choices, whatever is tuned or imported later", prepare_pin},
    Verb{"unpin", "Let later results be chosen again", prepare_unpin},
    Verb{"prune", "Remove old or foreign measurements, and make the database's file smaller",
         prepare_prune},
};

constexpr const char* kDescription =
    "foldtune: autotuned GPU kernels. Tunes them for a device, keeps the fastest in a\n"
    "database, and runs them. `foldtune VERB --help` says more, with examples.\n";

constexpr const char* kFooter = R"(Example:
  foldtune tune --op sum --type f32 --n 2^12..2^24 --budget 60s
  foldtune show
  foldtune run --op sum --type f32 data.npy

Environment:
  FOLDTUNE_DB       the tuning database; without it $XDG_CACHE_HOME/foldtune/tuning.db, else
                    ~/.cache/foldtune/tuning.db
  FOLDTUNE_BUNDLE   bundles to look up after the database, separated by colons
  FOLDTUNE_CACHE_BYTES  what compiled kernels may take in the database: 64M; 0 keeps none [256M]
  FOLDTUNE_LOG      error, warning, info or debug: what the runtime does, on the standard error
  FOLDTUNE_RECORD   the file to which programs add what they call, for tune --recorded
  FOLDTUNE_NVRTC    libnvrtc.so, where it is not in a usual place (CUDA_HOME and CUDA_PATH
                    work, too)
  FOLDTUNE_WORKER   foldtune-worker, where it is not beside this program (../libexec/foldtune)
  FOLDTUNE_TOOLKIT  the CUDA Toolkit whose headers some kernels from files need; else CUDA_HOME
  TMPDIR            where temporary files go, from which programs can be run [/tmp]
  CXX               the compiler of the CPU device, with options: "g++ -O2"; without it c++, g++
                    or clang++

Exit codes:
  0    success
  1    a fault of Foldtune itself
  2    wrong usage: an unknown verb, option, operator, type, count or device name; a file that
       holds another type
  3    something is missing on this machine: a GPU, its driver, NVRTC, a host compiler,
       foldtune-worker, a folder for temporary files
  4    a file cannot be read, or the output cannot be written
  5    the tuning database cannot be opened, read or written, or holds what it should not
  6    a kernel does not compile, or the device reports an error
  130  interrupted by Ctrl-C; everything measured before is kept. So it is with 143 of SIGTERM and
       129 of SIGHUP)";

constexpr std::size_t kHelpColumn = 28;

/// The arguments as a shell would take them; as many of them as a database is told.
std::string quoted_command_line(int argc, const char* const* argv) {
  constexpr std::size_t kMostBytes = 10'000;
  std::string line = "foldtune";
  for (int i = 1; i < argc; ++i) line += ' ' + shell_quoted(argv[i]);
  return excerpt(line, kMostBytes);
}

// The message may repeat an argument.
ExitCode fail(ExitCode code, const Lines& message) {
  finish_output();
  print_to(stderr, "foldtune: error: {}\n", Lines{shortened(message.text)});
  return code;
}
ExitCode fail(ExitCode code, std::string_view message) {
  finish_output();
  print_to(stderr, "foldtune: error: {}\n", shortened(message));
  return code;
}

bool is_short_of_threads(const std::exception& error) {
  const auto* const refusal = dynamic_cast<const std::system_error*>(&error);
  return refusal != nullptr && refusal->code() == std::errc::resource_unavailable_try_again;
}

/// The error that is being handled, as a message and an exit code.
ExitCode report_current_exception() {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return fail(ExitCode::usage, error.what());
  } catch (const Unavailable& error) {
    return fail(ExitCode::unavailable, Lines{error.what()});  // with what was tried
  } catch (const FileError& error) {
    return fail(ExitCode::file, error.what());
  } catch (const StoreError& error) {
    return fail(ExitCode::database, error.what());
  } catch (const DatabaseError& error) {
    return fail(ExitCode::database, error.what());
  } catch (const Error& error) {  // CompileError, with the compiler's log, and DeviceError
    return fail(ExitCode::device, Lines{error.what()});
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::internal,
                "this machine's memory is not enough for that; try fewer elements");
  } catch (const std::exception& error) {
    if (is_short_of_threads(error)) {
      return fail(ExitCode::unavailable,
                  "starting a thread: the system gives no more; raise the limit of processes "
                  "(ulimit -u), or end some");
    }
    return fail(ExitCode::internal,
                fmt::format("unexpected: {}; please report this with the command that you ran",
                            error.what()));
  }
}

/// The options of `app`, or its verbs, as they are written.
std::vector<std::string> known_words(const CLI::App& app, bool is_option) {
  std::vector<std::string> words;
  if (is_option) {
    for (const CLI::Option* const option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* const verb : app.get_subcommands({})) {
      words.push_back(verb->get_name());
    }
  }
  return words;
}

/// What is wrong with a word that has no place on the command line of `app`.
std::string describe_extra(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const bool is_option = word.starts_with('-');
  const bool is_verb = !is_option && app.get_parent() == nullptr;
  if (find_option(app, name) != nullptr) {  // before the verb, or after "--"
    return fmt::format("{} is where no option can be", name);
  }
  if (!is_option && !is_verb) return fmt::format("'{}' is one argument too many", word);
  const std::string near = nearest_word(name, known_words(app, is_option));
  return fmt::format("there is no {} {}{}", is_option ? "option" : "verb",
                     is_option ? name : '\'' + word + '\'',
                     near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

/// What is wrong with the number of an option's values.
std::string describe_mismatch(const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  return text.find("missing") == std::string::npos
             ? fmt::format("{} is given more than once", option)
             : fmt::format("{} has no value", option);
}

/// Help and version are asked for, everything else is a wrong command line.
ExitCode report(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream text;
    app.exit(error, text, text);
    print_to(stdout, "{}", Lines{text.str()});
    return ExitCode::ok;
  }
  const auto verbs = app.get_subcommands();
  const CLI::App& place = verbs.empty() ? app : *verbs.front();
  std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  // What is missing is found first, and may be what such a word was meant for.
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (is_missing) std::erase(extras, "--");
  const bool is_extra =
      (is_missing || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) && !extras.empty();
  std::string text = error.what();
  if (is_extra) text = describe_extra(place, extras.front());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) text = describe_mismatch(text);
  return fail(ExitCode::usage,
              fmt::format("{}; see foldtune {}--help", text,
                          verbs.empty() ? std::string() : verbs.front()->get_name() + ' '));
}

/// Families of the user's own, "--family PATH", before their fields become options.
void use_families_of_files(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--family";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    std::string_view value;
    if (word == kOption && i + 1 < argc) value = argv[i + 1];
    if (word.starts_with("--family=")) value = word.substr(kOption.size() + 1);
    if (value.find('.') == std::string_view::npos && value.find('/') == std::string_view::npos) {
      continue;  // a name
    }
    try {
      use_family(std::string(value));
    } catch (const std::invalid_argument& error) {
      throw InvalidArgument(error.what());
    }
  }
}

ExitCode parse_and_run(int argc, const char* const* argv) {
  use_families_of_files(argc, argv);
  CLI::App app(kDescription, "foldtune");
  app.get_formatter()->column_width(kHelpColumn);
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.set_help_flag("--help,-h", "Print this help and exit");
  app.set_version_flag("--version", "foldtune " FOLDTUNE_VERSION, "Print the version and exit");
  app.footer(kFooter);
  app.require_subcommand(0, 1);  // the name of another verb is a word like others
  const std::string command_line = quoted_command_line(argc, argv);
  std::vector<std::pair<CLI::App*, Action>> verbs;
  for (const Verb& verb : kVerbs) {
    if (verb.prepare == nullptr) continue;
    CLI::App* const subcommand = app.add_subcommand(verb.name, verb.summary)->group("Verbs");
    try {
      verbs.emplace_back(subcommand, verb.prepare(*subcommand, command_line));
    } catch (const CLI::OptionAlreadyAdded& error) {
      throw InvalidArgument(
          fmt::format("--family: a field has the name of another option: {}", error.what()));
    }
  }

  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const CLI::App* place = &app;
  for (const auto& [subcommand, action] : verbs) {
    if (!arguments.empty() && arguments.front() == subcommand->get_name()) place = subcommand;
  }
  std::vector<std::string> words = read_words(*place, arguments);
  try {
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    guard_files(files_read(*place));  // as far as they are known: from what is said now, too
    return report(app, error);
  }
  guard_files(files_read(*place));
  for (const auto& [subcommand, action] : verbs) {
    if (!subcommand->parsed()) continue;
    if (subcommand == place) return action();
    return fail(ExitCode::usage,  // whose options were read as those of no verb
                fmt::format("the verb comes first: foldtune {}", subcommand->get_name()));
  }
  return fail(ExitCode::usage, "no verb: what shall be done? See foldtune --help");
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
  ExitCode code = ExitCode::internal;
  try {
    code = parse_and_run(argc, argv);
  } catch (...) {
    code = report_current_exception();
  }
  const int error = finish_output();
  // A reader that is gone, as `head` is, has what it wanted.
  if (error != 0 && error != EPIPE) {
    const ExitCode of_output =
        fail(ExitCode::file,
             fmt::format("writing to the standard output: {}; it does not have all of the result",
                         std::strerror(error)));
    if (code == ExitCode::ok) code = of_output;
  }
  return static_cast<int>(code);
}

}  // namespace foldtune
