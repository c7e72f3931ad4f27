#include <fmt/format.h>
#include <nvrtc.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/compiler.h"
#include "runtime/support/shared_library.h"
#include "templates/embedded.h"

namespace foldtune {
namespace {

/// The toolkits of the environment, best first.
std::vector<std::string> named_toolkits() {
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* toolkit = std::getenv(variable)) toolkits.emplace_back(toolkit);
  }
  return toolkits;
}

/// The toolkit of this build, and the usual place.
std::vector<std::string> usual_toolkits() { return {FOLDTUNE_CUDA_TOOLKIT, "/usr/local/cuda"}; }

/// Where the toolkit may lie: what the user names and nothing else, or, best first, the toolkits of
/// the environment, then the usual ones.
std::vector<std::string> toolkit_candidates() {
  if (const char* toolkit = std::getenv("FOLDTUNE_TOOLKIT")) return {toolkit};
  std::vector<std::string> toolkits = named_toolkits();
  for (std::string& toolkit : usual_toolkits()) toolkits.push_back(std::move(toolkit));
  return toolkits;
}

/// Where NVRTC may lie: what the user names and nothing else, or, best first, the toolkits of the
/// environment, what the loader finds, the usual ones.
std::vector<std::string> nvrtc_candidates() {
  if (const char* path = std::getenv("FOLDTUNE_NVRTC")) return {path};
  std::vector<std::string> paths;
  const auto add = [&](const std::string& prefix) {
    for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}) {
      paths.push_back(prefix + name);
    }
  };
  const auto add_all = [&](const std::vector<std::string>& toolkits) {
    for (const std::string& toolkit : toolkits) {
      for (const char* folder : {"lib64", "lib"}) add(fmt::format("{}/{}/", toolkit, folder));
    }
  };
  add_all(named_toolkits());
  add("");
  add_all(usual_toolkits());
  return paths;
}

SharedLibrary open_nvrtc() {
  try {
    return SharedLibrary::open(nvrtc_candidates());
  } catch (const Unavailable& error) {
    throw Unavailable(fmt::format(
        "opening NVRTC, which compiles the kernels that no database and no bundle has: it was not "
        "found; install the CUDA Toolkit (12.4 or newer) or the Python package nvidia-cuda-nvrtc, "
        "and set FOLDTUNE_NVRTC to its libnvrtc.so if that is in no usual place\n({})",
        error.what()));
  }
}

struct Nvrtc {
  SharedLibrary library = open_nvrtc();
#define FOLDTUNE_NVRTC(function) \
  decltype(&::function) function = library.symbol<decltype(::function)>(#function)
  FOLDTUNE_NVRTC(nvrtcAddNameExpression);
  FOLDTUNE_NVRTC(nvrtcCompileProgram);
  FOLDTUNE_NVRTC(nvrtcCreateProgram);
  FOLDTUNE_NVRTC(nvrtcDestroyProgram);
  FOLDTUNE_NVRTC(nvrtcGetCUBIN);
  FOLDTUNE_NVRTC(nvrtcGetCUBINSize);
  FOLDTUNE_NVRTC(nvrtcGetErrorString);
  FOLDTUNE_NVRTC(nvrtcGetLoweredName);
  FOLDTUNE_NVRTC(nvrtcGetProgramLog);
  FOLDTUNE_NVRTC(nvrtcGetProgramLogSize);
  FOLDTUNE_NVRTC(nvrtcVersion);
#undef FOLDTUNE_NVRTC
  SharedLibrary builtins = open_builtins();

  /// One NVRTC per process: it is large, and its first compilation slow. It is never closed, since
  /// threads may still be compiling when the process ends.
  static const Nvrtc& get() {
    static const Nvrtc* const nvrtc = new Nvrtc;
    return *nvrtc;
  }
  std::string version() const { return "nvrtc " + version_number(); }
  std::string version_number() const {
    int major = 0;
    int minor = 0;
    check(nvrtcVersion(&major, &minor), "asking for NVRTC's version");
    return fmt::format("{}.{}", major, minor);
  }
  /// NVRTC opens its other half by its name alone, which the loader need not find, though it lies
  /// beside NVRTC. It does find what is open already.
  SharedLibrary open_builtins() const {
    const std::filesystem::path folder = std::filesystem::path(library.name()).parent_path();
    if (folder.empty()) return {};  // The loader found NVRTC.
    try {
      return SharedLibrary::open({folder / ("libnvrtc-builtins.so." + version_number())});
    } catch (const Unavailable&) {
      return {};  // A compilation says what is missing.
    }
  }
  void check(nvrtcResult result, const char* doing) const {
    if (result != NVRTC_SUCCESS) {
      throw Unavailable(
          fmt::format("{}: {}; is libnvrtc-builtins of the same version beside libnvrtc, and is "
                      "there memory? FOLDTUNE_NVRTC names another NVRTC",
                      doing, nvrtcGetErrorString(result)));
    }
  }
};

/// Owns an nvrtcProgram.
class NvrtcProgram {
 public:
  NvrtcProgram(const Nvrtc& nvrtc, const Program& program) : nvrtc_(nvrtc) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const EmbeddedFile& file : embedded_files()) {
      texts.push_back(file.text);
      names.push_back(file.name.data());
    }
    nvrtc_.check(
        nvrtc_.nvrtcCreateProgram(&program_, program.source.c_str(), "foldtune.cu",
                                  static_cast<int>(texts.size()), texts.data(), names.data()),
        "creating an NVRTC program");
  }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;
  ~NvrtcProgram() { nvrtc_.nvrtcDestroyProgram(&program_); }

  nvrtcProgram get() const { return program_; }

 private:
  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

class NvrtcCompiler final : public Compiler {
 public:
  explicit NvrtcCompiler(const std::string& architecture)
      : architecture_option_("--gpu-architecture=" + architecture) {}

  const std::string& version() const override { return version_; }

  CompiledKernel compile(const Program& text) const override {
    const auto begin = std::chrono::steady_clock::now();
    const NvrtcProgram program(nvrtc_, text);
    for (const std::string& expression : text.name_expressions) {
      nvrtc_.check(nvrtc_.nvrtcAddNameExpression(program.get(), expression.c_str()),
                   "adding a name expression");
    }
    std::vector<std::string> options = nvrtc_options(text);
    options.push_back(architecture_option_);
    if (text.needs_toolkit) {
      for (const std::string& folder : toolkit_include_folders()) options.push_back("-I" + folder);
    }
    std::vector<const char*> option_texts;
    option_texts.reserve(options.size());
    for (const std::string& option : options) option_texts.push_back(option.c_str());
    const nvrtcResult result = nvrtc_.nvrtcCompileProgram(
        program.get(), static_cast<int>(option_texts.size()), option_texts.data());
    if (result == NVRTC_ERROR_OUT_OF_MEMORY || result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {
      nvrtc_.check(result, "compiling");  // through no fault of the program
    }
    if (result != NVRTC_SUCCESS) {
      throw CompileError(fmt::format("compiling {} with {} {}: {}\n{}",
                                     text.name_expressions.front(), version_, architecture_option_,
                                     nvrtc_.nvrtcGetErrorString(result), log(program.get())));
    }
    CompiledKernel compiled;
    std::size_t size = 0;
    nvrtc_.check(nvrtc_.nvrtcGetCUBINSize(program.get(), &size), "asking for a cubin's size");
    compiled.image.resize(size);
    nvrtc_.check(nvrtc_.nvrtcGetCUBIN(program.get(), compiled.image.data()), "taking a cubin");
    for (const std::string& expression : text.name_expressions) {
      const char* lowered = nullptr;
      nvrtc_.check(nvrtc_.nvrtcGetLoweredName(program.get(), expression.c_str(), &lowered),
                   "asking for a lowered name");
      compiled.lowered_names.emplace_back(lowered);
    }
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - begin;
    compiled.compile_ms = elapsed.count();
    return compiled;
  }

 private:
  std::string log(nvrtcProgram program) const {
    std::size_t size = 0;
    if (nvrtc_.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS) return {};
    std::string text(size, '\0');
    if (nvrtc_.nvrtcGetProgramLog(program, text.data()) != NVRTC_SUCCESS) return {};
    text.resize(std::strlen(text.c_str()));  // without the terminating zero
    return text;
  }

  const Nvrtc& nvrtc_ = Nvrtc::get();
  std::string architecture_option_;
  std::string version_ = nvrtc_.version();
};

}  // namespace

std::vector<std::string> toolkit_include_folders() {
  std::string looked_at;
  for (const std::string& toolkit : toolkit_candidates()) {
    const std::filesystem::path include = std::filesystem::path(toolkit) / "include";
    std::error_code ignored;
    // CUDA 13 keeps CUB in a folder of its own.
    for (const std::filesystem::path& cccl : {include / "cccl", include}) {
      if (std::filesystem::exists(cccl / "cub" / "cub.cuh", ignored) &&
          std::filesystem::exists(include / "cooperative_groups.h", ignored)) {
        // Cooperative groups include their parts by names that only their own folders know.
        const std::filesystem::path groups = include / "cooperative_groups";
        return {include.string(), cccl.string(), groups.string(), (groups / "details").string()};
      }
    }
    looked_at += fmt::format("{}{}", looked_at.empty() ? "" : ", ", include.string());
  }
  throw MissingToolkit(
      fmt::format("this variant needs headers of the CUDA Toolkit (CUB, cooperative groups), which "
                  "are not in {}; set CUDA_HOME to the toolkit",
                  looked_at));
}

// Includes come from the embedded files alone, wherever the process runs.
std::vector<std::string> nvrtc_options(const Program& program) {
  std::vector<std::string> options{"--std=c++20", "--no-source-include"};
  if (!program.fuses_multiply_add) options.emplace_back("--fmad=false");
  return options;
}

NvrtcLibrary find_nvrtc() {
  return {.path = Nvrtc::get().library.name(), .version = Nvrtc::get().version()};
}

std::unique_ptr<Compiler> make_nvrtc_compiler(const std::string& architecture) {
  return std::make_unique<NvrtcCompiler>(architecture);
}

}  // namespace foldtune
