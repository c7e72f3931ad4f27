/// What the handles of a reduction along axes share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "foldtune/axis_reducer.h"
#include "runtime/api/operation.h"
#include "templates/axis/merge.h"

namespace foldtune {

class AxisReducer::State final : public Operation {
 public:
  State(const OperationParts& parts, const AxisReduction& reduction);

  const Reduction& row() const { return row_; }
  /// What a call is made of, but for its addresses; `results` null: in C order. Throws
  /// InvalidArgument for axes and strides that cannot be; calls check the shape.
  MergedAxes merge(const ArrayLayout& layout, std::span<const int> axes,
                   const ArrayLayout* results) const;

  /// The call, which refers to `merged`. Throws InvalidArgument for another number of inputs than
  /// the operator's.
  Call make_call(const MergedAxes& merged, std::span<const void* const> inputs, void* output) const;

  /// Throws InvalidArgument where the output lies between the elements of an input.
  void refuse_overlap(const MergedAxes& merged, const Call& call) const;

 private:
  const Reduction row_;
  std::vector<std::size_t> input_bytes_;  ///< of an element of each input
  std::size_t result_bytes_;
  bool keeps_order_;
};

}  // namespace foldtune
