/// What a reducer's handles and plans share.
#pragma once

#include <cstddef>

#include "foldtune/reducer.h"
#include "runtime/api/operation.h"

namespace foldtune {

class Reducer::State final : public Operation {
 public:
  State(const OperationParts& parts, const Reduction& reduction);

  const Reduction& reduction() const { return reduction_; }
  /// Throws InvalidArgument for another number of inputs than the operator's.
  void check_inputs(std::size_t inputs) const {
    if (inputs != input_count_) refuse_inputs(inputs);
  }

 private:
  [[noreturn]] void refuse_inputs(std::size_t inputs) const;

  const Reduction reduction_;
  const std::size_t input_count_;
};

}  // namespace foldtune
