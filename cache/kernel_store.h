/// Compiled kernels that are kept between processes, beside the tuning results: a cache, limited in
/// size, whose entries are compiled again where they are missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foldtune {

/// What a kernel is kept under.
struct KernelKey {
  std::string program;       ///< Hash of the program and of all that it is compiled with.
  std::string architecture;  ///< "sm_90"
  std::string compiler;      ///< "nvrtc 13.0"
  bool operator==(const KernelKey&) const = default;
};

struct KernelRecord {
  KernelKey key;
  std::string template_fingerprint;        ///< Hash of the sources that it is made of.
  std::string name;                        ///< Of its first kernel, for people.
  std::vector<std::string> lowered_names;  ///< Of its kernels, in their order.
  double compile_ms = 0;
  std::string image;  ///< The cubin.
  bool operator==(const KernelRecord&) const = default;
};

/// A kept kernel as it was found.
struct StoredKernel {
  KernelRecord record;
  std::string used_at;      ///< UTC, ISO 8601; no more precise than a day.
  bool is_damaged = false;  ///< It is not what was put: its hash says so.
};

struct KernelUsage {
  std::size_t kernels = 0;
  std::uint64_t bytes = 0;  ///< Of their images.
};

/// All member functions may be called from several threads, and throw `StoreError` where the
/// storage fails.
class KernelStore {
 public:
  virtual ~KernelStore() = default;

  /// The kernel of the key; without one of this compiler (it may be empty), that of the other
  /// compiler which was put last.
  virtual std::optional<StoredKernel> find(const KernelKey& key) const = 0;

  /// Keeps the kernel, in the place of one of the same key, as used now. Then drops those that were
  /// not used for the longest time until the images take no more than `max_bytes`, and returns how
  /// many. One that alone takes more is not kept. Refuses a kernel without an image.
  virtual std::size_t put(const KernelRecord& kernel, std::uint64_t max_bytes) = 0;

  /// Notes that it was used now.
  virtual void touch(const KernelKey& key) = 0;

  /// Drops it, if it is there.
  virtual void erase(const KernelKey& key) = 0;

  virtual KernelUsage usage() const = 0;
};

/// Whether a use at `used_at` is so long ago that a new one is to be noted: a day, so that few uses
/// write anything.
bool is_use_to_note(const std::string& used_at);

/// Hash over every field of the record. It is stored with it, and tells damage.
std::string hash_of(const KernelRecord& kernel);

/// Throws `StoreError` for a record that no store keeps.
void require_kernel(const KernelRecord& kernel);

/// What kept kernels may take: `$FOLDTUNE_CACHE_BYTES`, a number of bytes with K, M or G (powers of
/// 1024) after it or without, else 256 MiB; 0 keeps none. Throws `StoreError` for any other value.
std::uint64_t default_cache_bytes();

}  // namespace foldtune
