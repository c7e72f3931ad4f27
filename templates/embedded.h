/// The kernel sources, embedded at build time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace foldtune {

/// A source file. Its name is the one that `#include` uses: "templates/device/operator.cuh".
struct EmbeddedFile {
  std::string_view name;
  const char* text;  ///< terminated by a zero
};

/// Every file that a kernel may include.
std::span<const EmbeddedFile> embedded_files();

/// The hash of each of them with all that it includes (source_hash.h), in their order.
std::span<const std::uint64_t> embedded_hashes();

}  // namespace foldtune
