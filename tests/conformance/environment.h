/// What the conformance tests run on, and what they have done.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "tests/support/batch_compiler.h"
#include "tests/support/variants.h"

namespace foldtune::test {

struct Options {
  std::string device = "cpu";  ///< "cuda:N", "cpu"
  bool all = false;            ///< the whole space instead of a covering sample
  bool quick = false;          ///< a smaller sample, for slow builds
  std::string only;            ///< problems whose description holds this text
  bool sparse = false;         ///< few counts, for tools that watch each access
};

/// What was done for the problems of one description.
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

  /// What the tests so far have compiled.
  CompiledPrograms& programs() { return programs_; }

  /// Of the problems that are described so.
  Tally& tally(const std::string& description) { return tallies_[description]; }
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

/// Whether the options ask for the problems that are described so.
bool is_chosen(const std::string& description);

/// The reductions that the options ask for.
std::vector<Reduction> chosen_reductions();

/// Whether it is what an operator and one of a few types give when nothing else is asked for.
bool is_plain(const Reduction& reduction);

/// Whether it is the first reduction with a partial result of its size: what is right for all
/// configurations of these is so for those of the others.
bool is_representative(const Reduction& reduction);

/// The variants of the reduction that the options ask for.
std::vector<Variant> chosen_variants(const Reduction& reduction);

/// Ways to combine values, with small tiles, others for each reduction. Each can hold the total of
/// `reduction.count` elements.
std::vector<Variant> some_combinations(const Reduction& reduction);

}  // namespace foldtune::test
