#include "templates/fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "templates/family.h"
#include "templates/source_hash.h"

namespace foldtune {

std::string fingerprint(std::string_view program, std::span<const EmbeddedFile> files,
                        std::span<const std::uint64_t> hashes) {
  std::string text;
  for (const std::string_view name : included_files(program)) {
    const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
    if (found == files.end()) continue;
    text += fmt::format("{:016x}", hashes[static_cast<std::size_t>(found - files.begin())]);
  }
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string kernel_fingerprint(std::string_view program) {
  return fingerprint(program, embedded_files(), embedded_hashes());
}

std::string kernel_fingerprint(const Problem& problem) {
  return kernel_fingerprint(include_lines(problem));
}

const std::vector<std::string>& kernel_fingerprints() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> fingerprints;
    for (const Family* const family : families()) {
      for (const std::string& lines : family->all_include_lines()) {
        fingerprints.push_back(kernel_fingerprint(lines));
      }
    }
    std::ranges::sort(fingerprints);
    return fingerprints;
  }();
  return all;
}

bool is_of_these_kernels(std::string_view fingerprint) {
  return std::ranges::binary_search(kernel_fingerprints(), fingerprint);
}

}  // namespace foldtune
