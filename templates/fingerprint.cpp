#include <fmt/format.h>
#include <xxhash.h>

#include "templates/embedded.h"

namespace foldtune {

std::string fingerprint(std::span<const EmbeddedFile> files) {
  std::string all;
  for (const EmbeddedFile& file : files) {
    all.append(file.name).push_back('\0');
    all.append(file.text).push_back('\0');
  }
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

const std::string& template_fingerprint() {
  static const std::string all = fingerprint(embedded_files());
  return all;
}

}  // namespace foldtune
