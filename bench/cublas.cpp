#include "bench/cublas.h"

#include <cublas_v2.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "foldtune/error.h"
#include "runtime/support/shared_library.h"
#include "templates/reduce/space.h"

namespace foldtune::bench {
namespace {

std::vector<std::string> candidates() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* toolkit = std::getenv(variable)) {
      folders.push_back(fmt::format("{}/lib64/", toolkit));
    }
  }
  folders.emplace_back("");
  folders.emplace_back("/usr/local/cuda/lib64/");
  const std::string name = fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR);
  for (std::string& folder : folders) folder += name;
  return folders;
}

void check(cublasStatus_t status, const char* doing) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw DeviceError(fmt::format("{}: cuBLAS status {}", doing, static_cast<int>(status)));
  }
}

/// The library with a handle.
class Cublas {
 public:
  Cublas() {
    check(create_(&handle_), "making a handle of cuBLAS");
    check(set_pointer_mode_(handle_, CUBLAS_POINTER_MODE_DEVICE), "preparing cuBLAS");
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas() { destroy_(handle_); }

  void sdot(const float* x, const float* y, std::uint32_t count, void* result, Stream stream) {
    choose(stream);
    check(sdot_(handle_, static_cast<int>(count), x, 1, y, 1, static_cast<float*>(result)),
          "calling cublasSdot");
  }
  void sasum(const float* x, const float*, std::uint32_t count, void* result, Stream stream) {
    choose(stream);
    check(sasum_(handle_, static_cast<int>(count), x, 1, static_cast<float*>(result)),
          "calling cublasSasum");
  }
  void snrm2(const float* x, const float*, std::uint32_t count, void* result, Stream stream) {
    choose(stream);
    check(snrm2_(handle_, static_cast<int>(count), x, 1, static_cast<float*>(result)),
          "calling cublasSnrm2");
  }
  void isamax(const float* x, const float*, std::uint32_t count, void* result, Stream stream) {
    choose(stream);
    check(isamax_(handle_, static_cast<int>(count), x, 1, static_cast<int*>(result)),
          "calling cublasIsamax");
  }

 private:
  /// As programs do, not for every call.
  void choose(Stream stream) {
    if (stream == stream_) return;
    check(set_stream_(handle_, stream), "setting the stream of cuBLAS");
    stream_ = stream;
  }

  SharedLibrary library_ = SharedLibrary::open(candidates());
  decltype(&::cublasCreate_v2) create_ =
      library_.symbol<decltype(::cublasCreate_v2)>("cublasCreate_v2");
  decltype(&::cublasDestroy_v2) destroy_ =
      library_.symbol<decltype(::cublasDestroy_v2)>("cublasDestroy_v2");
  decltype(&::cublasSetPointerMode_v2) set_pointer_mode_ =
      library_.symbol<decltype(::cublasSetPointerMode_v2)>("cublasSetPointerMode_v2");
  decltype(&::cublasSetStream_v2) set_stream_ =
      library_.symbol<decltype(::cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(&::cublasSdot_v2) sdot_ = library_.symbol<decltype(::cublasSdot_v2)>("cublasSdot_v2");
  decltype(&::cublasSasum_v2) sasum_ =
      library_.symbol<decltype(::cublasSasum_v2)>("cublasSasum_v2");
  decltype(&::cublasSnrm2_v2) snrm2_ =
      library_.symbol<decltype(::cublasSnrm2_v2)>("cublasSnrm2_v2");
  decltype(&::cublasIsamax_v2) isamax_ =
      library_.symbol<decltype(::cublasIsamax_v2)>("cublasIsamax_v2");
  cublasHandle_t handle_ = nullptr;
  Stream stream_ = nullptr;
};

}  // namespace

Enqueue make_cublas_enqueue(const Workload& workload) {
  using Function = void (Cublas::*)(const float*, const float*, std::uint32_t, void*, Stream);
  const auto find = [&]() -> Function {
    if (&workload.problem.family() != &reduce_family()) return nullptr;
    const Reduction reduction = reduction_of(workload);
    if (reduction.type != ElementType::f32) return nullptr;
    switch (reduction.op) {
      case Operator::dot:
        return &Cublas::sdot;
      case Operator::asum:
        return &Cublas::sasum;
      case Operator::nrm2:
        return &Cublas::snrm2;
      case Operator::argabsmax:
        return &Cublas::isamax;
      default:
        return nullptr;
    }
  };
  const Function function = find();
  if (function == nullptr) return nullptr;
  const auto cublas = std::make_shared<Cublas>();
  return [cublas, function](const Call& call, Stream stream) {
    ((*cublas).*function)(static_cast<const float*>(call.arguments[1]),
                          static_cast<const float*>(call.arguments[2]),
                          static_cast<std::uint32_t>(call.shape[0]), call.arguments[0], stream);
  };
}

}  // namespace foldtune::bench
