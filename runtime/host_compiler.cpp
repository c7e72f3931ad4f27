#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "foldtune/error.h"
#include "runtime/child_process.h"
#include "runtime/compiler.h"
#include "runtime/temporary_folder.h"
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
    "-fPIC",      "-w",  "-shared",           "-Wl,--as-needed"};

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

std::vector<Command> candidates() {
  std::vector<Command> result;
  const char* const chosen = std::getenv("CXX");
  if (chosen != nullptr && !split(chosen).empty()) result.push_back(split(chosen));
#ifdef FOLDTUNE_SANITIZE
  result.push_back({kOwnCompiler});
#endif
  for (const char* name : {"c++", "g++", "clang++"}) result.push_back({name});
  return result;
}

Command operator+(Command left, const Command& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// For messages: a program may have hundreds.
std::string describe(const Program& program) {
  const std::size_t count = program.name_expressions.size();
  if (count == 0) return "a program without kernels";
  if (count == 1) return program.name_expressions[0];
  return fmt::format("{} and {} more", program.name_expressions[0], count - 1);
}

std::string entry_name(std::size_t index) { return fmt::format("foldtune_entry_{}", index); }

// The line markers keep this machine's temporary names out of the log.
std::string translation_unit(const Program& program) {
  std::string text = fmt::format(
      "#line 1 \"program\"\n{}\n#include \"templates/platform.cuh\"\n#line 1 \"name "
      "expressions\"\n",
      program.source);
  for (std::size_t i = 0; i < program.name_expressions.size(); ++i) {
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) void {}(::foldtune::host::Thread* "
        "thread, void** arguments) {{ ::foldtune::platform::run_thread(thread, &{}, arguments); "
        "}}\n",
        entry_name(i), program.name_expressions[i]);
  }
  return text;
}

// The files of one run of the compiler.
struct WorkFiles {
  TemporaryFolder folder;
  std::string source = folder.path() / "program.cpp";
  std::string output = folder.path() / "program.out";
  std::string log = folder.path() / "program.log";
};

class HostCompiler final : public Compiler {
 public:
  HostCompiler();

  const std::string& version() const override { return version_; }
  CompiledKernel compile(const Program& program) const override;

 private:
  bool try_command(const Command& command, std::string& failures);
  std::string without_folder(std::string log) const;

  TemporaryFolder folder_;  // of the templates
  Command command_;         // with all options but the files
  std::string version_;
};

HostCompiler::HostCompiler() {
  for (const EmbeddedFile& file : embedded_files()) {
    write_file(folder_.path() / file.name, file.text);
  }
  std::string failures;
  for (const Command& candidate : candidates()) {
    if (try_command(candidate, failures)) return;
  }
  throw Unavailable(
      fmt::format("Looking for a C++ compiler, which the CPU device needs: none of these can be "
                  "used.{}\nInstall g++, or set CXX to a g++ or clang++ that knows C++20.",
                  failures));
}

// The preprocessor knows who it is, whatever the command is called.
bool HostCompiler::try_command(const Command& command, std::string& failures) {
  const WorkFiles files;
  write_file(files.source,
             "#ifdef __clang__\n"
             "clang++ __clang_major__ __clang_minor__ __clang_patchlevel__\n"
             "#elif defined(__GNUC__)\n"
             "g++ __GNUC__ __GNUC_MINOR__ __GNUC_PATCHLEVEL__\n"
             "#endif\n");
  const auto fail = [&](const std::string& reason) {
    failures += fmt::format("\n  {}: {}", fmt::join(command, " "), reason);
    return false;
  };
  int status = 0;
  try {
    status = run_program(
        command + Command{"-std=c++20", "-E", "-P", files.source, "-o", files.output}, files.log);
  } catch (const std::system_error& error) {
    return fail(error.code().message());
  }
  if (status != 0) return fail(fmt::format("exit status {}", status));

  const Command identity = split(read_file(files.output));
  if (identity.size() != 4) return fail("it is neither g++ nor clang++");
#ifdef FOLDTUNE_SANITIZE
  if (identity[0] != kOwnCompiler) {
    return fail(
        fmt::format("with sanitizers, it must be the {} that built Foldtune", kOwnCompiler));
  }
#endif
  // The prefix map keeps the folder's random name out of the image.
  const std::string folder = folder_.path().string();
  command_ = command + kOptions + sanitizer_options(identity[0] == "clang++") +
             Command{"-I" + folder, "-ffile-prefix-map=" + folder + "/="};
  version_ = fmt::format("{} {}.{}.{}", identity[0], identity[1], identity[2], identity[3]);
  return true;
}

CompiledKernel HostCompiler::compile(const Program& program) const {
  if (program.needs_toolkit) {
    throw MissingToolkit(fmt::format(
        "compiling {} for the CPU device: it needs headers of the CUDA Toolkit, which are for GPUs "
        "alone; choose another block stage",
        describe(program)));
  }
  const auto start = std::chrono::steady_clock::now();
  CompiledKernel result;
  try {
    const WorkFiles files;
    write_file(files.source, translation_unit(program));
    const int status = run_program(command_ + Command{files.source, "-o", files.output}, files.log);
    if (status != 0) {
      throw CompileError(fmt::format(
          "Compiling {} with {} for the CPU device: exit status {}. Correct the program:\n{}",
          describe(program), version_, status, without_folder(read_file(files.log))));
    }
    result.image = read_file(files.output);
  } catch (const std::system_error& error) {
    throw Unavailable(fmt::format(
        "Compiling {} with {}: {}. Free some space, or set TMPDIR to a folder that can be written.",
        describe(program), version_, error.what()));
  }
  for (std::size_t i = 0; i < program.name_expressions.size(); ++i) {
    result.lowered_names.push_back(entry_name(i));
  }
  result.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// Templates under the names that they are included by, as NVRTC shows them.
std::string HostCompiler::without_folder(std::string log) const {
  const std::string prefix = folder_.path().string() + "/";
  for (std::size_t at = log.find(prefix); at != std::string::npos; at = log.find(prefix, at)) {
    log.erase(at, prefix.size());
  }
  return log;
}

}  // namespace

std::unique_ptr<Compiler> make_host_compiler() {
  try {
    return std::make_unique<HostCompiler>();
  } catch (const std::system_error& error) {
    throw Unavailable(
        fmt::format("Preparing the host compiler for the CPU device: {}. Set TMPDIR to a folder "
                    "that can be written.",
                    error.what()));
  }
}

}  // namespace foldtune
