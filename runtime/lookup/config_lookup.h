/// What a context looks up: the user's database, and the bundles beneath it. A program computes
/// whatever becomes of them: what cannot be looked up runs untuned, and is compiled.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/notice.h"
#include "runtime/compile/kernel_cache.h"
#include "runtime/lookup/lookup.h"

namespace foldtune {

/// How long a look-up waits for a database that another process keeps locked. Readers wait for no
/// writer with a write-ahead log, so this is about network file systems and other programs.
inline constexpr std::chrono::milliseconds kLookupPatience{500};

/// Where tuned configurations and compiled kernels are.
struct TunedSources {
  std::string database{};              ///< empty: the default one
  std::vector<std::string> bundles{};  ///< paths; those of $FOLDTUNE_BUNDLE come after them
  /// What kept kernels may take in the database; empty: `default_cache_bytes`.
  std::optional<std::uint64_t> cache_bytes{};
  bool only_pinned = false;  ///< of the database
};

/// The paths in $FOLDTUNE_BUNDLE, which colons separate.
std::vector<std::string> environment_bundles();

class ConfigLookup {
 public:
  /// Over a store (null: there is none), in which nothing is changed.
  explicit ConfigLookup(std::shared_ptr<const ConfigStore> store, Notify notify = note_once);

  /// A database that is not there is none; of one that cannot be used, `notify` is told, and there
  /// is none either. The same of bundles, which must be there. A missing database is made when the
  /// first kernel is kept.
  static ConfigLookup open(const TunedSources& sources, Notify notify = note_once);
  static ConfigLookup open(const std::string& database, Notify notify = note_once) {
    return open(TunedSources{.database = database}, std::move(notify));
  }

  /// `choose_config` in the database and, unless the problem is pinned there, in each bundle. A
  /// result for the workload's own bucket goes before one of a near one; of equals the database's
  /// goes first, then that of the first bundle. Where a store fails, `notify` is told, and it has
  /// nothing.
  Choice choose(const DeviceRecord& device, const std::string& compiler,
                const Workload& workload) const;

  /// The best choice of each store, in that order, and last the untuned default.
  std::vector<Choice> choices(const DeviceRecord& device, const std::string& compiler,
                              const Workload& workload) const;

  /// The kernels of the same stores.
  KernelSources kernels() const;

 private:
  explicit ConfigLookup(Notify notify) : notify_(std::move(notify)) {}

  void open_database(Pins pins);
  void open_bundle(const std::string& path);

  Notify notify_;
  std::string path_;             // Of the database; empty: nothing is written.
  std::uint64_t max_bytes_ = 0;  // For kernels in the database.
  std::shared_ptr<const ConfigStore> own_;
  std::vector<std::shared_ptr<const ConfigStore>> bundles_;
  std::string fault_;  // Why there is no store; empty: there is a store, or no database.
};

/// The choice for `workload`, made so that no compiler is opened as long as its kernel is kept:
/// then it is what was tuned with the very compiler that made the kernel. Else results of the
/// device's present compiler go first; without a compiler, the next best choice whose kernel is
/// kept. Tells the log.
Choice choose_with_kernel(Device& device, const ConfigLookup& configs, KernelCache& kernels,
                          const Workload& workload);

/// The compiler that the choice was tuned with; empty if it was not tuned.
std::string compiler_of(const Choice& choice);

}  // namespace foldtune
