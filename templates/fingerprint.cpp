#include <fmt/format.h>
#include <xxhash.h>

#include "templates/embedded.h"

namespace foldtune {

std::string fingerprint(std::span<const EmbeddedFile> files) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  const auto add = [&](std::string_view text) {
    XXH3_128bits_update(&state, text.data(), text.size());
    XXH3_128bits_update(&state, "", 1);  // the zero that ends it
  };
  for (const EmbeddedFile& file : files) {
    add(file.name);
    add(file.text);
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

const std::string& template_fingerprint() {
  static const std::string all = fingerprint(embedded_files());
  return all;
}

}  // namespace foldtune
