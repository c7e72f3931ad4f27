#include "templates/fold/run/check_laws.h"

#include <fmt/format.h>

#include "foldtune/error.h"
#include "templates/fold/judge/operator_laws.h"
#include "tuner/commands/call_limit.h"

namespace foldtune {

void check_laws(const RunPlace& place, const Reduction& reduction) {
  if (reduction.op != Operator::custom || reduction.count == 0) return;
  KernelCache cache(place.kernels);
  const auto compiled =
      cache.get(place.device, make_law_program(reduction), place.device.compiler().version());
  const CallLimit watched(place.limit,
                          fmt::format("trying {} on a few elements", reduction.custom->name));
  const std::string fault = find_law_fault(place.device, reduction, place.inputs, *compiled);
  if (!fault.empty()) throw InvalidArgument(fault);
}

}  // namespace foldtune
