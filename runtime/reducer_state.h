/// What a reducer's handles share: its plans by size class and alignment, and their scratch by
/// stream.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "foldtune/reducer.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"
#include "runtime/lookup.h"
#include "runtime/plan.h"
#include "runtime/tuned_configs.h"

namespace foldtune {

class Reducer::State {
 public:
  /// The device, the configurations and the cache must outlive the state.
  State(Device& device, const TunedConfigs& configs, KernelCache& kernels, const Problem& problem)
      : device_(device),
        configs_(configs),
        kernels_(kernels),
        problem_(problem),
        input_types_(problem.input_types()) {}

  void call(const Call& call, std::size_t inputs, Stream stream);
  void prepare(const Call& call, std::size_t inputs, Stream stream);
  Explanation explain(std::uint64_t count);
  const Problem& problem() const { return problem_; }

 private:
  /// The scratch of one stream. A stream that is destroyed may leave its handle to a new one, so
  /// the id tells whose scratch it is.
  struct StreamScratch {
    std::uint64_t stream_id = 0;
    DeviceBuffer memory;
  };

  /// What is resolved once per size class and alignment.
  struct Entry {
    Choice choice;
    std::unique_ptr<Plan> plan;  ///< null until the first call
    std::map<Stream, StreamScratch> scratch;
  };

  Problem problem_of(std::uint64_t count, Alignment alignment) const;
  void check_inputs(const Call& call, std::size_t inputs) const;
  Entry& find_entry(const Problem& problem);
  std::shared_ptr<const CompiledKernel> compile(const Variant& variant);
  /// The entry with a plan and with scratch for `stream`.
  std::pair<const Plan*, void*> resolve(const Call& call, Stream stream);

  Device& device_;
  const TunedConfigs& configs_;
  KernelCache& kernels_;
  const Problem problem_;
  const std::vector<ElementType> input_types_;
  std::mutex mutex_;
  std::map<std::pair<int, Alignment>, Entry> entries_;
};

}  // namespace foldtune
