/// The real templates on the CPU device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/plan.h"

namespace foldtune::test {

/// Every way of meeting in a block with every way of meeting in a grid.
inline std::vector<Params> all_stages(ReduceParams params) {
  std::vector<Params> result;
  for (const BlockStage block : {BlockStage::tree, BlockStage::tree_shuffle, BlockStage::shuffle}) {
    for (const FinalStage final :
         {FinalStage::atomic, FinalStage::two_pass, FinalStage::last_block, FinalStage::polling}) {
      params.block_stage = block;
      params.final_stage = final;
      result.push_back(params);
    }
  }
  return result;
}

/// Sums of floats with each of `configs`, whose kernels are one program. `source` is its text if it
/// is not to be that of the variants.
class CpuReduction {
 public:
  CpuReduction(CpuThreads threads, const std::vector<Params>& configs,
               const std::string& source = {})
      : device_(open_cpu_device(threads)) {
    Program program;
    std::vector<std::size_t> ends;  // of each variant's kernels
    for (const Params& params : configs) {
      const Program one = make_program({.problem = {}, .params = params});
      program.source = source.empty() ? one.source : source;
      program.name_expressions.insert(program.name_expressions.end(), one.name_expressions.begin(),
                                      one.name_expressions.end());
      ends.push_back(program.name_expressions.size());
    }
    const CompiledKernel all = device_->compiler().compile(program);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < configs.size(); ++i) {
      CompiledKernel one = {.image = all.image, .lowered_names = {}};
      while (begin < ends[i]) one.lowered_names.push_back(all.lowered_names[begin++]);
      plans_.emplace_back(*device_, Variant{.problem = {}, .params = configs[i]}, one);
    }
  }

  const std::vector<Plan>& plans() const { return plans_; }

  /// Two calls on one scratch, which each must leave as it found it; the result of the second.
  float sum(const Plan& plan, const std::vector<float>& values) const {
    const std::size_t bytes = values.size() * sizeof(float);
    const DeviceBuffer input(*device_, bytes);
    const DeviceBuffer output(*device_, sizeof(float));
    const DeviceBuffer scratch(*device_, plan.scratch_bytes(values.size()));
    device_->copy(input.data(), values.data(), bytes);
    for (int call = 0; call < 2; ++call) {
      plan.enqueue(input.data(), values.size(), output.data(), scratch.data(), nullptr);
    }
    float result = 0;
    device_->copy(&result, output.data(), sizeof(float));
    return result;
  }

 private:
  std::unique_ptr<Device> device_;
  std::vector<Plan> plans_;
};

}  // namespace foldtune::test
