/// What the handles of a reduction of segments share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "foldtune/segment_reducer.h"
#include "runtime/api/operation.h"
#include "templates/family.h"

namespace foldtune {

class SegmentReducer::State final : public Operation {
 public:
  State(const OperationParts& parts, const SegmentReduction& reduction);

  const SegmentReduction& reduction() const { return reduction_; }

  /// A call without its output and its offsets. Throws InvalidArgument for another number of inputs
  /// than the operator's.
  Call make_call(std::span<const void* const> inputs, std::uint64_t elements,
                 std::uint64_t segments) const;
  /// Throws InvalidArgument where the output lies within an input or the offsets.
  void refuse_overlap(const Call& call) const;
  std::size_t offset_bytes() const { return size_of(reduction_.offsets); }

 private:
  const SegmentReduction reduction_;
  std::size_t input_count_;
  std::vector<std::size_t> bytes_;  ///< of an element of each argument
};

}  // namespace foldtune
