#include "cache/notice.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <set>

namespace foldtune {

void note_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (told.insert(text).second) fmt::print(stderr, "foldtune: note: {}\n", text);
}

}  // namespace foldtune
