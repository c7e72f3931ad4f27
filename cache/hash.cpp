#include "cache/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace foldtune {

std::string serialised_field(std::string_view name, std::string_view value) {
  return fmt::format("{}={}:{};", name, value.size(), value);
}

std::string serialised_field(std::string_view name, std::int64_t value) {
  return serialised_field(name, std::to_string(value));
}

// The canonical form is big-endian: the same text on every machine.
std::string hash_hex(std::string_view text) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(text.data(), text.size()));
  std::string hex;
  for (const unsigned char byte : canonical.digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace foldtune
