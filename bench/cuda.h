/// Handles of the CUDA runtime API, each with one owner, and its errors as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>

namespace foldtune::bench {

/// Throws DeviceError unless `error` is success: "capturing a graph: cudaError...: ...".
void check(cudaError_t error, const std::string& doing);

struct CudaDeleter {
  void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
  void operator()(cudaGraph_t graph) const noexcept { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t graph) const noexcept { cudaGraphExecDestroy(graph); }
};
using CudaStream = std::unique_ptr<CUstream_st, CudaDeleter>;
using CudaEvent = std::unique_ptr<CUevent_st, CudaDeleter>;
using CudaGraph = std::unique_ptr<CUgraph_st, CudaDeleter>;
using CudaGraphExec = std::unique_ptr<CUgraphExec_st, CudaDeleter>;

CudaStream make_stream();
CudaEvent make_event();

/// The graph of what `enqueue` puts on `stream`, uploaded and ready to be launched. Nothing of it
/// runs meanwhile.
CudaGraphExec capture_graph(cudaStream_t stream, const std::function<void()>& enqueue);

/// "13.0": the version of the CUDA runtime that is linked.
std::string cuda_runtime_version();
/// "13.0": the newest version of CUDA that the driver knows.
std::string cuda_driver_version();

}  // namespace foldtune::bench
