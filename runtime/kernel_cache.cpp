#include "runtime/kernel_cache.h"

namespace foldtune {

std::shared_ptr<const CompiledKernel> KernelCache::get(const Compiler& compiler,
                                                       const Program& program) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const CompiledKernel>& compiled = compiled_[program.key()];
  if (compiled == nullptr) {
    compiled = std::make_shared<const CompiledKernel>(compiler.compile(program));
  }
  return compiled;
}

}  // namespace foldtune
