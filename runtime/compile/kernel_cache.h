/// The kernels of a process: every program is compiled once, and not at all if an earlier process
/// did.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cache/kernel_store.h"
#include "runtime/device/compiler.h"
#include "runtime/device/device.h"

namespace foldtune {

/// Where kernels of earlier processes are.
struct KernelSources {
  /// The user's own; null: none.
  std::shared_ptr<const KernelStore> own{};
  /// Those that were shipped with programs. They are only read.
  std::vector<std::shared_ptr<const KernelStore>> bundles{};
  /// Opens `own`, which may not exist yet, for writing; called at the first change. Empty: nothing
  /// is kept. Throws StoreError.
  std::function<std::shared_ptr<KernelStore>()> open_own = nullptr;
  /// What the images in `own` may take; 0: nothing is kept.
  std::uint64_t max_bytes = 0;
};

/// What a kernel of `program` is kept under; empty if none is kept. Images of the CPU device are
/// not: they are native code of this process, which no file should be able to bring in. Nor are
/// programs that include headers of the toolkit, since these are no part of the key.
std::optional<KernelKey> kernel_key(const DeviceRecord& device, const Program& program,
                                    const std::string& compiler);

/// The record of a kernel that was compiled by the key's compiler.
KernelRecord kernel_record(const KernelKey& key, const Program& program,
                           const CompiledKernel& compiled);

/// May be used from several threads. Stores that fail are no error: the log is told, and what they
/// have is compiled.
class KernelCache {
 public:
  explicit KernelCache(KernelSources sources = {}) : sources_(std::move(sources)) {}
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;
  /// Notes which kernels were used, those that were not noted for a day; a fork notes none.
  ~KernelCache();

  /// The kernel of `program` without any compiler: what was compiled or found before, that which
  /// `compiler` made (empty: any), else the newest. Null if there is none.
  std::shared_ptr<const CompiledKernel> find(const DeviceRecord& device, const Program& program,
                                             const std::string& compiler);

  /// The same, but one that is missing is compiled by the device's compiler, and kept. Throws as
  /// Device::compiler and Compiler::compile do.
  std::shared_ptr<const CompiledKernel> get(Device& device, const Program& program,
                                            const std::string& compiler);

  /// Drops a kernel that the device does not load, so that `get` compiles the program. False if it
  /// comes from no store: compiling again would not help.
  bool reject(const DeviceRecord& device, const Program& program);

 private:
  struct Entry {
    std::shared_ptr<const CompiledKernel> kernel;
    std::optional<KernelKey> stored{};  ///< where it was found in a store
  };

  std::shared_ptr<const CompiledKernel> find_known(const Program& program);

  // The caller holds the lock.
  std::shared_ptr<const CompiledKernel> find_locked(const DeviceRecord& device,
                                                    const Program& program,
                                                    const std::string& compiler);
  std::optional<StoredKernel> find_stored(const KernelKey& key);
  void keep(const KernelRecord& kernel);
  void change_own(const std::function<void(KernelStore&)>& change);

  const KernelSources sources_;
  const pid_t process_ = ::getpid();
  std::mutex mutex_;                      // guards what follows
  std::map<std::string, Entry> entries_;  ///< by Program::key
  std::set<std::string> rejected_;        ///< the same of those that no store may give
  std::vector<KernelKey> uses_;           ///< to be noted
  std::shared_ptr<KernelStore> writable_;
  bool is_writable_ = true;  ///< until it turns out that `own` cannot be opened for writing
};

}  // namespace foldtune
