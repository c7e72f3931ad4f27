/// What `foldtune tune` makes on the CPU device: once, for all tests that begin with it.
#pragma once

#include <filesystem>

#include "tests/tuner/program.h"

namespace foldtune::test {

/// A sum and a maximum of 1000 f32.
struct TunedOnCpu {
  Workplace place{};
  Outcome outcome = place.run({"tune", "--device", "cpu", "--op", "sum,max", "--n", "1000",
                               "--max-evals", "3", "--seed", "7"});
};

inline const TunedOnCpu& tuned_on_cpu() {
  static const TunedOnCpu tuned;
  return tuned;
}

/// The same in the place's own database.
inline void copy_tuned(const Workplace& place) {
  std::filesystem::copy_file(tuned_on_cpu().place.database(), place.database());
}

}  // namespace foldtune::test
