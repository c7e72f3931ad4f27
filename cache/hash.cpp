#include "cache/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace foldtune {

std::string serialised_field(std::string_view name, std::string_view value) {
  std::string field(name);
  field.append("=").append(std::to_string(value.size())).append(":").append(value).append(";");
  return field;
}

std::string serialised_field(std::string_view name, std::int64_t value) {
  return serialised_field(name, std::to_string(value));
}

std::string hash_hex(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace foldtune
