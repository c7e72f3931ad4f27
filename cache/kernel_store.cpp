#include "cache/kernel_store.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "cache/hash.h"
#include "cache/record_check.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

constexpr std::uint64_t kDefaultCacheBytes = std::uint64_t{256} << 20;

/// The power of two that a letter after a number stands for; empty for any other text.
std::optional<int> shift_of(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit == "K") return 10;
  if (unit == "M") return 20;
  if (unit == "G") return 30;
  return std::nullopt;
}

}  // namespace

bool is_use_to_note(const std::string& used_at) {
  constexpr std::int64_t kDay = 86'400;
  return used_at < utc_text(std::time(nullptr) - kDay);
}

std::string hash_of(const KernelRecord& kernel) {
  std::string text = serialised_field("program", kernel.key.program) +
                     serialised_field("architecture", kernel.key.architecture) +
                     serialised_field("compiler", kernel.key.compiler) +
                     serialised_field("template_fingerprint", kernel.template_fingerprint) +
                     serialised_field("name", kernel.name) +
                     serialised_field("compile_ms", fmt::format("{}", kernel.compile_ms));
  for (const std::string& name : kernel.lowered_names) {
    text += serialised_field("lowered_name", name);
  }
  // Without a copy of the image.
  return hash_hex(text + serialised_field("image", hash_hex(kernel.image)));
}

void require_kernel(const KernelRecord& kernel) {
  if (!kernel.image.empty() && !kernel.lowered_names.empty() && !kernel.key.compiler.empty()) {
    return;
  }
  throw StoreError(
      fmt::format("cannot store the kernel {}: it has no image, no lowered name or no compiler; "
                  "correct the record",
                  kernel.name));
}

std::uint64_t default_cache_bytes() {
  const char* const value = std::getenv("FOLDTUNE_CACHE_BYTES");
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty()) return kDefaultCacheBytes;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::optional<int> shift =
      shift_of(std::string_view(stop, static_cast<std::size_t>(end - stop)));
  if (error != std::errc() || !shift || number > (UINT64_MAX >> *shift)) {
    throw StoreError(
        fmt::format("cannot tell how much kept kernels may take: FOLDTUNE_CACHE_BYTES is \"{}\"; "
                    "set it to a number of bytes, such as 268435456 or 256M, or to 0 to keep none",
                    text));
  }
  return number << *shift;
}

}  // namespace foldtune
