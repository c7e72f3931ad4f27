#include "templates/fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "templates/family.h"
#include "templates/source_hash.h"

namespace foldtune {
namespace {

/// The other lines of a program.
std::string without_includes(std::string_view program) {
  std::string text;
  while (!program.empty()) {
    const std::string_view line = program.substr(0, program.find('\n'));
    program.remove_prefix(std::min(program.size(), line.size() + 1));
    if (!line.starts_with("#include \"")) text.append(line).append("\n");
  }
  return text;
}

std::string hash_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// With what the lines say beside their includes: all kernels of a family from a file.
std::string lines_fingerprint(std::string_view lines) {
  std::string fingerprint = kernel_fingerprint(lines);
  const std::string own = tokens_of(without_includes(lines));
  return own.empty() ? fingerprint : hash_of(fingerprint + own);
}

}  // namespace

std::string fingerprint(std::string_view program, std::span<const EmbeddedFile> files,
                        std::span<const std::uint64_t> hashes) {
  std::string text;
  for (const std::string_view name : included_files(program)) {
    const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
    if (found == files.end()) continue;
    text += fmt::format("{:016x}", hashes[static_cast<std::size_t>(found - files.begin())]);
  }
  return hash_of(text);
}

std::string kernel_fingerprint(std::string_view program) {
  return fingerprint(program, embedded_files(), embedded_hashes());
}

std::string kernel_fingerprint(const Problem& problem) {
  return lines_fingerprint(include_lines(problem));
}

const std::vector<std::string>& kernel_fingerprints() {
  static std::mutex mutex;
  static std::map<std::size_t, std::vector<std::string>> by_families;  // families are only added
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = by_families.try_emplace(families().size());
  if (is_new) {
    for (const Family* const family : families()) {
      for (const std::string& lines : family->all_include_lines()) {
        place->second.push_back(kernel_fingerprint(lines));
        place->second.push_back(lines_fingerprint(lines));
      }
    }
    std::ranges::sort(place->second);
    place->second.erase(std::unique(place->second.begin(), place->second.end()),
                        place->second.end());
  }
  return place->second;
}

bool is_of_these_kernels(std::string_view fingerprint) {
  return std::ranges::binary_search(kernel_fingerprints(), fingerprint);
}

}  // namespace foldtune
