// What `foldtune run` knows of families: beside the lists of families and of judges the one place
// outside their folders that names them.
#include <fmt/format.h>

#include <algorithm>

#include "foldtune/error.h"
#include "templates/axis/run/runnable.h"
#include "templates/histogram/run/runnable.h"
#include "templates/reduce/run/runnable.h"
#include "templates/segments/run/runnable.h"
#include "tuner/commands/run_task.h"

namespace foldtune {

RunnableFamilies make_runnable_families() {
  RunnableFamilies families;
  families.push_back(make_reduce_runnable());
  families.push_back(make_histogram_runnable());
  families.push_back(make_axis_runnable());
  families.push_back(make_segments_runnable());
  return families;
}

const RunnableFamily& require_runnable(const RunnableFamilies& families, const Family& family) {
  const auto found = std::ranges::find_if(
      families, [&](const auto& runnable) { return &runnable->family() == &family; });
  if (found == families.end()) {
    throw InvalidArgument(fmt::format(
        "`foldtune run` knows no files of the family {}: call it from a program", family.name()));
  }
  for (const auto& other : families) {
    if (other == *found) continue;
    if (const std::string option = other->first_given(); !option.empty()) {
      throw InvalidArgument(fmt::format("{} is for --family {}", option, other->family().name()));
    }
  }
  return **found;
}

}  // namespace foldtune
