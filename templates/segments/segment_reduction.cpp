#include "foldtune/segment_reduction.h"

#include <array>
#include <stdexcept>

#include "templates/enum_rows.h"
#include "templates/fold/fields.h"
#include "templates/segments/fields.h"
#include "templates/segments/space.h"

namespace foldtune {
namespace {

constexpr std::array<std::string_view, 5> kLengthsNames{"uniform", "equal", "power_law", "one_long",
                                                        "mostly_empty"};

}  // namespace

std::string_view name(SegmentLengths lengths) { return row_of(kLengthsNames, lengths); }
std::optional<SegmentLengths> parse_segment_lengths(std::string_view text) {
  return parse_name<SegmentLengths>(kLengthsNames, text);
}
std::span<const std::string_view> segment_lengths_names() { return kLengthsNames; }

SegmentReduction::operator Problem() const {
  Problem problem(segments_family());
  set_fold(problem, segment);
  problem.set(offsets_field(), static_cast<int>(offsets));
  problem.set(lengths_field(), static_cast<int>(lengths));
  segments_family().complete(problem);
  return problem;
}

SegmentReduction::operator Workload() const {
  return {.problem = *this, .shape = {{segments, elements}}};
}

SegmentReduction segment_reduction_of(const Problem& problem) {
  if (&problem.family() != &segments_family()) {
    throw std::logic_error("a problem of another family where one of `segments` belongs");
  }
  return {.segment = fold_of(problem),
          .offsets = static_cast<ElementType>(problem.get(offsets_field())),
          .lengths = static_cast<SegmentLengths>(problem.get(lengths_field()))};
}

SegmentReduction segment_reduction_of(const Workload& workload) {
  SegmentReduction reduction = segment_reduction_of(workload.problem);
  reduction.segments = workload.shape[segment_extent::segments];
  reduction.elements = workload.shape[segment_extent::elements];
  return reduction;
}

}  // namespace foldtune
