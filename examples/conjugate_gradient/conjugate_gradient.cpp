// conjugate_gradient [DEVICE]: solves A x = b by conjugate gradients. Its dot products are
// reductions, whose results are the same bits in every run, so that the iterations are, too.
#include <cmath>
#include <foldtune/foldtune.hpp>

#include "../common/run_example.h"
#include "vectors.h"

namespace {

constexpr std::size_t kCount = 1 << 16;
constexpr int kMostIterations = 100;
constexpr double kTolerance = 1e-10;  // of the residual, relative to b

std::unique_ptr<Vectors> make_vectors(const std::string& device) {
  if (device.starts_with("cpu")) return make_host_vectors();
#ifdef FOLDTUNE_EXAMPLE_CUDA
  return make_cuda_vectors(device);
#else
  throw foldtune::Unavailable("this example was built without nvcc: name the device cpu");
#endif
}

int run(const std::string& device) {
  foldtune::Context context({.device = device, .database = {}});
  const foldtune::Reducer dot_product =
      context.reducer({.op = foldtune::Operator::dot, .type = foldtune::ElementType::f64});
  const std::unique_ptr<Vectors> vectors = make_vectors(device);
  const auto dot = [&](const double* a, const double* b) {
    return dot_product.value<double>({a, b}, kCount);
  };

  // b = A * 1, so the solution is 1 everywhere.
  double* const ones = vectors->make(kCount, 1);
  double* const x = vectors->make(kCount, 0);
  double* const residual = vectors->make(kCount, 0);  // b - A * x
  vectors->apply(kCount, ones, residual);
  double* const direction = vectors->make(kCount, 0);
  vectors->combine(kCount, 1, residual, 0, direction);
  double* const applied = vectors->make(kCount, 0);

  double squared = dot(residual, residual);
  const double enough = kTolerance * kTolerance * squared;
  int iterations = 0;
  while (squared > enough && iterations < kMostIterations) {
    vectors->apply(kCount, direction, applied);
    const double step = squared / dot(direction, applied);
    vectors->combine(kCount, step, direction, 1, x);
    vectors->combine(kCount, -step, applied, 1, residual);
    const double before = squared;
    squared = dot(residual, residual);
    vectors->combine(kCount, 1, residual, squared / before, direction);
    ++iterations;
  }

  vectors->combine(kCount, -1, ones, 1, x);
  const double error = std::sqrt(dot(x, x) / kCount);
  std::printf("%d iterations, root mean square error %.1e, on %s\n", iterations, error,
              context.device_name().c_str());
  return error < 1e-8 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, run); }
