// The judges of the tree's families: the one place outside their folders that names them.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "templates/axis/judge/judge.h"
#include "templates/histogram/judge/judge.h"
#include "templates/reduce/judge/judge.h"
#include "templates/segments/judge/judge.h"
#include "tuner/verify/judge.h"

namespace foldtune {
namespace {

std::vector<const Judge*>& judges() {
  static std::vector<const Judge*> all{&reduce_judge(), &histogram_judge(), &axis_judge(),
                                       &segments_judge()};
  return all;
}

}  // namespace

const Judge& judge_of(const Family& family) {
  const auto found = std::ranges::find_if(
      judges(), [&](const Judge* judge) { return &judge->family() == &family; });
  if (found != judges().end()) return **found;
  throw std::logic_error("the family " + std::string(family.name()) + " has no judge");
}

void add_judge(const Judge& judge) { judges().push_back(&judge); }

}  // namespace foldtune
