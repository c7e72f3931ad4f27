#include "bench/pooled_device.h"

#include <functional>
#include <utility>

namespace foldtune::bench {
namespace {

class PooledCompiler final : public Compiler {
 public:
  PooledCompiler(const Compiler& compiler, CompilePool& compilations)
      : compiler_(compiler), compilations_(compilations) {}

  const std::string& version() const override { return compiler_.version(); }

  CompiledKernel compile(const Program& program) const override {
    return *compilations_.request(program).get();
  }

 private:
  const Compiler& compiler_;
  CompilePool& compilations_;
};

class PooledDevice final : public Device {
 public:
  PooledDevice(std::shared_ptr<Device> device, CompilePool& compilations)
      : device_(std::move(device)), compiler_(device_->compiler(), compilations) {}

  const Compiler& compiler() override { return compiler_; }

  const DeviceInfo& info() const override { return device_->info(); }
  const DeviceInfo& quick_info() const override { return device_->quick_info(); }
  std::unique_ptr<Kernel> load(const CompiledKernel& compiled) override {
    return device_->load(compiled);
  }
  void* allocate(std::size_t bytes) override { return device_->allocate(bytes); }
  void deallocate(void* memory) noexcept override { device_->deallocate(memory); }
  void* allocate_on(Stream stream, std::size_t bytes) override {
    return device_->allocate_on(stream, bytes);
  }
  void* allocate_host(std::size_t bytes) override { return device_->allocate_host(bytes); }
  void deallocate_host(void* memory) noexcept override { device_->deallocate_host(memory); }
  std::string find_pointer_fault(const void* memory) const override {
    return device_->find_pointer_fault(memory);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    device_->copy(to, from, bytes);
  }
  void copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) override {
    device_->copy_to_host(stream, to, from, bytes);
  }
  void synchronize(Stream stream) override { device_->synchronize(stream); }
  void await(Stream stream, const std::function<bool()>& is_there) override {
    device_->await(stream, is_there);
  }
  bool is_capturing(Stream stream) const override { return device_->is_capturing(stream); }
  void* allocate_in_capture(Stream stream, std::size_t bytes) override {
    return device_->allocate_in_capture(stream, bytes);
  }
  std::unique_ptr<Stopwatch> prepare_timing(TimingRequest request) override {
    return device_->prepare_timing(std::move(request));
  }

 private:
  std::shared_ptr<Device> device_;
  PooledCompiler compiler_;
};

}  // namespace

std::shared_ptr<Device> make_pooled(std::shared_ptr<Device> device, CompilePool& compilations) {
  return std::make_shared<PooledDevice>(std::move(device), compilations);
}

}  // namespace foldtune::bench
