#include "runtime/launch/variant.h"

#include "runtime/launch/histogram_launch.h"
#include "runtime/launch/reduce_launch.h"

namespace foldtune {

bool counts_in_64_bits(const Variant& variant) {
  // The largest count of size class 30 is 2^30.5, far enough below 2^32 for a grid of tiles.
  return size_class(variant.problem.count) > 30;
}

bool shows_result(const Params& params) {
  const auto* const reduce = std::get_if<ReduceParams>(&params);
  return reduce != nullptr && reduce->final_stage != FinalStage::atomic;
}

Program make_program(const Variant& variant) {
  return family_of(variant.params) == Family::histogram ? make_histogram_program(variant)
                                                        : make_reduce_program(variant);
}

}  // namespace foldtune
