#include "runtime/compile/kernel_cache.h"

#include <fmt/format.h>

#include <exception>

#include "cache/hash.h"
#include "cache/store_error.h"
#include "runtime/support/log.h"
#include "templates/fingerprint.h"

namespace foldtune {
namespace {

std::string describe(const KernelKey& key, const Program& program) {
  return fmt::format("{} for {}", program.name_expressions.front(), key.architecture);
}

/// All that the machine code depends on, but for the architecture and the compiler.
std::string hash_of_program(const Program& program) {
  std::string text = serialised_field("source", program.source) +
                     serialised_field("template_fingerprint", kernel_fingerprint(program.source));
  for (const std::string& name : program.name_expressions) text += serialised_field("name", name);
  for (const std::string& option : nvrtc_options(program)) {
    text += serialised_field("option", option);
  }
  return hash_hex(text);
}

}  // namespace

std::optional<KernelKey> kernel_key(const DeviceRecord& device, const Program& program,
                                    const std::string& compiler) {
  if (device.kind == "cpu" || program.needs_toolkit) return std::nullopt;
  return KernelKey{.program = hash_of_program(program),
                   .architecture = device.architecture,
                   .compiler = compiler};
}

KernelRecord kernel_record(const KernelKey& key, const Program& program,
                           const CompiledKernel& compiled) {
  return {.key = key,
          .template_fingerprint = kernel_fingerprint(program.source),
          .name = program.name_expressions.front(),
          .lowered_names = compiled.lowered_names,
          .compile_ms = compiled.compile_ms,
          .image = compiled.image};
}

KernelCache::~KernelCache() {
  if (uses_.empty() || process_ != ::getpid()) return;
  try {
    change_own([&](KernelStore& own) {
      for (const KernelKey& key : uses_) own.touch(key);
    });
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a use that nobody notes
  }
}

std::shared_ptr<const CompiledKernel> KernelCache::find(const DeviceRecord& device,
                                                        const Program& program,
                                                        const std::string& compiler) {
  const std::lock_guard lock(mutex_);
  return find_locked(device, program, compiler);
}

std::shared_ptr<const CompiledKernel> KernelCache::find_locked(const DeviceRecord& device,
                                                               const Program& program,
                                                               const std::string& compiler) {
  if (const auto known = entries_.find(program.key()); known != entries_.end()) {
    return known->second.kernel;
  }
  const auto key = kernel_key(device, program, compiler);
  if (!key || rejected_.contains(program.key())) return nullptr;
  std::optional<StoredKernel> stored = find_stored(*key);
  log(LogLevel::debug, [&] {
    return fmt::format("{} is {}", describe(*key, program),
                       stored ? "kept, compiled by " + stored->record.key.compiler : "not kept");
  });
  if (!stored) return nullptr;
  auto kernel = std::make_shared<const CompiledKernel>(
      CompiledKernel{.image = std::move(stored->record.image),
                     .lowered_names = std::move(stored->record.lowered_names),
                     .compile_ms = stored->record.compile_ms});
  entries_.emplace(program.key(), Entry{.kernel = kernel, .stored = stored->record.key});
  return kernel;
}

std::shared_ptr<const CompiledKernel> KernelCache::find_known(const Program& program) {
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find(program.key());
  return known == entries_.end() ? nullptr : known->second.kernel;
}

/// The first that the compiler made, else the first at all.
std::optional<StoredKernel> KernelCache::find_stored(const KernelKey& key) {
  std::optional<StoredKernel> best;
  const auto look_into = [&](const KernelStore& store, bool is_own) {
    std::optional<StoredKernel> found = store.find(key);
    if (!found) return;
    const KernelKey& at = found->record.key;
    if (found->is_damaged || at.architecture != key.architecture) {
      log(LogLevel::warning, [&] {
        return fmt::format("a kept kernel is damaged and not used: {} for {} by {}",
                           found->record.name, key.architecture, at.compiler);
      });
      if (is_own) change_own([&](KernelStore& own) { own.erase(at); });
      return;
    }
    if (is_own && is_use_to_note(found->used_at)) uses_.push_back(at);
    if (!best || (best->record.key.compiler != key.compiler && at.compiler == key.compiler)) {
      best = std::move(found);
    }
  };
  const auto look_safely_into = [&](const KernelStore& store, bool is_own) {
    try {
      look_into(store, is_own);
    } catch (const StoreError& error) {
      log(LogLevel::warning, [&] { return std::string(error.what()); });
    }
  };
  if (sources_.own != nullptr) look_safely_into(*sources_.own, true);
  for (const auto& bundle : sources_.bundles) look_safely_into(*bundle, false);
  return best;
}

std::shared_ptr<const CompiledKernel> KernelCache::get(Device& device, const Program& program,
                                                       const std::string& compiler) {
  if (auto kernel = find_known(program)) return kernel;
  const DeviceRecord& record = device.quick_info().record;
  if (auto kernel = find(record, program, compiler)) return kernel;
  // Without the lock: who needs another kernel does not wait. Two that need the same compile it
  // twice, and share what came first.
  const Compiler& present = device.compiler();
  auto kernel = std::make_shared<const CompiledKernel>(present.compile(program));
  log(LogLevel::info, [&] {
    return fmt::format("compiled {} for {} with {} in {:.0f} ms", program.name_expressions.front(),
                       record.architecture, present.version(), kernel->compile_ms);
  });
  const std::lock_guard lock(mutex_);
  const auto [entry, is_first] = entries_.emplace(program.key(), Entry{.kernel = kernel});
  if (!is_first) return entry->second.kernel;
  if (const auto key = kernel_key(record, program, present.version())) {
    keep(kernel_record(*key, program, *kernel));
  }
  return kernel;
}

bool KernelCache::reject(const DeviceRecord& device, const Program& program) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(program.key());
  if (found == entries_.end() || !found->second.stored) return false;
  const KernelKey key = *found->second.stored;
  log(LogLevel::warning, [&] {
    return fmt::format("{} does not load the kept kernel {}, which is compiled again", device.name,
                       describe(key, program));
  });
  entries_.erase(found);
  rejected_.insert(program.key());
  std::erase(uses_, key);
  change_own([&](KernelStore& own) { own.erase(key); });
  return true;
}

void KernelCache::keep(const KernelRecord& kernel) {
  if (sources_.max_bytes == 0) return;
  change_own([&](KernelStore& own) {
    const std::size_t dropped = own.put(kernel, sources_.max_bytes);
    log(LogLevel::info, [&] {
      return fmt::format(
          "kept {} ({} bytes){}", kernel.name, kernel.image.size(),
          dropped == 0 ? std::string() : fmt::format(", and dropped {} used less lately", dropped));
    });
  });
}

void KernelCache::change_own(const std::function<void(KernelStore&)>& change) {
  if (sources_.open_own == nullptr || !is_writable_) return;
  try {
    if (writable_ == nullptr) {
      is_writable_ = false;
      writable_ = sources_.open_own();
      is_writable_ = writable_ != nullptr;
    }
    if (writable_ != nullptr) change(*writable_);
  } catch (const StoreError& error) {
    log(LogLevel::info, [&] { return fmt::format("no kernels are kept: {}", error.what()); });
  }
}

}  // namespace foldtune
