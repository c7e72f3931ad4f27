/// What the conformance tests run on, and what they have done.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "foldtune/problem.h"
#include "runtime/device/device.h"
#include "tests/support/batch_compiler.h"
#include "tests/support/variants.h"

namespace foldtune::test {

struct Options {
  std::string device = "cpu";  ///< "cuda:N", "cpu"
  bool all = false;            ///< the whole space instead of a covering sample
  bool quick = false;          ///< a smaller sample, for slow builds
  std::string only;            ///< problems whose description holds this text
};

/// What was done for one operator, type and accumulator.
struct Tally {
  std::uint64_t programs = 0;  ///< compiled
  std::uint64_t variants = 0;  ///< loaded and launched
  std::uint64_t cases = 0;     ///< variant x count x alignment
  std::uint64_t calls = 0;     ///< results compared
  double seconds = 0;
};

/// One per process, made by `main`.
class Environment {
 public:
  /// Opens the device and its compiler. Throws InvalidArgument, Unavailable.
  explicit Environment(const Options& options);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();

  static Environment& get();

  const Options& options() const { return options_; }
  Device& device() { return *device_; }
  bool is_cuda() const;
  std::uint64_t memory_bytes() const;  ///< of the device

  Toolkit toolkit() const;

  /// What the tests so far have compiled.
  CompiledPrograms& programs() { return programs_; }

  Tally& tally(const Problem& problem);
  /// Results compared so far.
  std::uint64_t calls() const;
  /// A table, one row per tally.
  std::string report() const;

 private:
  Options options_;
  std::unique_ptr<Device> device_;
  CompiledPrograms programs_;
  std::map<std::string, Tally> tallies_;
};

/// Whether the options ask for the problem.
bool is_chosen(const Problem& problem);

/// The problems that the options ask for.
std::vector<Problem> chosen_problems();

/// Whether it is the first problem with a partial result of its size: what is right for all
/// configurations of these is so for those of the others.
bool is_representative(const Problem& problem);

/// The variants of `problem` that the options ask for.
std::vector<Variant> chosen_variants(const Problem& problem);

/// Ways to combine values, with small tiles and the widest vectors: what is combined does not
/// depend on the rest. Each can hold the total of `problem.count` elements.
std::vector<Variant> some_combinations(const Problem& problem);

}  // namespace foldtune::test
