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
  std::size_t input_count() const { return input_bytes_.size(); }
  std::size_t input_bytes(std::size_t input) const { return input_bytes_[input]; }
  std::size_t result_bytes() const { return result_bytes_; }

  /// What a call is made of, but for its addresses; `results` null: in C order. Throws
  /// InvalidArgument.
  MergedAxes merge(const ArrayLayout& layout, std::span<const int> axes,
                   const ArrayLayout* results) const;

 private:
  const Reduction row_;
  std::vector<std::size_t> input_bytes_;  ///< of an element of each input
  std::size_t result_bytes_;
  bool finds_element_;
};

}  // namespace foldtune
