// The families of the tree: the one place outside their folders that names them.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "foldtune/reduction.h"
#include "templates/axis/space.h"
#include "templates/family.h"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"
#include "templates/segments/space.h"

namespace foldtune {

namespace {

std::vector<const Family*>& all_families() {
  static std::vector<const Family*> all{&reduce_family(), &axis_family(), &histogram_family(),
                                        &segments_family()};
  return all;
}

}  // namespace

std::span<const Family* const> families() { return all_families(); }

void add_family(const Family& family) {
  if (find_family(family.name()) != nullptr) {
    throw std::logic_error(fmt::format("there is a family {}", family.name()));
  }
  if (family.fields().size() > Problem::kMaxFields ||
      family.extents().size() > Shape::kMaxExtents ||
      family.tunables().size() > Config::kMaxTunables) {
    throw std::logic_error(fmt::format(
        "the family {} has more fields, extents or tunables than there may be", family.name()));
  }
  all_families().push_back(&family);
}

const Family* find_family(std::string_view name) {
  const auto all = families();
  const auto found = std::ranges::find(all, name, &Family::name);
  return found == all.end() ? nullptr : *found;
}

Workload reading_workload(std::uint64_t bytes) {
  return Reduction{.op = Operator::sum,
                   .type = ElementType::u32,
                   .accumulator = ElementType::u32,
                   .count = bytes / sizeof(std::uint32_t)};
}

}  // namespace foldtune
