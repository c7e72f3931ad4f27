#include <vector>

#include "vectors.h"

namespace {

class HostVectors final : public Vectors {
 public:
  double* make(std::size_t count, double value) override {
    return vectors_.emplace_back(count, value).data();
  }
  void combine(std::size_t count, double a, const double* x, double b, double* y) override {
    for (std::size_t i = 0; i < count; ++i) y[i] = a * x[i] + b * y[i];
  }
  void apply(std::size_t count, const double* x, double* y) override {
    for (std::size_t i = 0; i < count; ++i) {
      y[i] = 4 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < count ? x[i + 1] : 0);
    }
  }

 private:
  std::vector<std::vector<double>> vectors_;
};

}  // namespace

std::unique_ptr<Vectors> make_host_vectors() { return std::make_unique<HostVectors>(); }
