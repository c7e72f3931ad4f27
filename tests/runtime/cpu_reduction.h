/// The real templates on the CPU device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/launch/plan.h"
#include "templates/reduce/space.h"
#include "templates/space.h"

namespace foldtune::test {

/// Sums of floats that may be folded in any way.
inline const Reduction kAnySum{.determinism = Determinism::any};

/// Every way of meeting in a block with every way of meeting in a grid that there is on the CPU.
inline std::vector<Config> all_stages(ReduceParams params) {
  std::vector<Config> result;
  for (int block = 0; block <= static_cast<int>(BlockStage::redux); ++block) {
    for (const FinalStage final : {FinalStage::atomic, FinalStage::two_pass, FinalStage::last_block,
                                   FinalStage::polling, FinalStage::cluster}) {
      params.block_stage = static_cast<BlockStage>(block);
      params.final_stage = final;
      if (Space(kAnySum).contains(params)) result.push_back(params);
    }
  }
  return result;
}

/// Sums of floats with each of `configs`, whose kernels are one program. `source` is its text if it
/// is not to be that of the variants.
class CpuReduction {
 public:
  explicit CpuReduction(const std::vector<Config>& configs, const Workload& workload = kAnySum,
                        const std::string& source = {})
      : device_(open_cpu_device()) {
    Program program = make_program({.workload = workload, .params = configs.front()});
    program.name_expressions.clear();
    if (!source.empty()) program.source = source;
    std::vector<std::size_t> ends;  // of each variant's kernels
    for (const Config& params : configs) {
      const std::vector<std::string> names =
          make_program({.workload = workload, .params = params}).name_expressions;
      program.name_expressions.insert(program.name_expressions.end(), names.begin(), names.end());
      ends.push_back(program.name_expressions.size());
    }
    const CompiledKernel all = device_->compiler().compile(program);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < configs.size(); ++i) {
      CompiledKernel one = {.image = all.image, .lowered_names = {}};
      while (begin < ends[i]) one.lowered_names.push_back(all.lowered_names[begin++]);
      plans_.emplace_back(*device_, Variant{.workload = workload, .params = configs[i]}, one);
    }
  }

  const std::vector<Plan>& plans() const { return plans_; }

  /// Two calls on one scratch, which each must leave as it found it; the result of the second.
  float sum(const Plan& plan, const std::vector<float>& values, bool inputs_ready = false) const {
    const std::size_t bytes = values.size() * sizeof(float);
    const DeviceBuffer input(*device_, bytes);
    const DeviceBuffer output(*device_, sizeof(float));
    const DeviceBuffer scratch(*device_, plan.scratch_bytes({{values.size()}}));
    device_->copy(input.data(), values.data(), bytes);
    const Call call{.shape = {{values.size()}},
                    .arguments = {output.data(), input.data()},
                    .inputs_ready = inputs_ready};
    for (int turn = 0; turn < 2; ++turn) plan.enqueue(call, scratch.data(), nullptr);
    float result = 0;
    device_->copy(&result, output.data(), sizeof(float));
    return result;
  }

 private:
  std::unique_ptr<Device> device_;
  std::vector<Plan> plans_;
};

}  // namespace foldtune::test
