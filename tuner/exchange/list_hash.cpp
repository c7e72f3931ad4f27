#include "tuner/exchange/list_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace foldtune {
namespace {

/// Doubles up to here that have no fraction are integers exactly.
constexpr double kLargestExact = 9007199254740992;  // 2^53

void write_integral_numbers_as_integers(nlohmann::json& json) {
  if (json.is_structured()) {
    for (nlohmann::json& item : json) write_integral_numbers_as_integers(item);
  } else if (json.is_number_float()) {
    const double value = json.get<double>();
    const bool is_exact = std::abs(value) <= kLargestExact && std::trunc(value) == value;
    if (is_exact) json = static_cast<std::int64_t>(value);
  }
}

}  // namespace

struct ListHash::State {
  XXH3_state_t hash;
};

ListHash::ListHash() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }
ListHash::ListHash(ListHash&&) noexcept = default;
ListHash& ListHash::operator=(ListHash&&) noexcept = default;
ListHash::~ListHash() = default;

void ListHash::add(nlohmann::json row) {
  write_integral_numbers_as_integers(row);
  const std::string text = row.dump() + '\n';
  XXH3_128bits_update(&state_->hash, text.data(), text.size());
}

std::string ListHash::text() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->hash));
  std::string text = "xxh3_128:";
  for (const unsigned char byte : canonical.digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace foldtune
