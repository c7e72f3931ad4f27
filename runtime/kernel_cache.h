/// The compilations of a process: every program is compiled once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/compiler.h"

namespace foldtune {

/// May be used from several threads.
class KernelCache {
 public:
  /// The compilation of `program`, made now if it is the first time. Throws as Compiler::compile.
  std::shared_ptr<const CompiledKernel> get(const Compiler& compiler, const Program& program);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const CompiledKernel>> compiled_;  ///< by Program::key
};

}  // namespace foldtune
