/// What a context looks up. A program computes whatever becomes of its tuning database: what cannot
/// be looked up runs untuned.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "cache/notice.h"
#include "runtime/lookup.h"

namespace foldtune {

/// How long a look-up waits for a database that another process keeps locked. Readers wait for no
/// writer with a write-ahead log, so this is about network file systems and other programs.
inline constexpr std::chrono::milliseconds kLookupPatience{500};

class TunedConfigs {
 public:
  /// Over a store (null: there is none).
  explicit TunedConfigs(std::shared_ptr<const ConfigStore> store, Notify notify = note_once)
      : store_(std::move(store)), notify_(std::move(notify)) {}

  /// Over the database `path`; empty: the default one. One that is not there is none; of one that
  /// cannot be used, `notify` is told, and there is none either.
  static TunedConfigs open(const std::string& path, Notify notify = note_once);

  /// `choose_config`. Where the store fails, `notify` is told, and it is the untuned default.
  Choice choose(const DeviceRecord& device, const std::string& compiler,
                const Problem& problem) const;

 private:
  std::shared_ptr<const ConfigStore> store_;
  Notify notify_;
  std::string fault_;  // Why there is no store; empty: there is a store, or no database.
};

}  // namespace foldtune
