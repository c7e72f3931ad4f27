#include "cache/notice.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <set>

#include "cache/excerpt.h"
#include "cache/printable.h"

namespace foldtune {

void write_error_line(const std::string& line) { std::fputs((line + '\n').c_str(), stderr); }

void note_once(const std::string& text) {
  // Never destroyed: handles may outlive every other static object.
  static auto& mutex = *new std::mutex;
  static auto& told = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (told.insert(text).second)
    write_error_line(fmt::format("foldtune: note: {}", printable(shortened(text))));
}

}  // namespace foldtune
