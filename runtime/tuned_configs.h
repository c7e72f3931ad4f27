/// What a context looks up: the user's database, and the bundles beneath it. A program computes
/// whatever becomes of them: what cannot be looked up runs untuned, and is compiled.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/lookup_memo.h"
#include "cache/notice.h"
#include "runtime/kernel_cache.h"
#include "runtime/lookup.h"

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
};

/// The paths in $FOLDTUNE_BUNDLE, which colons separate.
std::vector<std::string> environment_bundles();

class TunedConfigs {
 public:
  /// Over a store (null: there is none), in which nothing is changed.
  explicit TunedConfigs(std::shared_ptr<const ConfigStore> store, Notify notify = note_once);

  /// A database that is not there is none; of one that cannot be used, `notify` is told, and there
  /// is none either. The same of bundles, which must be there. A missing database is made when the
  /// first kernel is kept. Where an earlier process left a memo of look-ups that holds, none of
  /// them is opened before something is asked that it does not know.
  static TunedConfigs open(const TunedSources& sources, Notify notify = note_once);
  static TunedConfigs open(const std::string& database, Notify notify = note_once) {
    return open(TunedSources{.database = database}, std::move(notify));
  }

  /// `choose_config` in the database and in each bundle. A result for the problem's own size class
  /// goes before one of a near size; of equals the database's goes first, then that of the first
  /// bundle. Where a store fails, `notify` is told, and it has nothing.
  Choice choose(const DeviceRecord& device, const std::string& compiler,
                const Problem& problem) const;

  /// The best choice of each store, in that order, and last the untuned default.
  std::vector<Choice> choices(const DeviceRecord& device, const std::string& compiler,
                              const Problem& problem) const;

  /// The kernels of the same stores.
  KernelSources kernels() const;

  /// What earlier processes remembered; may be null.
  const LookupMemo* memo() const { return memo_.get(); }
  /// Where to remember for later ones; null where that is not wanted, or a store cannot be used,
  /// which every process is to be told.
  LookupMemo* memo_to_write() const { return stores_->are_sound ? memo_.get() : nullptr; }

 private:
  explicit TunedConfigs(Notify notify) : notify_(std::move(notify)) {}

  struct Bundle {
    std::string path;
    std::shared_ptr<const ConfigStore> store;
  };
  struct Stores {
    std::once_flag are_open;
    std::atomic<bool> are_sound = true;
    std::shared_ptr<const ConfigStore> own;
    std::vector<Bundle> bundles;
    std::string fault;  // Why there is no store; empty: there is a store, or no database.
  };

  /// Opens them at the first call.
  const Stores& stores() const;
  void open_database(Stores& stores) const;
  void open_bundle(Stores& stores, const std::string& path) const;

  Notify notify_;
  std::string path_;  // Of the database; empty: nothing is written.
  std::vector<std::string> bundle_paths_;
  std::uint64_t most_bytes_ = 0;  // For kernels in the database.
  std::shared_ptr<Stores> stores_ = std::make_shared<Stores>();
  std::shared_ptr<LookupMemo> memo_;
};

/// The choice for `problem`, made so that no compiler is opened as long as its kernel is kept: then
/// it is what was tuned with the very compiler that made the kernel. Else results of the device's
/// present compiler go first; without a compiler, the next best choice whose kernel is kept. Tells
/// the log.
Choice choose_with_kernel(Device& device, const TunedConfigs& configs, KernelCache& kernels,
                          const Problem& problem);

/// The compiler that the choice was tuned with; empty if it was not tuned.
std::string compiler_of(const Choice& choice);

}  // namespace foldtune
