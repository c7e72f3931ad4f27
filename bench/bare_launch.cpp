#include "bench/bare_launch.h"

#include "foldtune/error.h"
#include "runtime/device/cuda/cuda_driver.h"
#include "runtime/lookup/lookup.h"
#include "templates/reduce/space.h"

namespace foldtune::bench {
namespace {

bool is_one_launch(const ReduceParams& params) {
  return params.final_stage != FinalStage::two_pass && params.final_stage != FinalStage::atomic;
}

}  // namespace

BareLauncher::Module::Module(Device& device, const Variant& variant)
    : plan(device, variant, device.compiler().compile(make_program(variant))),
      scratch(device, plan.max_scratch_bytes({{2 * variant.workload.shape[0]}})) {
  const CudaDriver& driver = CudaDriver::get();
  const CompiledKernel compiled = device.compiler().compile(make_program(variant));
  driver.check(driver.cuModuleLoadData(&module, compiled.image.data()), "loading a cubin");
  driver.check(
      driver.cuModuleGetFunction(&function, module, compiled.lowered_names.front().c_str()),
      "finding a kernel");
}

BareLauncher::BareLauncher(Device& device, const Reduction& reduction,
                           const std::vector<std::uint64_t>& counts, const void* input,
                           void* output) {
  for (const std::uint64_t count : counts) {
    std::unique_ptr<Module>& module = modules_[size_class(count)];
    if (module == nullptr) {
      Reduction sized = reduction;
      sized.count = count;
      const Workload workload = sized;
      const Choice choice = choose_config(nullptr, device.info().record, "", workload);
      if (!is_one_launch(reduce_params(choice.params)) || takes_64_bits(count)) {
        throw InvalidArgument("a bare launch is one launch, of a count of 32 bits");
      }
      module =
          std::make_unique<Module>(device, Variant{.workload = workload, .params = choice.params});
    }
    launches_.push_back(make_launch(device, *module, count, input, output));
  }
}

BareLauncher::~BareLauncher() {
  for (const auto& [size, module] : modules_) CudaDriver::get().cuModuleUnload(module->module);
}

std::unique_ptr<BareLauncher::Launch> BareLauncher::make_launch(const Device& device,
                                                                const Module& module,
                                                                std::uint64_t count,
                                                                const void* input,
                                                                void* output) const {
  auto launch = std::make_unique<Launch>();
  const auto& params = reduce_params(module.plan.variant().params);
  launch->function = module.function;
  launch->inputs[0] = input;
  launch->count = static_cast<std::uint32_t>(count);
  launch->output = output;
  launch->scratch = module.scratch.data();
  launch->arguments = {launch->inputs.data(), &launch->count, &launch->output, &launch->scratch,
                       &launch->inputs_ready};
  launch->config.gridDimX = static_cast<unsigned>(module.plan.grid_size({{count}}));
  launch->config.gridDimY = launch->config.gridDimZ = 1;
  launch->config.blockDimX = static_cast<unsigned>(params.block_size);
  launch->config.blockDimY = launch->config.blockDimZ = 1;
  launch->config.attrs = launch->attributes.data();
  if (device.info().record.architecture >= "sm_90") {  // as cuda_device.cpp launches
    launch->attributes[0].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    launch->attributes[0].value.programmaticStreamSerializationAllowed = 1;
    launch->config.numAttrs = 1;
    if (params.final_stage == FinalStage::cluster && launch->config.gridDimX > 1) {
      launch->attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      launch->attributes[1].value.clusterDim = {.x = launch->config.gridDimX, .y = 1, .z = 1};
      launch->config.numAttrs = 2;
    }
  }
  return launch;
}

void BareLauncher::launch(std::size_t i, Stream stream) {
  static const CudaDriver& driver = CudaDriver::get();
  Launch& launch = *launches_[i];
  launch.config.hStream = stream;
  const CUresult result = driver.cuLaunchKernelEx(&launch.config, launch.function,
                                                  launch.arguments.data(), /*extra=*/nullptr);
  if (result != CUDA_SUCCESS) driver.check(result, "launching");
}

}  // namespace foldtune::bench
