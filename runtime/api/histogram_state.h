/// What a histogram's handles share.
#pragma once

#include "foldtune/histogram.h"
#include "runtime/api/operation.h"
#include "templates/histogram/workload.h"

namespace foldtune {

/// The problem of the options, with any count.
inline HistogramWorkload make_workload(const HistogramOptions& options) {
  return {.type = options.type,
          .bins = options.bins,
          .binning = options.binning,
          .counter = options.counter,
          .distribution = options.distribution};
}

class Histogram::State final : public Operation {
 public:
  State(const OperationParts& parts, const HistogramOptions& options)
      : Operation(parts, Problem(make_workload(options))), options_(options) {}

  const HistogramOptions& options() const { return options_; }

 private:
  const HistogramOptions options_;
};

}  // namespace foldtune
