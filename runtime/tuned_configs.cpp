#include "runtime/tuned_configs.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cache/store_error.h"
#include "foldtune/error.h"

namespace foldtune {

TunedConfigs TunedConfigs::open(const std::string& path, Notify notify) {
  TunedConfigs configs(nullptr, std::move(notify));
  try {
    const std::string file = path.empty() ? default_database_path() : path;
    std::error_code is_hidden;
    if (!std::filesystem::exists(file, is_hidden) && !is_hidden) return configs;
    // Not looked through: a look-up reads a few pages, and SQLite tells if those are damaged.
    configs.store_ = open_sqlite_store(
        file, OpenMode::read_only,
        {.patience = kLookupPatience, .inspect = false, .notify = configs.notify_});
  } catch (const StoreError& error) {
    configs.fault_ = error.what();
    configs.notify_(fmt::format("running untuned: {}", error.what()));
  }
  return configs;
}

Choice TunedConfigs::choose(const DeviceRecord& device, const std::string& compiler,
                            const Problem& problem) const {
  std::string fault = fault_;
  try {
    if (fault.empty()) return choose_config(store_.get(), device, compiler, problem);
  } catch (const DatabaseError& error) {
    notify_(fmt::format("running untuned: {}", error.what()));
    fault = error.what();
  }
  Choice choice = choose_config(nullptr, device, compiler, problem);
  choice.reason = fault;
  return choice;
}

}  // namespace foldtune
