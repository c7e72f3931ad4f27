/// Arrays on the device that an example runs on: the CUDA runtime's, or the host's memory for
/// "cpu", whose calls have ended when they return.
#pragma once

#ifdef FOLDTUNE_EXAMPLE_CUDA
#include <cuda_runtime.h>
#endif

#include <foldtune/error.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

/// Move-only.
template <class T>
class DeviceArray {
 public:
  /// `device` is "cuda:N" or "cpu".
  DeviceArray(const std::string& device, const std::vector<T>& values)
      : is_cpu_(device.starts_with("cpu")), size_(values.size()) {
    if (is_cpu_) {
      host_ = values;
      return;
    }
#ifdef FOLDTUNE_EXAMPLE_CUDA
    check(cudaSetDevice(std::stoi(device.substr(device.find(':') + 1))));
    check(cudaMalloc(&data_, size_ * sizeof(T)));
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
#else
    throw foldtune::Unavailable(
        "this example was built without the CUDA runtime: name the device cpu");
#endif
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
#ifdef FOLDTUNE_EXAMPLE_CUDA
    if (data_ != nullptr) cudaFree(data_);
#endif
  }

  T* data() { return is_cpu_ ? host_.data() : static_cast<T*>(data_); }
  std::size_t size() const { return size_; }

  /// Waits for what was enqueued on the default stream, and copies the elements to the host.
  std::vector<T> read() const {
    if (is_cpu_) return host_;
    std::vector<T> values(size_);
#ifdef FOLDTUNE_EXAMPLE_CUDA
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
#endif
    return values;
  }

 private:
#ifdef FOLDTUNE_EXAMPLE_CUDA
  static void check(cudaError_t status) {
    if (status != cudaSuccess) throw foldtune::DeviceError(cudaGetErrorString(status));
  }
#endif

  bool is_cpu_;
  std::size_t size_;
  std::vector<T> host_;
  void* data_ = nullptr;
};
