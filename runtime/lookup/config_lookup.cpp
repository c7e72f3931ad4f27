#include "runtime/lookup/config_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache/network_file_system.h"
#include "cache/store_error.h"
#include "foldtune/error.h"
#include "runtime/support/log.h"
#include "templates/family.h"

namespace foldtune {
namespace {

/// Any, since to ask for the present one would open it.
constexpr const char* kAnyCompiler = "";

// Not looked through: a look-up reads a few pages, and SQLite tells if those are damaged.
std::unique_ptr<ConfigStore> open_store(const std::string& path, OpenMode mode,
                                        const Notify& notify, Pins pins = Pins::obeyed) {
  return open_sqlite_store(
      path, mode, {.patience = kLookupPatience, .inspect = false, .notify = notify, .pins = pins});
}

/// Programs of many hosts may share a home folder. Whether their locks work there, nobody knows, so
/// nothing is written that nobody asked for.
void require_local(const std::filesystem::path& path) {
  std::error_code is_hidden;
  std::filesystem::path place = std::filesystem::absolute(path, is_hidden);
  if (is_hidden) return;  // to open it fails, too, and that is told
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

void log_choice(const Workload& workload, const Choice& choice) {
  log(LogLevel::info, [&] {
    return fmt::format("{}: {} configuration {} ({})", to_string(workload),
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

ConfigLookup::ConfigLookup(std::shared_ptr<const ConfigStore> store, Notify notify)
    : notify_(std::move(notify)), own_(std::move(store)) {}

ConfigLookup ConfigLookup::open(const TunedSources& sources, Notify notify) {
  ConfigLookup configs(std::move(notify));
  try {
    configs.path_ = sources.database.empty() ? default_database_path() : sources.database;
    configs.open_database(sources.only_pinned ? Pins::only : Pins::obeyed);
  } catch (const StoreError& error) {
    configs.fault_ = error.what();
    configs.notify_(fmt::format("running untuned: {}", error.what()));
  }
  for (const std::string& path : sources.bundles) configs.open_bundle(path);
  for (const std::string& path : environment_bundles()) configs.open_bundle(path);
  try {
    configs.max_bytes_ = sources.cache_bytes ? *sources.cache_bytes : default_cache_bytes();
  } catch (const StoreError& error) {
    configs.notify_(fmt::format("no compiled kernels are kept: {}", error.what()));
  }
  return configs;
}

void ConfigLookup::open_database(Pins pins) {
  std::error_code is_hidden;
  if (!std::filesystem::exists(path_, is_hidden) && !is_hidden) {
    log(LogLevel::info, [&] { return fmt::format("there is no tuning database {}", path_); });
    return;
  }
  try {
    own_ = open_store(path_, OpenMode::read_only, notify_, pins);
    log(LogLevel::info, [&] { return fmt::format("opened the tuning database {}", path_); });
  } catch (const EmptyDatabase& error) {
    log(LogLevel::info, [&] { return std::string(error.what()); });
  }
}

void ConfigLookup::open_bundle(const std::string& path) {
  try {
    bundles_.push_back(open_store(path, OpenMode::read_only, notify_));
    log(LogLevel::info, [&] {
      return fmt::format("opened the bundle {}, which is looked up number {} after the database",
                         path, bundles_.size());
    });
  } catch (const StoreError& error) {
    notify_(fmt::format("running without the bundle {}: {}", path, error.what()));
  }
}

std::vector<Choice> ConfigLookup::choices(const DeviceRecord& device, const std::string& compiler,
                                          const Workload& workload) const {
  std::string fault = fault_;
  std::optional<Choice> untuned;
  std::vector<Choice> found;
  bool has_pins = false;  // of the database: a bundle hides no others
  const auto look_into = [&](const std::shared_ptr<const ConfigStore>& store) {
    if (store == nullptr) return;
    try {
      Choice choice = choose_config(store.get(), device, compiler, workload);
      has_pins = has_pins || (store == own_ && choice.has_pins);
      if (choice.match) {
        found.push_back(std::move(choice));
      } else if (!untuned || (choice.is_learnt && !untuned->is_learnt)) {
        untuned = std::move(choice);
      }
    } catch (const DatabaseError& error) {
      notify_(fmt::format("running untuned: {}", error.what()));
      fault = error.what();
    }
  };
  look_into(own_);
  for (const auto& bundle : bundles_) {
    if (!has_pins) look_into(bundle);
  }
  std::ranges::stable_sort(found, {}, [](const Choice& choice) {
    return choice.source() == ConfigSource::exact ? 0 : 1;
  });
  if (!untuned) untuned = choose_config(nullptr, device, compiler, workload);
  if (!fault.empty()) untuned->reason = fault;
  found.push_back(*std::move(untuned));
  return found;
}

Choice ConfigLookup::choose(const DeviceRecord& device, const std::string& compiler,
                            const Workload& workload) const {
  return choices(device, compiler, workload).front();
}

KernelSources ConfigLookup::kernels() const {
  KernelSources sources{.own = own_ == nullptr ? nullptr : own_->kernels(),
                        .max_bytes = max_bytes_};
  for (const auto& bundle : bundles_) sources.bundles.push_back(bundle->kernels());
  // What cannot be read is not written to either: it may be damaged.
  if (path_.empty() || !fault_.empty()) return sources;
  sources.open_own = [path = path_, notify = notify_] {
    require_local(path);
    return open_store(path, OpenMode::read_write, notify)->kernels();
  };
  return sources;
}

std::string compiler_of(const Choice& choice) {
  return choice.match ? choice.match->compiler : std::string();
}

Choice choose_with_kernel(Device& device, const ConfigLookup& configs, KernelCache& kernels,
                          const Workload& workload) {
  const DeviceRecord& record = device.quick_info().record;
  const auto has_kernel = [&](const Choice& choice) {
    const Program program = make_program({.workload = workload, .params = choice.params});
    return kernels.find(record, program, compiler_of(choice)) != nullptr;
  };
  std::vector<Choice> choices = configs.choices(record, kAnyCompiler, workload);
  auto chosen = choices.begin();
  if (!has_kernel(*chosen)) {
    try {
      *chosen = configs.choose(record, device.compiler().version(), workload);
    } catch (const Unavailable& error) {
      log(LogLevel::warning, [&] { return std::string(error.what()); });
      // What is next best, and needs no compiler, is better than nothing.
      const auto runnable = std::ranges::find_if(choices, has_kernel);
      if (runnable != choices.end()) {
        chosen = runnable;
        chosen->reason +=
            "; the kernel of what would go first is not kept, and there is no compiler";
      } else {
        chosen->reason += "; its kernel is not kept, and there is no compiler: a call fails";
      }
    }
  }
  log_choice(workload, *chosen);
  return std::move(*chosen);
}

}  // namespace foldtune
