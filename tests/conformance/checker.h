/// Calls plans many times, and compares every result with its reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/launch/plan.h"
#include "tests/conformance/environment.h"
#include "tests/conformance/input.h"

namespace foldtune::test {

/// What outputs hold before a call: no result that is expected, of any type.
inline constexpr std::byte kPoison{0xa5};

/// Bytes before and after an output, and after the scratch, that no kernel may touch.
inline constexpr std::size_t kGuardBytes = 64;

/// The most faults of one plan that are told in words.
inline constexpr std::uint64_t kMessages = 8;

/// Elements by which the start of a window can be moved: the most that a vector holds, less one.
inline constexpr std::uint64_t kMostPeeled = 15;

/// Both windows are folded in turn, then the first again, in the same scratch: what a call leaves
/// behind shows in the next one, and the bits of the first and the last result can be compared.
struct Case {
  const Input* first = nullptr;
  const Input* second = nullptr;
  Window window;  ///< of both
};

/// Results are collected on the device, each between guards, and read back many at a time.
class Checker {
 public:
  /// The device must outlive the checker; the tally is added to.
  Checker(Device& device, Tally& tally);
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// Enqueues all cases. Their inputs must live until `finish`.
  void run(std::unique_ptr<Plan> plan, const std::vector<Case>& cases);

  /// Waits for all calls. Returns what was wrong, the first few in words: empty if nothing was.
  std::string finish();

 private:
  /// A plan with its scratch; both live until the calls have ended.
  struct Running {
    std::unique_ptr<Plan> plan;
    DeviceBuffer scratch;
    std::size_t scratch_bytes;
  };
  struct Call {
    std::size_t plan;
    const Input* input;
    Window window;
    bool repeats;  ///< the call two slots before
  };

  void enqueue(const Case& one);
  void enqueue(const Input& input, const Window& window, bool repeats);
  void poison();
  /// Waits for the calls so far and compares their results.
  void check();
  void check(const Call& call, const std::byte* slot);
  void check_scratch(const Running& running);
  void fail(const Plan& plan, const std::string& what);

  Device& device_;
  Tally& tally_;
  std::vector<std::byte> slots_;
  DeviceBuffer device_slots_;
  std::vector<Running> running_;
  std::vector<Call> calls_;  // by slot
  std::uint64_t failures_ = 0;
  std::string messages_;
};

}  // namespace foldtune::test
