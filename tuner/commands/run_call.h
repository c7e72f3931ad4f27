/// What `foldtune run` calls, of whatever family it is.
#pragma once

#include <functional>
#include <vector>

#include "foldtune/context.h"
#include "tuner/commands/bin_options.h"

namespace foldtune {

struct RunCall {
  std::function<void()> prepare;  ///< does what the first call would do, except the launch
  std::function<void()> enqueue;
  std::function<Explanation()> explain;
};

/// Calls of `problem` on its count of elements in the arrays `inputs`, and for custom bins on the
/// edges that follow them, all in device memory. The context must outlive them.
RunCall make_run_call(Context& context, const Problem& problem,
                      const std::vector<const void*>& inputs, const BinBounds& bounds,
                      void* output);

}  // namespace foldtune
