#include "foldtune/axis_reduction.h"

#include <stdexcept>

#include "templates/axis/space.h"
#include "templates/fold/fields.h"

namespace foldtune {

AxisReduction::operator Problem() const {
  Problem problem(axis_family());
  set_fold(problem, row);
  axis_family().complete(problem);
  return problem;
}

AxisReduction::operator Workload() const {
  return {.problem = *this, .shape = shape, .layout = static_cast<int>(alignment)};
}

AxisReduction axis_reduction_of(const Problem& problem) {
  if (&problem.family() != &axis_family()) {
    throw std::logic_error("a problem of another family where one of `axis` belongs");
  }
  return {.row = fold_of(problem)};
}

AxisReduction axis_reduction_of(const Workload& workload) {
  AxisReduction reduction = axis_reduction_of(workload.problem);
  reduction.shape = workload.shape;
  reduction.alignment = static_cast<AxisAlignment>(workload.layout);
  return reduction;
}

}  // namespace foldtune
