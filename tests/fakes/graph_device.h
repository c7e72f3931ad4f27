/// The CPU device with graphs: what is captured does not run, and is replayed with the kernels and
/// the arguments that it was enqueued with, as CUDA does it.
///
///     device->begin_capture(stream);
///     reducer(input, count, output, stream);
///     const std::unique_ptr<Graph> graph = device->end_capture();
///     graph->replay(other_stream);
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/cuda/graph_memory.h"
#include "runtime/device/device.h"

namespace foldtune::test {

/// Must not outlive the kernels of what it holds. Whoever destroys it gives its scratch back.
class Graph {
 public:
  /// In the order in which they were enqueued.
  std::size_t launches() const { return nodes_.size(); }
  void replay(std::size_t launch, Stream stream) const {
    nodes_.at(launch).kernel->launch(nodes_.at(launch).launch, stream);
  }
  void replay(Stream stream) const {
    for (std::size_t i = 0; i < launches(); ++i) replay(i, stream);
  }

  /// One piece for each call that uses any.
  const std::vector<GraphMemory::Lease>& scratch() const { return scratch_; }

 private:
  friend class GraphDevice;

  struct Node {
    const Kernel* kernel;
    Launch launch;
    std::vector<std::vector<std::byte>> values;  ///< what its arguments are addresses of
  };

  std::vector<Node> nodes_;
  std::vector<GraphMemory::Lease> scratch_;
};

/// Captures in one thread.
class GraphDevice final : public Device {
 public:
  ~GraphDevice() override {
    for (void* const memory : graph_memory_.all()) deallocate(memory);
  }

  void begin_capture(Stream stream) {
    capturing_ = stream;
    graph_ = std::make_unique<Graph>();
  }
  std::unique_ptr<Graph> end_capture() { return std::move(graph_); }

  const DeviceInfo& info() const override { return cpu_->info(); }
  const Compiler& compiler() override { return compiler_; }
  std::unique_ptr<Kernel> load(const CompiledKernel& compiled) override {
    return std::make_unique<CapturedKernel>(*this, compiled);
  }
  void* allocate(std::size_t bytes) override { return cpu_->allocate(bytes); }
  void deallocate(void* memory) noexcept override { cpu_->deallocate(memory); }
  void copy(void* to, const void* from, std::size_t bytes) override { cpu_->copy(to, from, bytes); }
  void synchronize(Stream stream) override { cpu_->synchronize(stream); }
  bool is_capturing(Stream stream) const override { return graph_ && stream == capturing_; }
  void* allocate_in_capture(Stream, std::size_t bytes) override {
    GraphMemory::Lease lease =
        graph_memory_.take(bytes, [&](std::size_t size) { return allocate(size); });
    std::memset(lease.get(), 0, bytes);
    return graph_->scratch_.emplace_back(std::move(lease)).get();
  }
  std::unique_ptr<Stopwatch> prepare_timing(TimingRequest request) override {
    return cpu_->prepare_timing(std::move(request));
  }

 private:
  /// Adds to each kernel one that tells how many parameters it has, and their sizes: a launch alone
  /// does not say what is to be copied.
  class SizesCompiler final : public Compiler {
   public:
    explicit SizesCompiler(Device& cpu) : cpu_(cpu) {}

    const std::string& version() const override { return cpu_.compiler().version(); }
    CompiledKernel compile(const Program& program) const override {
      Program both = program;
      both.source += R"(
namespace foldtune::test {
template <class... Parameters>
void list(unsigned* sizes, void (*)(Parameters...)) {
  *sizes = sizeof...(Parameters);
  ((*++sizes = sizeof(Parameters)), ...);
}
template <auto kKernel>
void list_parameters(unsigned* sizes) {
  list(sizes, kKernel);
}
}  // namespace foldtune::test
)";
      for (const std::string& kernel : program.name_expressions) {
        both.name_expressions.push_back("foldtune::test::list_parameters<&" + kernel + ">");
      }
      return cpu_.compiler().compile(both);
    }

   private:
    Device& cpu_;
  };

  class CapturedKernel final : public Kernel {
   public:
    CapturedKernel(GraphDevice& device, const CompiledKernel& compiled)
        : device_(device),
          kernel_(device.cpu_->load(compiled)),
          parameter_bytes_(compiled.lowered_names.size() / 2) {
      for (std::size_t i = 0; i < parameter_bytes_.size(); ++i) {
        std::uint32_t listed[1 + Launch::kMaxArguments] = {};
        std::uint32_t* const sizes = listed;
        Launch launch;
        launch.kernel = parameter_bytes_.size() + i;
        launch.block = {.x = 1};
        launch.pass(Launches::address(sizes));
        kernel_->launch(launch, nullptr);
        parameter_bytes_[i].assign(listed + 1, listed + 1 + listed[0]);
      }
    }

    void launch(const Launch& launch, Stream stream) const override {
      if (!device_.is_capturing(stream)) return kernel_->launch(launch, stream);
      Graph::Node node{.kernel = kernel_.get(), .launch = launch, .values = {}};
      std::size_t i = 0;
      for (const std::uint32_t bytes : parameter_bytes_.at(launch.kernel)) {
        const auto* const value = static_cast<const std::byte*>(launch.arguments.at(i));
        node.launch.arguments.at(i++) = node.values.emplace_back(value, value + bytes).data();
      }
      device_.graph_->nodes_.push_back(std::move(node));
    }

    KernelResources resources(std::size_t index, std::uint32_t block_size) const override {
      return kernel_->resources(index, block_size);
    }

   private:
    GraphDevice& device_;
    const std::unique_ptr<Kernel> kernel_;
    std::vector<std::vector<std::uint32_t>> parameter_bytes_;
  };

  const std::unique_ptr<Device> cpu_ = open_cpu_device();
  const SizesCompiler compiler_{*cpu_};
  GraphMemory graph_memory_;
  Stream capturing_ = nullptr;
  std::unique_ptr<Graph> graph_;  ///< that is being captured; null: none
};

}  // namespace foldtune::test
