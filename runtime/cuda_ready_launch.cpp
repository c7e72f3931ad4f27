#include "runtime/cuda_ready_launch.h"

#include <fmt/format.h>

#include "foldtune/error.h"
#include "runtime/cuda_context.h"
#include "runtime/cuda_handles.h"

namespace foldtune {
namespace {

class CudaReadyLaunch final : public ReadyLaunch {
 public:
  CudaReadyLaunch(CUcontext context, CUfunction function, LaunchShape shape, void** first_arguments)
      : context_(context) {
    const ContextScope scope(context_, driver_);
    const UncapturedScope uncaptured;
    params_.func = function;
    params_.gridDimX = shape.grid_size;
    params_.gridDimY = params_.gridDimZ = 1;
    params_.blockDimX = shape.block_size;
    params_.blockDimY = params_.blockDimZ = 1;
    params_.kernelParams = first_arguments;
    CUgraph graph = nullptr;
    driver_.check(driver_.cuGraphCreate(&graph, 0), "making a graph of a launch");
    graph_.reset(graph);
    driver_.check(driver_.cuGraphAddKernelNode(&node_, graph, nullptr, 0, &params_),
                  "adding a launch to a graph");
    if (shape.is_cluster) {
      CUkernelNodeAttrValue cluster{};
      cluster.clusterDim = {.x = shape.grid_size, .y = 1, .z = 1};
      driver_.check(driver_.cuGraphKernelNodeSetAttribute(
                        node_, CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION, &cluster),
                    "making a cluster of a launch in a graph");
    }
    CUgraphExec executable = nullptr;
    driver_.check(driver_.cuGraphInstantiateWithFlags(&executable, graph, 0),
                  "instantiating the graph of a launch");
    executable_.reset(executable);
  }

  ~CudaReadyLaunch() override {
    try {
      const ContextScope scope(context_, driver_);
      mark_.reset();
      executable_.reset();
      graph_.reset();
    } catch (const Error&) {  // the context is gone, and everything of it
      (void)mark_.release();
      (void)executable_.release();
      (void)graph_.release();
    }
  }

  void launch(void** arguments, Stream stream) override {
    const ContextScope scope(context_, driver_);
    params_.kernelParams = arguments;
    CUresult result = driver_.cuGraphExecKernelNodeSetParams(executable_.get(), node_, &params_);
    if (result == CUDA_SUCCESS) result = driver_.cuGraphLaunch(executable_.get(), stream);
    if (result != CUDA_SUCCESS) {
      driver_.check(result, fmt::format("launching {} blocks of {} threads as a graph",
                                        params_.gridDimX, params_.blockDimX));
    }
  }

  bool is_behind(Stream stream) override {
    const ContextScope scope(context_, driver_);
    const UncapturedScope uncaptured;
    const bool is_behind = mark_ != nullptr && !has_passed_mark();
    if (mark_ == nullptr) make_mark();
    driver_.check(driver_.cuEventRecord(mark_.get(), stream), "marking a place in a stream");
    return is_behind;
  }

 private:
  bool has_passed_mark() const {
    const CUresult result = driver_.cuEventQuery(mark_.get());
    if (result == CUDA_ERROR_NOT_READY) return false;
    driver_.check(result, "looking how far a stream has come");
    return true;
  }

  void make_mark() {
    CUevent event = nullptr;
    driver_.check(driver_.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "creating an event");
    mark_.reset(event);
  }

  const CudaDriver& driver_ = CudaDriver::get();
  CUcontext context_;
  CUDA_KERNEL_NODE_PARAMS params_{};
  CUgraphNode node_ = nullptr;
  OwnedGraph graph_;
  OwnedGraphExec executable_;
  OwnedEvent mark_;  ///< where the stream was
};

}  // namespace

std::unique_ptr<ReadyLaunch> make_cuda_ready_launch(CUcontext context, CUfunction function,
                                                    LaunchShape shape, void** first_arguments) {
  return std::make_unique<CudaReadyLaunch>(context, function, shape, first_arguments);
}

}  // namespace foldtune
