/// What the solver does to vectors of double besides their dot products.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

/// The work is enqueued on the default stream; on the host it is done when a call returns.
class Vectors {
 public:
  Vectors() = default;
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;
  virtual ~Vectors() = default;

  /// `count` elements of `value`, which live as long as this.
  virtual double* make(std::size_t count, double value) = 0;

  /// y = a * x + b * y.
  virtual void combine(std::size_t count, double a, const double* x, double b, double* y) = 0;

  /// y = A * x, with 4 on the diagonal of A and -1 beside it.
  virtual void apply(std::size_t count, const double* x, double* y) = 0;
};

std::unique_ptr<Vectors> make_host_vectors();
/// Of the device "cuda:N".
std::unique_ptr<Vectors> make_cuda_vectors(const std::string& device);
