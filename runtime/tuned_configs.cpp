#include "runtime/tuned_configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache/network_file_system.h"
#include "cache/store_error.h"
#include "foldtune/error.h"
#include "runtime/log.h"
#include "runtime/recall.h"
#include "runtime/variant.h"

namespace foldtune {
namespace {

/// Any, since to ask for the present one would open it.
constexpr const char* kAnyCompiler = "";

// Not looked through: a look-up reads a few pages, and SQLite tells if those are damaged.
std::unique_ptr<ConfigStore> open_store(const std::string& path, OpenMode mode,
                                        const Notify& notify) {
  return open_sqlite_store(path, mode,
                           {.patience = kLookupPatience, .inspect = false, .notify = notify});
}

/// Programs of many hosts may share a home folder. Whether their locks work there, nobody knows, so
/// nothing is written that nobody asked for.
void require_local(const std::filesystem::path& path) {
  std::filesystem::path place = std::filesystem::absolute(path);
  std::error_code is_hidden;
  while (!std::filesystem::exists(place, is_hidden) && place.has_relative_path()) {
    place = place.parent_path();
  }
  const std::string_view file_system = network_file_system(place);
  if (file_system.empty()) return;
  throw StoreError(fmt::format(
      "cannot keep a kernel in the tuning database {}: it lies on a network file system ({}); name "
      "a file on a local disk with FOLDTUNE_DB",
      path.string(), file_system));
}

/// Null where there is no place for it.
std::shared_ptr<LookupMemo> open_memo(const std::string& database,
                                      const std::vector<std::string>& bundles) {
  if (database.empty()) return nullptr;
  const auto absolute = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  std::vector<std::string> others;
  std::ranges::transform(bundles, std::back_inserter(others), absolute);
  auto memo = std::make_shared<LookupMemo>(absolute(database), others);
  log(LogLevel::debug, [&] {
    return fmt::format("{} look-ups of {}", memo->has_entries() ? "remembering" : "not remembering",
                       database);
  });
  return memo;
}

void log_choice(const Problem& problem, const Choice& choice) {
  log(LogLevel::info, [&] {
    return fmt::format("{}: {} configuration {} ({})", to_string(problem),
                       to_string(choice.source()), to_json(choice.params), choice.reason);
  });
}

}  // namespace

std::vector<std::string> environment_bundles() {
  std::vector<std::string> paths;
  const char* const value = std::getenv("FOLDTUNE_BUNDLE");
  std::istringstream text(value == nullptr ? "" : value);
  for (std::string path; std::getline(text, path, ':');) {
    if (!path.empty()) paths.push_back(path);
  }
  return paths;
}

TunedConfigs::TunedConfigs(std::shared_ptr<const ConfigStore> store, Notify notify)
    : notify_(std::move(notify)) {
  std::call_once(stores_->are_open, [&] { stores_->own = std::move(store); });
}

TunedConfigs TunedConfigs::open(const TunedSources& sources, Notify notify) {
  TunedConfigs configs(std::move(notify));
  configs.bundle_paths_ = sources.bundles;
  std::ranges::move(environment_bundles(), std::back_inserter(configs.bundle_paths_));
  try {
    configs.path_ = sources.database.empty() ? default_database_path() : sources.database;
  } catch (const StoreError& error) {
    configs.stores_->fault = error.what();
    configs.notify_(fmt::format("running untuned: {}", error.what()));
  }
  try {
    configs.most_bytes_ = sources.cache_bytes ? *sources.cache_bytes : default_cache_bytes();
  } catch (const StoreError& error) {
    configs.notify_(fmt::format("no compiled kernels are kept: {}", error.what()));
  }
  if (configs.most_bytes_ > 0) configs.memo_ = open_memo(configs.path_, configs.bundle_paths_);
  // What is wrong with them is told at once.
  if (configs.memo_ == nullptr || !configs.memo_->has_entries()) configs.stores();
  return configs;
}

const TunedConfigs::Stores& TunedConfigs::stores() const {
  std::call_once(stores_->are_open, [&] {
    if (!path_.empty()) open_database(*stores_);
    for (const std::string& path : bundle_paths_) open_bundle(*stores_, path);
  });
  return *stores_;
}

void TunedConfigs::open_database(Stores& stores) const {
  try {
    std::error_code is_hidden;
    if (!std::filesystem::exists(path_, is_hidden) && !is_hidden) {
      log(LogLevel::info, [&] { return fmt::format("there is no tuning database {}", path_); });
      return;
    }
    stores.own = open_store(path_, OpenMode::read_only, notify_);
    log(LogLevel::info, [&] { return fmt::format("opened the tuning database {}", path_); });
  } catch (const EmptyDatabase& error) {
    log(LogLevel::info, [&] { return std::string(error.what()); });
  } catch (const StoreError& error) {
    stores.fault = error.what();
    stores.are_sound = false;
    notify_(fmt::format("running untuned: {}", error.what()));
  }
}

void TunedConfigs::open_bundle(Stores& stores, const std::string& path) const {
  try {
    stores.bundles.push_back(
        {.path = path, .store = open_store(path, OpenMode::read_only, notify_)});
    log(LogLevel::info, [&] {
      return fmt::format("opened the bundle {}, which is looked up number {} after the database",
                         path, stores.bundles.size());
    });
  } catch (const StoreError& error) {
    stores.are_sound = false;
    notify_(fmt::format("running without the bundle {}: {}", path, error.what()));
  }
}

std::vector<Choice> TunedConfigs::choices(const DeviceRecord& device, const std::string& compiler,
                                          const Problem& problem) const {
  const Stores& stores = this->stores();
  std::string fault = stores.fault;
  std::optional<Choice> untuned;
  std::vector<Choice> found;
  const auto look_into = [&](const std::shared_ptr<const ConfigStore>& store) {
    if (store == nullptr) return;
    try {
      Choice choice = choose_config(store.get(), device, compiler, problem);
      if (choice.match) {
        found.push_back(std::move(choice));
      } else if (!untuned) {
        untuned = std::move(choice);
      }
    } catch (const DatabaseError& error) {
      notify_(fmt::format("running untuned: {}", error.what()));
      fault = error.what();
      stores_->are_sound = false;
    }
  };
  look_into(stores.own);
  for (const Bundle& bundle : stores.bundles) look_into(bundle.store);
  std::ranges::stable_sort(found, {}, [](const Choice& choice) {
    return choice.source() == ConfigSource::exact ? 0 : 1;
  });
  if (!untuned) untuned = choose_config(nullptr, device, compiler, problem);
  if (!fault.empty()) untuned->reason = fault;
  found.push_back(*std::move(untuned));
  return found;
}

Choice TunedConfigs::choose(const DeviceRecord& device, const std::string& compiler,
                            const Problem& problem) const {
  return choices(device, compiler, problem).front();
}

KernelSources TunedConfigs::kernels() const {
  const Stores& stores = this->stores();
  KernelSources sources{.own = stores.own == nullptr ? nullptr : stores.own->kernels(),
                        .most_bytes = most_bytes_};
  for (const Bundle& bundle : stores.bundles) sources.bundles.push_back(bundle.store->kernels());
  // What cannot be read is not written to either: it may be damaged.
  if (path_.empty() || !stores.fault.empty()) return sources;
  sources.open_own = [path = path_, notify = notify_] {
    require_local(path);
    return open_store(path, OpenMode::read_write, notify)->kernels();
  };
  return sources;
}

std::string compiler_of(const Choice& choice) {
  return choice.match ? choice.match->result.run.compiler : std::string();
}

Choice choose_with_kernel(Device& device, const TunedConfigs& configs, KernelCache& kernels,
                          const Problem& problem) {
  if (std::optional<Choice> known = recall(configs.memo(), device, problem, kernels)) {
    log_choice(problem, *known);
    return *std::move(known);
  }
  const DeviceRecord& record = device.info().record;
  const auto has_kernel = [&](const Choice& choice) {
    const Program program = make_program({.problem = problem, .params = choice.params});
    return kernels.find(record, program, compiler_of(choice)) != nullptr;
  };
  std::vector<Choice> choices = configs.choices(record, kAnyCompiler, problem);
  auto chosen = choices.begin();
  if (has_kernel(*chosen)) {
    remember(configs.memo_to_write(), device, problem, *chosen, kernels);
  } else {
    try {
      *chosen = configs.choose(record, device.compiler().version(), problem);
    } catch (const Unavailable& error) {
      log(LogLevel::warning, [&] { return std::string(error.what()); });
      // What is next best, and needs no compiler, is better than nothing.
      const auto runnable = std::ranges::find_if(choices, has_kernel);
      if (runnable != choices.end()) {
        chosen = runnable;
        chosen->reason +=
            "; the kernel of what would go first is not kept, and there is no compiler";
      }
    }
  }
  log_choice(problem, *chosen);
  return std::move(*chosen);
}

}  // namespace foldtune
