#include <foldtune/error.h>

#include <vector>

#include "vectors.h"

namespace {

constexpr unsigned kBlock = 256;

unsigned grid_of(std::size_t count) { return static_cast<unsigned>((count + kBlock - 1) / kBlock); }

__device__ std::size_t my_index() { return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; }

__global__ void fill_kernel(std::size_t count, double value, double* x) {
  if (my_index() < count) x[my_index()] = value;
}
__global__ void combine_kernel(std::size_t count, double a, const double* x, double b, double* y) {
  if (my_index() < count) y[my_index()] = a * x[my_index()] + b * y[my_index()];
}
__global__ void apply_kernel(std::size_t count, const double* x, double* y) {
  const std::size_t i = my_index();
  if (i < count) y[i] = 4 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < count ? x[i + 1] : 0);
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw foldtune::DeviceError(cudaGetErrorString(status));
}

class CudaVectors final : public Vectors {
 public:
  explicit CudaVectors(const std::string& device) {
    check(cudaSetDevice(std::stoi(device.substr(device.find(':') + 1))));
  }
  CudaVectors(const CudaVectors&) = delete;
  CudaVectors& operator=(const CudaVectors&) = delete;
  ~CudaVectors() override {
    for (double* const vector : vectors_) cudaFree(vector);
  }

  double* make(std::size_t count, double value) override {
    double* vector = nullptr;
    check(cudaMalloc(&vector, count * sizeof(double)));
    vectors_.push_back(vector);
    fill_kernel<<<grid_of(count), kBlock>>>(count, value, vector);
    check(cudaGetLastError());
    return vector;
  }
  void combine(std::size_t count, double a, const double* x, double b, double* y) override {
    combine_kernel<<<grid_of(count), kBlock>>>(count, a, x, b, y);
    check(cudaGetLastError());
  }
  void apply(std::size_t count, const double* x, double* y) override {
    apply_kernel<<<grid_of(count), kBlock>>>(count, x, y);
    check(cudaGetLastError());
  }

 private:
  std::vector<double*> vectors_;
};

}  // namespace

std::unique_ptr<Vectors> make_cuda_vectors(const std::string& device) {
  return std::make_unique<CudaVectors>(device);
}
