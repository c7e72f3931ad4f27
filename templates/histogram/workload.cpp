#include "templates/histogram/workload.h"

#include <algorithm>
#include <climits>
#include <stdexcept>

#include "templates/histogram/fields.h"
#include "templates/histogram/space.h"

namespace foldtune {
namespace {

using histogram_field::Place;

template <class Value>
Value get(const Problem& problem, Place place) {
  return static_cast<Value>(problem.get(histogram_fields()[place]));
}

template <class Value>
void set(Problem& problem, Place place, Value value) {
  problem.set(histogram_fields()[place], static_cast<int>(value));
}

}  // namespace

HistogramWorkload::operator Problem() const {
  Problem problem(histogram_family());
  set(problem, Place::type, type);
  set(problem, Place::counter, counter);
  set(problem, Place::bins, std::min<std::uint32_t>(bins, INT_MAX));  // more are as wrong
  set(problem, Place::binning, binning);
  set(problem, Place::distribution, distribution);
  histogram_family().complete(problem);
  return problem;
}

HistogramWorkload::operator Workload() const {
  return {.problem = *this, .shape = {{rows, count}}, .layout = static_cast<int>(alignment)};
}

HistogramWorkload histogram_of(const Problem& problem) {
  if (&problem.family() != &histogram_family()) {
    throw std::logic_error("a problem of another family where one of `histogram` belongs");
  }
  return {.type = get<ElementType>(problem, Place::type),
          .bins = get<std::uint32_t>(problem, Place::bins),
          .binning = get<Binning>(problem, Place::binning),
          .counter = get<ElementType>(problem, Place::counter),
          .distribution = get<Distribution>(problem, Place::distribution)};
}

HistogramWorkload histogram_of(const Workload& workload) {
  HistogramWorkload histogram = histogram_of(workload.problem);
  histogram.rows = workload.shape[histogram_extent::rows];
  histogram.count = workload.shape[histogram_extent::n];
  histogram.alignment = static_cast<Alignment>(workload.layout);
  return histogram;
}

std::string to_string(const HistogramWorkload& histogram) { return to_string(Workload(histogram)); }

std::string find_fault(const HistogramWorkload& histogram) {
  return find_fault(Workload(histogram));
}

}  // namespace foldtune
