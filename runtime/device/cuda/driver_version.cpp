#include "runtime/device/cuda/driver_version.h"

#include <algorithm>
#include <fstream>

namespace foldtune {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Two or three numbers with dots between them.
bool is_version(std::string_view word) {
  const auto dots = std::ranges::count(word, '.');
  const bool has_digits_alone =
      std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '.'; });
  const bool has_empty_number = word.empty() || word.front() == '.' || word.back() == '.' ||
                                word.find("..") != std::string_view::npos;
  return has_digits_alone && !has_empty_number && (dots == 1 || dots == 2);
}

}  // namespace

std::string parse_driver_version(std::string_view text) {
  // The lines after it tell the version of the compiler.
  constexpr std::string_view kDriver = "NVRM version:";
  const std::size_t begin = text.find(kDriver);
  if (begin == std::string_view::npos) return {};
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    if (is_version(word)) return std::string(word);
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return {};
}

std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return parse_driver_version(line);
}

}  // namespace foldtune
