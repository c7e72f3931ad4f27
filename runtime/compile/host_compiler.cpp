#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache/excerpt.h"
#include "cache/printable.h"
#include "foldtune/error.h"
#include "runtime/compile/compiler_failure.h"
#include "runtime/compile/host_program.h"
#include "runtime/device/compiler.h"
#include "runtime/support/child_process.h"
#include "runtime/support/temporary_folder.h"
#include "templates/embedded.h"

namespace foldtune {
namespace {

using Command = std::vector<std::string>;

#ifdef __clang__
[[maybe_unused]] constexpr const char* kOwnCompiler = "clang++";
#else
[[maybe_unused]] constexpr const char* kOwnCompiler = "g++";
#endif

// No -march and no contraction into fused operations: the same results on every machine. Kernels
// reinterpret memory as GPU code does, hence no strict aliasing.
const Command kOptions = {
    "-std=c++20", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-fvisibility=hidden",
    "-fPIC",      "-w",  "-shared",           "-Wl,--as-needed",
#ifndef FOLDTUNE_SANITIZE  // whose functions are in the program
    "-Wl,-z,defs"
#endif
};

// Kernels are watched by the sanitizer that watches their host.
Command sanitizer_options([[maybe_unused]] bool is_clang) {
#ifdef FOLDTUNE_SANITIZE
  Command options = {"-fsanitize=" FOLDTUNE_SANITIZE, "-fno-sanitize-recover=all",
                     "-fno-omit-frame-pointer", "-g1"};
  // It compares type descriptors by address, which differ between a program and a library that
  // shows it none of its own.
  if (is_clang) options.emplace_back("-fno-sanitize=function");
  return options;
#else
  return {};
#endif
}

Command split(const std::string& text) {
  std::istringstream stream(text);
  Command words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

/// A compiler as it is called. Options of the user follow ours, so that they count.
struct CompilerCall {
  Command command;  ///< "g++", "ccache g++"
  Command options;  ///< "-O0"

  std::string text() const {
    return fmt::format("{}{}{}", fmt::join(command, " "), options.empty() ? "" : " ",
                       fmt::join(options, " "));
  }
};

/// As make and CMake read CXX: words, of which those from the first "-" on are options; a path with
/// spaces in it is one word if it is there.
CompilerCall parse_call(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(text, ignored)) return {.command = {text}, .options = {}};
  CompilerCall call;
  for (std::string& word : split(text)) {
    const bool is_option = !call.options.empty() || word.starts_with('-');
    (is_option ? call.options : call.command).push_back(std::move(word));
  }
  return call;
}

/// $CXX; empty if it is not set, or holds nothing.
std::string chosen_compiler() {
  const char* const variable = std::getenv("CXX");
  return variable == nullptr || split(variable).empty() ? "" : variable;
}

/// What is tried where nobody chose.
std::vector<CompilerCall> usual_compilers() {
  std::vector<CompilerCall> result;
#ifdef FOLDTUNE_SANITIZE
  result.push_back({.command = {kOwnCompiler}, .options = {}});
#endif
  for (const char* name : {"c++", "g++", "clang++"}) {
    result.push_back({.command = {name}, .options = {}});
  }
  return result;
}

Command operator+(Command left, const Command& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Whether the system lacks what a process needs, whichever program was to be run.
bool is_lack(const std::error_code& code) {
  constexpr int kLacks[] = {EAGAIN, ENOMEM, EMFILE, ENFILE, ENOSPC, EDQUOT, EFBIG};
  return std::ranges::find(kLacks, code.value()) != std::end(kLacks);
}

/// What to do where the system refuses a file or a process.
std::string_view remedy_for(const std::system_error& error) {
  switch (error.code().value()) {
    case EMFILE:
    case ENFILE:
      return "Raise the limit of open files (ulimit -n), or close some.";
    case EFBIG:
      return "Raise the limit of file sizes (ulimit -f).";
    case EAGAIN:
      return "Raise the limit of processes (ulimit -u), or end some.";
    case ENOMEM:
      return "Free some memory, or raise its limit (ulimit -v).";
    default:
      return "Free some space there, or set TMPDIR to a folder that can be written.";
  }
}

// For messages: a program may have hundreds.
std::string describe(const Program& program) {
  const std::size_t count = program.name_expressions.size();
  if (count == 0) return "a program without kernels";
  if (count == 1) return program.name_expressions[0];
  return fmt::format("{} and {} more", program.name_expressions[0], count - 1);
}

/// One that can be loaded here, and is whole: the table of its sections is at its end.
bool is_shared_library(std::string_view image) {
  ElfW(Ehdr) header = {};
  constexpr int kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (image.size() < sizeof(header)) return false;
  std::memcpy(&header, image.data(), sizeof(header));
  return image.starts_with(ELFMAG) && header.e_ident[EI_CLASS] == kOwnClass &&
         header.e_type == ET_DYN && header.e_shoff <= image.size() &&
         header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize <= image.size();
}

/// In one of its tables of names, where each ends with a null.
bool has_names(std::string_view image, const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    return image.find(std::string_view(name.c_str(), name.size() + 1)) != std::string_view::npos;
  });
}

/// The slowest batch takes some ten seconds, and a minute with sanitizers on a busy machine.
#ifdef FOLDTUNE_SANITIZE
constexpr std::chrono::seconds kCompileLimit{300};
#else
constexpr std::chrono::seconds kCompileLimit{60};
#endif

// The files of one run of the compiler.
struct WorkFiles {
  TemporaryFolder folder;
  std::string source = folder.path() / "program.cpp";
  std::string output = folder.path() / "program.out";
  std::string log = folder.path() / "program.log";

  std::optional<int> run(const Command& command, std::chrono::seconds limit,
                         std::function<bool()> stop_requested = nullptr) const {
    return run_program({.command = command,
                        .log = log,
                        .temporaries = folder.path(),
                        .limit = limit,
                        .stop_requested = std::move(stop_requested)});
  }

  /// What went wrong; empty if there is an output.
  std::string fault_of(const std::optional<int>& status, std::chrono::seconds limit) const {
    if (!status) return fmt::format("it did not end within {} s, and was stopped", limit.count());
    if (const auto signal = signal_of(*status)) return fmt::format("signal {} ended it", *signal);
    if (*status != 0) return fmt::format("exit status {}", *status);
    if (std::filesystem::exists(output)) return {};
    return "it ended without an error, and wrote no output";
  }

  /// And what the compiler said of it.
  std::string with_log(const std::string& fault) const {
    constexpr std::size_t kMostOfLog = 1000;
    const std::string said = excerpt(without_terminal_sequences(read_file(log)), kMostOfLog);
    return said.empty() ? fault : fmt::format("{}: {}", fault, said);
  }
};

std::string text_or_nothing(const std::string& log) { return log.empty() ? "nothing" : log; }

using Folder = std::shared_ptr<const TemporaryFolder>;

Folder write_templates() {
  auto folder = std::make_shared<const TemporaryFolder>();
  for (const EmbeddedFile& file : embedded_files()) {
    // One after another, so that a folder which was removed is not made again.
    std::filesystem::path place = folder->path();
    for (const auto& inner : std::filesystem::path(file.name).parent_path()) {
      std::error_code fails_below;
      std::filesystem::create_directory(place /= inner, fails_below);
    }
    write_file(folder->path() / file.name, file.text);
  }
  return folder;
}

/// Whether all are still there: what cleans /tmp takes files of a program that runs for long.
bool has_templates(const TemporaryFolder& folder) {
  return std::ranges::all_of(embedded_files(), [&](const EmbeddedFile& file) {
    std::error_code ignored;
    return std::filesystem::exists(folder.path() / file.name, ignored);
  });
}

/// The prefix map keeps the folder's random name out of the image.
Command folder_options(const TemporaryFolder& folder) {
  const std::string path = folder.path().string();
  return {"-I" + path, "-ffile-prefix-map=" + path + "/="};
}

/// Templates under the names that they are included by, as NVRTC shows them.
std::string without_folder(std::string log, const TemporaryFolder& folder) {
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at = log.find(prefix); at != std::string::npos; at = log.find(prefix, at)) {
    log.erase(at, prefix.size());
  }
  return log;
}

class HostCompiler final : public Compiler {
 public:
  explicit HostCompiler(std::chrono::seconds answer_limit);

  const std::string& version() const override { return version_; }
  CompiledKernel compile(const Program& program) const override;
  void stop_compilations() const override { ++stops_; }

 private:
  /// Why it cannot be used; empty if it can, and is from now on.
  std::string try_call(const CompilerCall& call);
  /// Why the user's options keep it from what is needed; empty if they do not.
  std::string try_options() const;
  /// The templates' folder, a new one if the present one is not whole any more.
  Folder templates() const;

  const std::chrono::seconds answer_limit_;
  Command command_;       // with those of our options that precede the files
  Command user_options_;  // which follow them
  std::string version_;
  mutable std::atomic<unsigned> stops_ = 0;  // Each ends what was begun before it.
  mutable std::mutex mutex_;                 // guards what follows
  mutable Folder folder_ = write_templates();
};

HostCompiler::HostCompiler(std::chrono::seconds answer_limit) : answer_limit_(answer_limit) {
  if (const std::string chosen = chosen_compiler(); !chosen.empty()) {
    const std::string fault = try_call(parse_call(chosen));
    if (fault.empty()) return;
    throw Unavailable(fmt::format(
        "The CPU device takes the compiler that CXX names, \"{}\", which cannot be used: "
        "{}. Set CXX to a g++ or clang++ that knows C++20, or leave it unset; if this machine "
        "lacks memory, room or a higher limit (ulimit -a) for it, give it that.",
        printable(chosen), fault));
  }
  std::string failures;
  for (const CompilerCall& call : usual_compilers()) {
    const std::string fault = try_call(call);
    if (fault.empty()) return;
    failures += fmt::format("\n  {}: {}", call.text(), fault);
  }
  throw Unavailable(
      fmt::format("Looking for a C++ compiler, which the CPU device needs: none of these can be "
                  "used.{}\nInstall g++, or set CXX to a g++ or clang++ that knows C++20.",
                  failures));
}

// The preprocessor knows who it is, whatever the command is called.
std::string HostCompiler::try_call(const CompilerCall& call) {
  if (call.command.empty()) return "it names options, and no program";
  const WorkFiles files;
  write_file(files.source,
             "#ifdef __clang__\n"
             "clang++ __clang_major__ __clang_minor__ __clang_patchlevel__\n"
             "#elif defined(__GNUC__)\n"
             "g++ __GNUC__ __GNUC_MINOR__ __GNUC_PATCHLEVEL__\n"
             "#endif\n");
  const Command ask = {"-std=c++20", "-E", "-P", files.source, "-o", files.output};
  try {
    const std::optional<int> status = files.run(call.command + ask + call.options, answer_limit_);
    std::string fault = files.fault_of(status, answer_limit_);
    if (!fault.empty()) return files.with_log(fault);
  } catch (const std::system_error& error) {
    if (is_lack(error.code())) throw;
    return error.code().message();
  }

  // After the macros that some options (-g3) have it write.
  Command identity = split(read_file(files.output));
  if (identity.size() > 4) identity.erase(identity.begin(), identity.end() - 4);
  if (identity.size() != 4) return "it is neither g++ nor clang++";
#ifdef FOLDTUNE_SANITIZE
  if (identity[0] != kOwnCompiler) {
    return fmt::format("with sanitizers, it must be the {} that built Foldtune", kOwnCompiler);
  }
#endif
  command_ = call.command + kOptions + sanitizer_options(identity[0] == "clang++");
  user_options_ = call.options;
  version_ = fmt::format("{} {}.{}.{}", identity[0], identity[1], identity[2], identity[3]);
  if (call.options.empty()) return {};
  // Other options make other kernels, which are neither looked up nor timed as the same.
  version_ += fmt::format(" {}", fmt::join(call.options, " "));
  return try_options();
}

std::string HostCompiler::try_options() const {
  const WorkFiles files;
  write_file(files.source,
             "template <class T> concept Any = true;\n"
             "extern \"C\" int of_any() { return Any<int>; }\n");
  const Command command = command_ + Command{files.source, "-o", files.output} + user_options_;
  const std::string fault = files.fault_of(files.run(command, kCompileLimit), kCompileLimit);
  if (!fault.empty()) {
    return files.with_log("with its options it does not compile C++20: " + fault);
  }
  return is_shared_library(read_file(files.output))
             ? ""
             : "its options keep it from making a shared library for this processor";
}

CompiledKernel HostCompiler::compile(const Program& program) const {
  if (program.needs_toolkit) {
    throw MissingToolkit(fmt::format(
        "compiling {} for the CPU device: it needs headers of the CUDA Toolkit, which the CPU "
        "device does not have; choose a GPU",
        describe(program)));
  }
  const auto start = std::chrono::steady_clock::now();
  CompiledKernel result;
  try {
    const Folder folder = templates();
    const WorkFiles files;
    write_file(files.source, host_program(program));
    const auto stop_requested = [this, stops = stops_.load()] { return stops_ != stops; };
    const std::optional<int> status =
        files.run(command_ + folder_options(*folder) + Command{files.source, "-o", files.output} +
                      user_options_,
                  kCompileLimit, stop_requested);
    if (!status && stop_requested()) {
      throw CompileError(fmt::format("Compiling {} with {} for the CPU device was stopped",
                                     describe(program), version_));
    }
    const std::string fault = files.fault_of(status, kCompileLimit);
    if (!fault.empty()) {
      const std::string log =
          without_folder(without_terminal_sequences(read_file(files.log)), *folder);
      const std::string what = fmt::format("Compiling {} with {} for the CPU device: {}",
                                           describe(program), version_, fault);
      if (lacks_room(files.folder.path())) {
        throw Unavailable(fmt::format(
            "{}. What it says may come from a lack of room in {}: free some space there, or set "
            "TMPDIR to another folder, and try again. It wrote:\n{}",
            what, files.folder.path().parent_path().string(), text_or_nothing(log)));
      }
      if (!has_templates(*folder)) {
        throw Unavailable(fmt::format(
            "{}. Files of Foldtune in {} were removed while it ran: try again, and keep what "
            "cleans that folder from those of a running program. It wrote:\n{}",
            what, folder->path().string(), text_or_nothing(log)));
      }
      if (!is_fault_of_program(status, log)) {
        throw Unavailable(fmt::format(
            "{}. It does not say what is wrong with the program: memory, room in TMPDIR or a limit "
            "of this process (ulimit -a) may be too small, or the compiler faulty. Give it more or "
            "take another one, and try again. It wrote:\n{}",
            what, text_or_nothing(log)));
      }
      throw CompileError(
          fmt::format("{}. {}:\n{}", what, status ? "Correct the program" : "It wrote", log));
    }
    result.image = read_file(files.output);
    for (std::size_t i = 0; i < program.name_expressions.size(); ++i) {
      result.lowered_names.push_back(host_entry_name(i));
    }
    if (!is_shared_library(result.image) || !has_names(result.image, result.lowered_names)) {
      throw Unavailable(fmt::format(
          "Compiling {} with {} for the CPU device: it ended without an error, and "
          "what it wrote is "
          "no shared library of the program, or a part of one. Set CXX to another compiler.",
          describe(program), version_));
    }
  } catch (const std::system_error& error) {
    throw Unavailable(fmt::format("Compiling {} with {}: {}. {}", describe(program), version_,
                                  error.what(), remedy_for(error)));
  }
  result.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Folder HostCompiler::templates() const {
  const std::lock_guard lock(mutex_);
  if (!has_templates(*folder_)) folder_ = write_templates();
  return folder_;
}

}  // namespace

std::unique_ptr<Compiler> make_host_compiler(std::chrono::seconds answer_limit) {
  try {
    return std::make_unique<HostCompiler>(answer_limit);
  } catch (const std::system_error& error) {
    throw Unavailable(fmt::format("Preparing the host compiler for the CPU device: {}. {}",
                                  error.what(), remedy_for(error)));
  }
}

}  // namespace foldtune
