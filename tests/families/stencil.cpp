#include "tests/families/stencil.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tuner/verify/random_elements.h"

namespace foldtune::test {
namespace {

// The places of the arguments.
constexpr std::size_t kOutput = 0;
constexpr std::size_t kInput = 1;
constexpr std::size_t kFactor = 2;

constexpr const char* kSource = R"(#include "templates/device/cuda_on_host.cuh"

template <class T, int kRows>
__global__ void stencil(T* output, const T* input, float factor, unsigned depth, unsigned height,
                        unsigned width) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned z = blockIdx.z;
  if (x >= width) return;
  const auto at = [=](unsigned zz, unsigned yy, unsigned xx) {
    return input[((unsigned long long)zz * height + yy) * width + xx];
  };
  for (int row = 0; row < kRows; ++row) {
    const unsigned y = (blockIdx.y * blockDim.y + threadIdx.y) * kRows + row;
    if (y >= height) return;
    T sum = at(z, y, x);
    sum += at(z == 0 ? 0 : z - 1, y, x);
    sum += at(z + 1 == depth ? z : z + 1, y, x);
    sum += at(z, y == 0 ? 0 : y - 1, x);
    sum += at(z, y + 1 == height ? y : y + 1, x);
    sum += at(z, y, x == 0 ? 0 : x - 1);
    sum += at(z, y, x + 1 == width ? x : x + 1);
    output[((unsigned long long)z * height + y) * width + x] = factor * (sum / 7);
  }
}
)";

constexpr std::array<std::string_view, 2> kTypes{"f32", "f64"};
constexpr std::array<std::string_view, 3> kExtents{"depth", "height", "width"};
constexpr int kWidths[] = {32, 64, 128};
constexpr int kHeights[] = {1, 2, 4};
constexpr int kRows[] = {1, 2, 4};

const std::array<Field, 1>& stencil_fields() {
  static const std::array<Field, 1> fields{
      Field{.name = "type", .meaning = "Type of the elements", .labels = kTypes}};
  return fields;
}
constexpr std::array<Tunable, 3> kTunables{
    Tunable{.name = "block_width", .values = kWidths, .searched = kWidths, .fallback = 64},
    Tunable{.name = "block_height",
            .values = kHeights,
            .searched = kHeights,
            .fallback = 2,
            .place = 1},
    Tunable{.name = "rows", .values = kRows, .searched = kRows, .fallback = 1, .place = 2}};

ElementType type_of(const Problem& problem) {
  return problem.get(stencil_fields()[0]) == 0 ? ElementType::f32 : ElementType::f64;
}

std::uint32_t divide_up(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>((a + b - 1) / b);
}

class StencilLauncher final : public Launcher {
 public:
  explicit StencilLauncher(const Config& config)
      : width_(static_cast<std::uint32_t>(config.get(kTunables[0]))),
        height_(static_cast<std::uint32_t>(config.get(kTunables[1]))),
        rows_(static_cast<std::uint32_t>(config.get(kTunables[2]))) {}

  std::uint32_t block_size() const override { return width_ * height_; }
  std::size_t scratch_bytes(const Shape&) const override { return 0; }
  void fill(const Call& call, void*, Launches& launches) const override {
    const auto [depth, height, width, none] = call.shape.extents;
    const float factor =
        call.arguments[kFactor] == nullptr ? 1 : *static_cast<float*>(call.arguments[kFactor]);
    launches
        .add(0,
             {divide_up(width, width_), divide_up(height, height_ * rows_),
              static_cast<std::uint32_t>(depth)},
             {width_, height_})
        .pass(Launches::address(call.arguments[kOutput]), Launches::address(call.arguments[kInput]),
              launches.keep(factor), launches.keep(static_cast<std::uint32_t>(depth)),
              launches.keep(static_cast<std::uint32_t>(height)),
              launches.keep(static_cast<std::uint32_t>(width)));
  }

 private:
  std::uint32_t width_;
  std::uint32_t height_;
  std::uint32_t rows_;
};

class StencilFamily final : public Family {
 public:
  using Family::find_fault;

  std::string_view name() const override { return "stencil"; }
  std::span<const Field> fields() const override { return stencil_fields(); }
  void complete(Problem& problem) const override {
    if (problem.get(stencil_fields()[0]) == Problem::kUnsaid) problem.set(stencil_fields()[0], 0);
  }
  std::string describe(const Problem& problem) const override {
    return fmt::format("stencil {}", text(problem, stencil_fields()[0]));
  }

  std::span<const std::string_view> extents() const override { return kExtents; }
  std::string find_fault(const Problem&, const Shape& shape) const override {
    constexpr std::uint64_t kMost = 65'535;  // of a grid's third extent
    for (std::size_t i = 0; i < kExtents.size(); ++i) {
      if (shape[i] == 0 || shape[i] > kMost) {
        return fmt::format("the {} is from 1 to {}, not {}", kExtents[i], kMost, shape[i]);
      }
    }
    return {};
  }

  std::vector<Argument> arguments(const Problem& problem) const override {
    const std::size_t bytes = size_of(type_of(problem));
    const Argument array{
        .name = {}, .type = type_of(problem), .element_bytes = bytes, .alignment = bytes};
    Argument output = array;
    output.name = "output";
    output.access = Access::output;
    Argument input = array;
    input.name = "input";
    return {output, input, {.name = "factor", .access = Access::scalar}};
  }
  std::uint64_t elements(const Problem&, std::size_t argument, const Shape& shape) const override {
    return argument == kFactor ? 1 : shape[0] * shape[1] * shape[2];
  }

  std::span<const Tunable> tunables() const override { return kTunables; }
  std::string include_lines(const Problem&) const override { return kSource; }
  std::vector<std::string> all_include_lines() const override { return {kSource}; }
  Program program(const Variant& variant) const override {
    const bool is_double = type_of(variant.workload.problem) == ElementType::f64;
    return {.source = kSource,
            .name_expressions = {fmt::format("stencil<{}, {}>", is_double ? "double" : "float",
                                             variant.params.get(kTunables[2]))}};
  }
  std::unique_ptr<Launcher> launcher(const Variant& variant, const KernelFacts&) const override {
    return std::make_unique<StencilLauncher>(variant.params);
  }
};

/// Each element by its definition, in double.
class StencilResult final : public Expectation {
 public:
  StencilResult(const Workload& workload, const void* input, double factor)
      : type_(type_of(workload.problem)), shape_(workload.shape) {
    const std::uint64_t count = shape_[0] * shape_[1] * shape_[2];
    values_.resize(count);
    with_type(type_, [&](auto zero) {
      using T = decltype(zero);
      const auto at = [&](std::uint64_t z, std::uint64_t y, std::uint64_t x) {
        return static_cast<double>(
            exact(read<T>(static_cast<const T*>(input) + (z * shape_[1] + y) * shape_[2] + x)));
      };
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t x = i % shape_[2];
        const std::uint64_t y = i / shape_[2] % shape_[1];
        const std::uint64_t z = i / shape_[2] / shape_[1];
        const auto before = [](std::uint64_t place) { return place == 0 ? 0 : place - 1; };
        const auto after = [](std::uint64_t place, std::uint64_t extent) {
          return std::min(place + 1, extent - 1);
        };
        values_[i] = factor / 7 *
                     (at(z, y, x) + at(before(z), y, x) + at(after(z, shape_[0]), y, x) +
                      at(z, before(y), x) + at(z, after(y, shape_[1]), x) + at(z, y, before(x)) +
                      at(z, y, after(x, shape_[2])));
      }
    });
  }

  std::string find_difference(std::span<const std::byte> result, const Origin&) const override {
    return with_type(type_, [&](auto zero) -> std::string {
      using T = decltype(zero);
      // Seven roundings of a sum of elements up to 1, a division and a product.
      const double bound = 16 * static_cast<double>(unit_roundoff(type_)) * 2;
      for (std::size_t i = 0; i < values_.size(); ++i) {
        const auto got = static_cast<double>(exact(read<T>(result.data() + i * sizeof(T))));
        if (std::abs(got - values_[i]) <= bound) continue;
        return fmt::format("element {} is {}, not {}", i, got, values_[i]);
      }
      return {};
    });
  }

 private:
  ElementType type_;
  Shape shape_;
  std::vector<double> values_;
};

class StencilJudge final : public Judge {
 public:
  const Family& family() const override { return stencil_family(); }
  void fill(const Problem& problem, std::size_t argument, std::span<std::byte> elements,
            std::uint64_t seed) const override {
    fill_elements(type_of(problem), elements, argument, seed,
                  []<class T>(T, std::uint64_t bits) { return random_element<T>(bits); });
  }
  const void* scalar(const Problem&, std::size_t) const override {
    static constexpr float kTuningFactor = 1.5;
    return &kTuningFactor;
  }
  std::unique_ptr<Expectation> expect(const Workload& workload,
                                      std::span<const void* const> arguments) const override {
    return std::make_unique<StencilResult>(workload, arguments[kInput],
                                           *static_cast<const float*>(arguments[kFactor]));
  }
  bool is_reproducible(const Problem&) const override { return true; }
  std::string format(const Problem&, std::span<const std::byte> result) const override {
    return fmt::format("{} bytes", result.size());
  }
};

}  // namespace

const Family& stencil_family() {
  static const StencilFamily family;
  return family;
}

const Judge& stencil_judge() {
  static const StencilJudge judge;
  return judge;
}

void use_stencil() {
  if (find_family("stencil") != nullptr) return;
  add_family(stencil_family());
  add_judge(stencil_judge());
}

Workload stencil_workload(ElementType type, std::uint64_t depth, std::uint64_t height,
                          std::uint64_t width) {
  Problem problem(stencil_family());
  problem.set(stencil_fields()[0], type == ElementType::f32 ? 0 : 1);
  return {.problem = problem, .shape = {{depth, height, width}}};
}

}  // namespace foldtune::test
