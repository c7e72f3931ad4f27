#include "bench/cuda.h"

#include <fmt/format.h>

#include "foldtune/error.h"

namespace foldtune::bench {
namespace {

/// Ends a capture that an exception cuts short: the stream would be unusable otherwise.
class Capture {
 public:
  explicit Capture(cudaStream_t stream) : stream_(stream) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "beginning the capture of a graph");
    active_ = true;
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    cudaGraph_t graph = nullptr;
    if (active_) cudaStreamEndCapture(stream_, &graph);
    const CudaGraph abandoned(graph);
  }

  CudaGraph end() {
    active_ = false;
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream_, &graph);
    CudaGraph owner(graph);
    check(error, "ending the capture of a graph");
    return owner;
  }

 private:
  cudaStream_t stream_;
  bool active_ = false;
};

/// CUDA's encoding: 1000 * major + 10 * minor.
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

void check(cudaError_t error, const std::string& doing) {
  if (error == cudaSuccess) return;
  throw DeviceError(
      fmt::format("{}: {}: {}", doing, cudaGetErrorName(error), cudaGetErrorString(error)));
}

CudaStream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  return CudaStream(stream);
}

CudaEvent make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "creating an event");
  return CudaEvent(event);
}

CudaGraphExec capture_graph(cudaStream_t stream, const std::function<void()>& enqueue) {
  Capture capture(stream);
  enqueue();
  const CudaGraph graph = capture.end();
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiating a graph");
  CudaGraphExec owner(exec);
  check(cudaGraphUpload(exec, stream), "uploading a graph");
  return owner;
}

std::string cuda_runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "asking for the CUDA runtime's version");
  return version_text(version);
}

std::string cuda_driver_version() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "asking for the CUDA driver's version");
  return version_text(version);
}

}  // namespace foldtune::bench
