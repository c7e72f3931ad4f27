#include "tuner/session/kept_kernels.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "foldtune/error.h"
#include "runtime/compile/kernel_cache.h"
#include "templates/family.h"

namespace foldtune {
namespace {

/// That of the key's own compiler alone, or of any if the key has none.
std::optional<KernelRecord> find_kernel(const KernelStore& store, const KernelKey& key) {
  std::optional<StoredKernel> found = store.find(key);
  if (!found || found->is_damaged) return std::nullopt;
  const bool is_it = key.compiler.empty() || found->record.key.compiler == key.compiler;
  return is_it ? std::optional(std::move(found->record)) : std::nullopt;
}

class Keeping {
 public:
  Keeping(KernelStore& store, const KernelStore* source, const Compiler& compiler,
          std::uint64_t max_bytes)
      : store_(store), source_(source), compiler_(compiler), max_bytes_(max_bytes) {}

  void keep(const DeviceRecord& device, const WantedKernel& wanted) {
    const auto key = kernel_key(device, wanted.program, wanted.tuned_with);
    if (!key) return;
    if (find_kernel(store_, *key)) return count(false);
    if (source_ != nullptr) {
      if (const auto found = find_kernel(*source_, *key)) {
        store_.put(*found, max_bytes_);
        return count(false);
      }
    }
    KernelKey present = *key;
    present.compiler = compiler_.version();
    if (find_kernel(store_, present)) return count(false);
    try {
      const CompiledKernel compiled = compiler_.compile(wanted.program);
      store_.put(kernel_record(present, wanted.program, compiled), max_bytes_);
      count(true);
    } catch (const CompileError& error) {
      const std::lock_guard lock(mutex_);
      report_.failures.emplace_back(error.what());
    }
  }

  KeptKernels report() const { return report_; }

 private:
  void count(bool is_compiled) {
    const std::lock_guard lock(mutex_);
    ++report_.kernels;
    report_.compiled += is_compiled ? 1 : 0;
  }

  KernelStore& store_;
  const KernelStore* source_;
  const Compiler& compiler_;
  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  KeptKernels report_;
};

}  // namespace

KeptKernels keep_kernels(KernelStore& store, const KernelStore* source, const DeviceRecord& device,
                         const Compiler& compiler, const std::vector<WantedKernel>& wanted,
                         int threads, std::uint64_t max_bytes) {
  Keeping keeping(store, source, compiler, max_bytes);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < wanted.size(); i = next++) keeping.keep(device, wanted[i]);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = wanted.size();
    }
  };
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t asked = threads > 0 ? static_cast<std::size_t>(threads) : cores;
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min(asked, wanted.size()); ++i) others.emplace_back(work);
    } catch (const std::exception&) {
      // The system gives no more threads, or no memory for them: those that there are do all.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return keeping.report();
}

std::vector<WantedKernel> kernels_of(const std::vector<ProblemResult>& results,
                                     const std::string& compiler) {
  std::vector<WantedKernel> wanted;
  for (const ProblemResult& result : results) {
    Program program = make_program({.workload = result.workload, .params = result.best});
    if (std::ranges::find(wanted, program, &WantedKernel::program) != wanted.end()) continue;
    wanted.push_back({.program = std::move(program), .tuned_with = compiler});
  }
  return wanted;
}

}  // namespace foldtune
