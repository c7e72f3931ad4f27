#include "runtime/repeated_launch.h"

#include <functional>
#include <string>
#include <thread>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

/// What was launched, in order: "k64" by the kernel with 64 blocks, "r64" by what it made ready.
class RecordingKernel final : public Kernel {
 public:
  void launch(std::size_t, LaunchShape shape, void**, Stream) const override {
    launches += "k" + std::to_string(shape.grid_size) + " ";
  }
  std::unique_ptr<ReadyLaunch> make_ready(std::size_t, LaunchShape shape, void**) const override {
    ++made;
    if (fails) throw OutOfMemory("no room for a graph");
    if (has_none) return nullptr;
    return std::make_unique<Recording>(*this, shape);
  }
  KernelResources resources(std::size_t, std::uint32_t) const override { return {}; }

  bool fails = false;
  bool has_none = false;
  std::function<void()> during_ready_launch;
  bool is_behind = false;
  mutable int looks = 0;  ///< whether it is
  mutable int made = 0;
  mutable std::string launches;

 private:
  class Recording final : public ReadyLaunch {
   public:
    Recording(const RecordingKernel& kernel, LaunchShape shape) : kernel_(kernel), shape_(shape) {}
    void launch(void**, Stream) override {
      kernel_.launches += "r" + std::to_string(shape_.grid_size) + " ";
      if (kernel_.during_ready_launch) kernel_.during_ready_launch();
    }
    bool is_behind(Stream) override {
      ++kernel_.looks;
      return kernel_.is_behind;
    }

   private:
    const RecordingKernel& kernel_;
    LaunchShape shape_;
  };
};

/// What `times` launches of `blocks` blocks were.
std::string launch(RepeatedLaunch& repeated, const RecordingKernel& kernel, int times,
                   std::uint32_t blocks) {
  kernel.launches.clear();
  for (int i = 0; i < times; ++i) {
    repeated.launch(kernel, 0, {.grid_size = blocks}, nullptr, nullptr);
  }
  return kernel.launches;
}

TEST_CASE("RepeatedLaunch: the eighth launch of a shape is kept ready") {
  const RecordingKernel kernel;
  RepeatedLaunch repeated;
  CHECK(launch(repeated, kernel, 10, 2) == "k2 k2 k2 k2 k2 k2 k2 r2 r2 r2 ");
  CHECK(launch(repeated, kernel, 2, 3) == "k3 k3 ");
  CHECK(launch(repeated, kernel, 2, 2) == "r2 r2 ");
  CHECK(kernel.made == 1);
}

TEST_CASE("RepeatedLaunch: of shapes in turns none is kept ready") {
  const RecordingKernel kernel;
  RepeatedLaunch repeated;
  for (int i = 0; i < 20; ++i) {
    CHECK(launch(repeated, kernel, 7, 2) == "k2 k2 k2 k2 k2 k2 k2 ");
    CHECK(launch(repeated, kernel, 1, 3) == "k3 ");
  }
  CHECK(kernel.made == 0);
}

TEST_CASE(
    "RepeatedLaunch: where no launch can be kept ready, the kernel launches, and is not asked "
    "again") {
  RecordingKernel kernel;
  (GENERATE(true, false) ? kernel.fails : kernel.has_none) = true;
  RepeatedLaunch repeated;
  CHECK(launch(repeated, kernel, 9, 2) == "k2 k2 k2 k2 k2 k2 k2 k2 k2 ");
  launch(repeated, kernel, 90, 2);
  CHECK(kernel.made == 1);
}

TEST_CASE("RepeatedLaunch: while a thread launches what is kept ready, others launch kernels") {
  const RecordingKernel others_kernel;
  RepeatedLaunch other;
  launch(other, others_kernel, 8, 3);
  std::string of_other;
  RecordingKernel kernel;
  kernel.during_ready_launch = [&] {
    std::thread([&] { of_other = launch(other, others_kernel, 1, 3); }).join();
  };
  RepeatedLaunch repeated;
  CHECK(launch(repeated, kernel, 8, 2) == "k2 k2 k2 k2 k2 k2 k2 r2 ");
  CHECK(of_other == "k3 ");
  CHECK(launch(other, others_kernel, 1, 3) == "r3 ");
}

/// For how many of the next launches the device is let catch up.
int let_catch_up(RepeatedLaunch& repeated, int launches) {
  int count = 0;
  for (int i = 0; i < launches; ++i) count += repeated.lets_catch_up(nullptr) ? 1 : 0;
  return count;
}

TEST_CASE("RepeatedLaunch: the device is let catch up once it was seen to be behind") {
  RecordingKernel kernel;
  RepeatedLaunch repeated;
  launch(repeated, kernel, 8, 2);
  CHECK(let_catch_up(repeated, 16) == 0);
  kernel.is_behind = true;
  CHECK(let_catch_up(repeated, 16) == 0);  // it is looked at for every 32nd
  CHECK(let_catch_up(repeated, 16) == 16);
  CHECK(let_catch_up(repeated, 8) == 8);
  kernel.is_behind = false;
  CHECK(let_catch_up(repeated, 8) == 8);  // and while it catches up for every 16th
  CHECK(let_catch_up(repeated, 32) == 0);
  CHECK(kernel.looks == 4);
}

TEST_CASE("RepeatedLaunch: where no launch is kept ready, the device is not looked at") {
  RecordingKernel kernel;
  kernel.is_behind = true;
  RepeatedLaunch repeated;
  launch(repeated, kernel, 7, 2);
  CHECK(let_catch_up(repeated, 100) == 0);
  CHECK(kernel.looks == 0);
}

}  // namespace
}  // namespace foldtune::test
