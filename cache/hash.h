/// Hashes that are the same text on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foldtune {

/// A field with its name and its length, so that no two different lists of fields give the same
/// text, whatever their values contain.
std::string serialised_field(std::string_view name, std::string_view value);
std::string serialised_field(std::string_view name, std::int64_t value);

/// XXH3 of 128 bits, in hexadecimal.
std::string hash_hex(std::string_view text);

}  // namespace foldtune
