/// Arrays on the device that an example runs on: the CUDA runtime's, or the host's memory for
/// "cpu", whose calls have ended when they return.
#pragma once

#ifdef FOLDTUNE_EXAMPLES_CUDA
#include <cuda_runtime.h>
#endif

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

/// Move-only.
template <class T>
class DeviceArray {
 public:
  /// `device` is "cuda:N" or "cpu".
  DeviceArray(const std::string& device, const std::vector<T>& values)
      : is_cpu_(device.starts_with("cpu")), count_(values.size()) {
    if (is_cpu_) {
      host_ = values;
      return;
    }
#ifdef FOLDTUNE_EXAMPLES_CUDA
    check(cudaSetDevice(std::stoi(device.substr(device.find(':') + 1))));
    check(cudaMalloc(&data_, count_ * sizeof(T)));
    check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
#else
    throw std::runtime_error(
        "this example was built without the CUDA runtime: name the device cpu");
#endif
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
#ifdef FOLDTUNE_EXAMPLES_CUDA
    if (data_ != nullptr) cudaFree(data_);
#endif
  }

  T* data() { return is_cpu_ ? host_.data() : static_cast<T*>(data_); }

  /// Waits for what was enqueued on the default stream, and copies the elements to the host.
  std::vector<T> read() const {
    if (is_cpu_) return host_;
    std::vector<T> values(count_);
#ifdef FOLDTUNE_EXAMPLES_CUDA
    check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
#endif
    return values;
  }

 private:
#ifdef FOLDTUNE_EXAMPLES_CUDA
  static void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
  }
#endif

  bool is_cpu_;
  std::size_t count_;
  std::vector<T> host_;
  void* data_ = nullptr;
};
