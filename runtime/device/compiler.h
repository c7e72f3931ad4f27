/// The seam to the compilers: program text in, loadable machine code out.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "foldtune/error.h"
#include "templates/program.h"

namespace foldtune {

/// Programs that are compiled as one, at most. More gain little (NVRTC 13 on two cores takes 62 ms
/// per program alone, 25 ms in batches of 4, 15 ms of 16), and take longer to load.
inline constexpr std::size_t kMaxBatch = 12;

/// The headers of the CUDA Toolkit, which a program includes, are not there.
class MissingToolkit : public CompileError {
 public:
  using CompileError::CompileError;
};

/// What a compiler gives back, for the device it was made for.
struct CompiledKernel {
  std::string image;                       ///< a cubin, or a shared library for the CPU device
  std::vector<std::string> lowered_names;  ///< symbol of each name expression, in their order
  double compile_ms = 0;                   ///< wall time of this compilation
};

/// Member functions may be called from several threads at once.
class Compiler {
 public:
  virtual ~Compiler() = default;

  /// "nvrtc 13.0", "g++ 12.2.0": part of the key of every tuning result.
  virtual const std::string& version() const = 0;

  /// Throws CompileError with the compiler's log, MissingToolkit, Unavailable if the compiler
  /// cannot be used.
  virtual CompiledKernel compile(const Program& program) const = 0;

  /// Ends what other threads are compiling, which nobody waits for any longer: it throws
  /// CompileError there. Where that cannot be ended, nothing.
  virtual void stop_compilations() const {}
};

/// NVRTC, opened at run time. `architecture` is a real one: "sm_90". Throws Unavailable with what
/// was looked for and how to get it.
std::unique_ptr<Compiler> make_nvrtc_compiler(const std::string& architecture);

/// What NVRTC is told of a program, but for the architecture and where headers of the toolkit lie.
std::vector<std::string> nvrtc_options(const Program& program);

/// The NVRTC that is used, which this opens.
struct NvrtcLibrary {
  std::string path;     ///< as it was opened: "libnvrtc.so.13"
  std::string version;  ///< Compiler::version()
};

/// Throws Unavailable as `make_nvrtc_compiler` does.
NvrtcLibrary find_nvrtc();

/// The folders of the toolkit's headers, which few programs need. Throws MissingToolkit.
std::vector<std::string> toolkit_include_folders();

/// The host's C++ compiler, for the CPU device: the one that $CXX names, with its options, which is
/// an error where it cannot be used; without it c++, g++ or clang++. One that does not say within
/// `answer_limit` who it is cannot be used: the usual ones take milliseconds, but a machine that
/// swaps or waits for its disk may stand still for many seconds.
std::unique_ptr<Compiler> make_host_compiler(
    std::chrono::seconds answer_limit = std::chrono::seconds{60});

}  // namespace foldtune
