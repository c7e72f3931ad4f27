/// What a family of kernels supplies, and nobody else knows: its tunables, which of them go
/// together, its programs and its launches. Families see neither CUDA nor the database.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foldtune/problem.h"
#include "templates/config.h"
#include "templates/launch.h"
#include "templates/program.h"

namespace foldtune {

/// What tells problems of a family apart, besides the operator, the types of its elements and of
/// its partial results, and the promises that every family makes.
struct Field {
  std::string_view name;  ///< as in the key of stored results: "ddof"
  /// The value as text; empty where it is what it is if nothing is said.
  std::string (*get)(const Problem& problem);
  /// Takes the inverse of `get`; false if there is no such value.
  bool (*set)(Problem& problem, std::string_view text);
};

/// A problem with the tunables to solve it.
struct Variant {
  Problem problem;
  Config params;
};

/// What a prior may depend on besides the problem and the configuration.
struct DeviceFacts {
  int multiprocessor_count = 1;
  double peak_bytes_per_us = 0;  ///< of the memory, by its data sheet; 0 where it is unknown
};

/// What a launch may depend on besides the problem and the configuration.
struct KernelFacts {
  int multiprocessor_count = 1;
  /// Blocks of so many threads of the program's first kernel that the device holds at a time. Asks
  /// the driver.
  std::function<int(std::uint32_t threads)> resident_blocks;
};

/// Stateless, with static storage. Member functions may be called from several threads.
class Family {
 public:
  /// As in the database and in JSON: "reduce".
  virtual std::string_view name() const = 0;
  virtual std::span<const Field> fields() const = 0;
  /// At most Config::kMaxTunables. Those that shape the launch alone, so that configurations which
  /// differ in them have one program, come last.
  virtual std::span<const Tunable> tunables() const = 0;

  /// Whether values that are each allowed are so together, for the problem and its promises.
  virtual bool is_valid(const Problem& problem, const Config& config) const = 0;
  /// Whether a search tries a valid configuration whose values are all searched: not if it is known
  /// to be slow for the problem's count.
  virtual bool is_searched(const Problem& problem, const Config& config) const = 0;
  /// Of all configurations that launch the same work for the problem's count, the one that stands
  /// for them.
  virtual Config canonical(const Problem& problem, const Config& config,
                           int multiprocessor_count) const = 0;
  /// The configuration that is used where nothing was tuned.
  virtual Config fallback(const Problem& problem, int multiprocessor_count) const = 0;
  /// Configurations that are known to be good somewhere: a search tries them first.
  virtual std::vector<Config> known_good(const Problem& problem) const = 0;
  /// A configuration that was good for another problem of the family, as it may suit this one.
  virtual Config adapted(const Config& config, const Problem& from, const Problem& to) const = 0;

  /// A guess of the microseconds of a call. The order of configurations is what it is good for, and
  /// how far apart they are: a factor that is the same for all makes no difference to a search.
  virtual double estimate_us(const Problem& problem, const DeviceFacts& device,
                             const Config& config) const = 0;

  /// Whether a call stores each word of its result once, so that the host may take what it sees.
  virtual bool stores_result_once(const Config& config) const = 0;

  /// The lines with which every program of the problem begins: they include the family's kernels
  /// and the problem's operator. They are the same for all problems with the same sources.
  virtual std::string include_lines(const Problem& problem) const = 0;
  /// Those of all its problems, each once.
  virtual std::vector<std::string> all_include_lines() const = 0;

  /// The program's first kernel is the one whose resources are reported.
  virtual Program program(const Variant& variant) const = 0;
  virtual std::unique_ptr<Launcher> launcher(const Variant& variant,
                                             const KernelFacts& facts) const = 0;

 protected:
  ~Family() = default;
};

/// All families, in the order in which they are listed to people.
std::span<const Family* const> families();

/// Null for an unknown name.
const Family* find_family(std::string_view name);

const Family& family_of(const Problem& problem);

/// The fields that are not what they are if nothing is said: "bins=256,binning=key".
std::string field_text(const Problem& problem);

/// Takes the inverse of `field_text`, for the problem's family; false for what it does not know.
bool set_fields(Problem& problem, std::string_view text);

/// Family::include_lines of the problem's family.
inline std::string include_lines(const Problem& problem) {
  return family_of(problem).include_lines(problem);
}

/// Family::stores_result_once of the configuration's family.
inline bool stores_result_once(const Config& config) {
  return config.family().stores_result_once(config);
}

/// Whether the kernel of a variant counts in 64 bits. It is a matter of the size class, so that one
/// program serves all counts of a class.
bool counts_in_64_bits(const Variant& variant);

/// The program of a variant. It depends on the types, the operator, the alignment class, the width
/// of indices and the tunables that the kernel sees, not on the count or the grid: equal programs
/// are compiled once.
Program make_program(const Variant& variant);

}  // namespace foldtune
