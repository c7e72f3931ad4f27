/// Who takes part in a comparison.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/problem.h"
#include "tuner/measure.h"

namespace foldtune::bench {

struct Contender {
  std::string name;   ///< "tuned", "untuned", "CUB", "cuBLAS"
  Enqueues in_graph;  ///< a call that is captured, with its temporary memory in several places
  Enqueue direct;     ///< a call as a program makes it, with all that the host does for it
  Measurer::Translate translate = nullptr;
  std::string config{};  ///< of Foldtune: the tunables as JSON
  std::string source{};  ///< of Foldtune: "exact", "near size", "default"
};

/// Foldtune with what `store` knows, Foldtune untuned, and each library that has a function for the
/// problem, whose inputs are in the pool. The device and the pool must outlive them.
std::vector<Contender> make_contenders(const std::shared_ptr<Device>& device,
                                       const std::shared_ptr<const ConfigStore>& store,
                                       const Problem& problem, const InputPool& pool);

}  // namespace foldtune::bench
