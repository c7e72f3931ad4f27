/// The kernel sources, embedded at build time.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace foldtune {

/// A source file. Its name is the one that `#include` uses: "templates/device/operator.cuh".
struct EmbeddedFile {
  std::string_view name;
  const char* text;  ///< terminated by a zero
};

/// Every file that a kernel may include.
std::span<const EmbeddedFile> embedded_files();

/// Hexadecimal hash of all names and texts.
std::string fingerprint(std::span<const EmbeddedFile> files);

/// The fingerprint of all embedded files: it changes with every change of a kernel.
const std::string& template_fingerprint();

}  // namespace foldtune
