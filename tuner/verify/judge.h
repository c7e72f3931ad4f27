/// What a family says of right results: the inputs to try its kernels on, what they must give, and
/// how far a right result may be from that. A registry of its own, so that the runtime links none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "templates/family.h"

namespace foldtune {

struct CompiledKernel;
class Device;

/// Compiles a program, or gives what was compiled of it before.
using CompileProgram = std::function<std::shared_ptr<const CompiledKernel>(const Program& program)>;

/// The right result of one workload on given inputs. Immutable.
class Expectation {
 public:
  Expectation() = default;
  Expectation(const Expectation&) = delete;
  Expectation& operator=(const Expectation&) = delete;
  virtual ~Expectation() = default;

  /// How a result came about, as far as its error depends on that.
  struct Origin {
    const Config* config = nullptr;  ///< null: another library's, of which nothing is known
    std::uint64_t grid_size = 0;     ///< blocks of the first kernel
  };

  /// Empty if `result`, the bytes of the output, is right, else what is wrong: "expected 1.5 within
  /// 1e-6, got 2".
  virtual std::string find_difference(std::span<const std::byte> result,
                                      const Origin& origin) const = 0;
};

/// Immutable; lives until the program ends. Member functions may be called from several threads.
/// Those with a body here are right for a family of which nothing more is known.
class Judge {
 public:
  virtual const Family& family() const = 0;

  /// Fills an argument of the problem that is an array, whatever the shape: pseudo-random elements,
  /// the same for the same seed on every machine. Uses all cores.
  virtual void fill(const Problem& problem, std::size_t argument, std::span<std::byte> elements,
                    std::uint64_t seed) const = 0;

  /// The same of a table that follows the shape (Argument::follows_shape): all of it.
  virtual void fill_for_shape(const Workload& /*workload*/, std::size_t /*argument*/,
                              std::span<std::byte> /*elements*/, std::uint64_t /*seed*/) const {}

  /// Whether `fill` gives two problems the same inputs, so that they can share them. Arguments of
  /// the same number and types are necessary for it.
  virtual bool has_same_inputs(const Problem& a, const Problem& b) const { return a == b; }

  /// The value of an argument that is a scalar, valid as long as the judge; null for arrays.
  virtual const void* scalar(const Problem& /*problem*/, std::size_t /*argument*/) const {
    return nullptr;
  }

  /// What a right result of the workload is, whose inputs on the host are `arguments`: as in
  /// Call::arguments, the output null. Uses all cores. Null where there is no reference: results
  /// are then compared with that of `plainest`.
  virtual std::unique_ptr<Expectation> expect(const Workload& workload,
                                              std::span<const void* const> arguments) const = 0;

  /// The same for a problem without a reference: `result` is what `plainest` gave. Not asked where
  /// `expect` is never null.
  virtual std::unique_ptr<Expectation> expect_same(
      const Workload& /*workload*/,
      std::vector<std::byte> /*result*/) const {  // NOLINT(performance-unnecessary-value-param)
    return nullptr;
  }

  /// The configuration that others are compared with where there is no reference: the simplest, or
  /// else the untuned default.
  virtual Config plainest(const Workload& workload) const {
    return family().fallback(workload, /*multiprocessor_count=*/1);
  }

  /// Tries on the device what a user's own part of the problem promises, such as an operator whose
  /// order does not matter: `arguments` as in a call, on the device. Empty if nothing is wrong.
  /// Throws DeviceError, CompileError.
  virtual std::string find_promise_fault(Device& /*device*/, const CompileProgram& /*compile*/,
                                         const Workload& /*workload*/,
                                         std::span<void* const> /*arguments*/) const {
    return {};
  }

  /// Whether two calls on the same inputs have to give the same bits.
  virtual bool is_reproducible(const Problem& /*problem*/) const { return false; }

  /// The result of a call as text for people: "12345", "value 3 at index 17".
  virtual std::string format(const Problem& problem, std::span<const std::byte> result) const = 0;

 protected:
  ~Judge() = default;
};

/// The judge of a family, each of which has one (judges.cpp names them).
const Judge& judge_of(const Family& family);
inline const Judge& judge_of(const Problem& problem) { return judge_of(problem.family()); }

/// Lets a family of a test, or of a file, take part: its judge has to live as long as it is asked
/// for. Not while other threads ask.
void add_judge(const Judge& judge);

}  // namespace foldtune
