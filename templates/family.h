/// What a family of kernels supplies, and nobody else knows: its problems, its tunables and which
/// of them go together, its programs and its launches. Families see neither CUDA nor the database.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foldtune/workload.h"
#include "templates/call.h"
#include "templates/config.h"
#include "templates/launch.h"
#include "templates/program.h"

namespace foldtune {

/// A workload with the tunables to compute it.
struct Variant {
  Workload workload;
  Config params;
};

/// What a prior may depend on besides the workload and the configuration.
struct DeviceFacts {
  int multiprocessor_count = 1;
  double peak_bytes_per_us = 0;  ///< of the memory, by its data sheet; 0 where it is unknown
};

/// What a launch may depend on besides the workload and the configuration.
struct KernelFacts {
  int multiprocessor_count = 1;
  /// Blocks of so many threads of the program's first kernel that the device holds at a time. Asks
  /// the driver.
  std::function<int(std::uint32_t threads)> resident_blocks;
};

/// How unlike two problems of a family are: Field::apart of all fields that they differ in.
double apart(const Problem& a, const Problem& b);

/// Immutable; lives until the program ends. Member functions may be called from several threads.
/// Those with a body here are right for a family of which nothing more is known.
class Family {
 public:
  /// As in the database and in JSON: "reduce".
  virtual std::string_view name() const = 0;
  /// The file that describes it, for other processes to load it; empty for those of the tree.
  virtual std::string_view path() const { return {}; }
  /// All files that it was read from.
  virtual std::vector<std::string> files() const { return {}; }

  // Problems

  /// At most Problem::kMaxFields, in the order of their keys, each with its place.
  virtual std::span<const Field> fields() const = 0;
  /// Sets what was not said and follows from the rest. Every problem is completed before it is
  /// anything else's.
  virtual void complete(Problem& /*problem*/) const {}
  /// Empty if the problem can be computed, else what is wrong with it.
  virtual std::string find_fault(const Problem& /*problem*/) const { return {}; }
  /// For people, without the shape: "variance f32 to f64 (ddof 1)".
  virtual std::string describe(const Problem& problem) const = 0;
  /// The value of a field as text, and its inverse, which is false for what there is not. Labels
  /// and integers, unless a family knows more.
  virtual std::string text(const Problem& problem, const Field& field) const;
  virtual bool parse(Problem& problem, const Field& field, std::string_view text) const;

  // Shapes

  /// The names of the extents, from 1 to Shape::kMaxExtents: {"n"}.
  virtual std::span<const std::string_view> extents() const = 0;
  /// How many of the first extents texts leave out where they are 1: with one of {"rows", "n"},
  /// "4096" is the shape 1x4096. In buckets they are 0 for 1, and for nothing larger.
  virtual std::size_t optional_extents() const { return 0; }
  /// Empty if the problem has a result for the shape, else what is wrong with it.
  virtual std::string find_fault(const Problem& problem, const Shape& shape) const = 0;
  /// What the shape's results are kept and looked up under: the size class of each extent.
  virtual Bucket bucket(const Shape& shape) const;
  /// No extent of a shape of the bucket is larger than its, or smaller.
  virtual Shape max_shape(const Bucket& bucket) const;
  virtual Shape min_shape(const Bucket& bucket) const;  ///< the same; no extent is 0
  /// How far apart two buckets are, 0 for the same; empty: too far for the one's results to be of
  /// use to the other. The largest difference of a size class, up to an octave.
  virtual std::optional<int> distance(const Bucket& a, const Bucket& b) const;

  /// Whether shapes are also said as an array's extents and the axes that are reduced.
  virtual bool has_axes() const { return false; }
  /// The shape of calls on arrays of these extents in C order that are reduced along these axes,
  /// which count from the end if they are negative; of a family that has axes. If it cannot be,
  /// `fault` says why.
  virtual Shape merged_shape(const Problem& /*problem*/, std::span<const std::uint64_t> /*extents*/,
                             std::span<const int> /*axes*/, std::string& fault) const {
    fault = "the family has no axes";
    return {};
  }

  // Calls

  /// The names of the layouts, at least one; the first is that of the best addresses. Where all
  /// addresses are alike: {"any"}.
  virtual std::span<const std::string_view> layouts() const;
  /// The layout of a call, from its addresses. Of the hot path.
  virtual int layout(const Problem& /*problem*/, const Call& /*call*/) const { return 0; }
  /// Whether kernels for the layout are right for the call: those for its own are, and those that
  /// rely on less.
  virtual bool serves(int layout, const Problem& problem, const Call& call) const {
    return this->layout(problem, call) == layout;
  }
  /// What calls take, in order: at most Call::kMaxArguments, one output among them.
  virtual std::vector<Argument> arguments(const Problem& problem) const = 0;
  /// The elements of an argument that is an array, by its place.
  virtual std::uint64_t elements(const Problem& problem, std::size_t argument,
                                 const Shape& shape) const = 0;
  /// Whether a call may have this shape: whether there is a result of no elements, for example.
  /// Empty if so, else what is wrong.
  virtual std::string find_call_fault(const Problem& problem, const Shape& shape) const {
    return find_fault(problem, shape);
  }

  // Configurations

  /// At most Config::kMaxTunables. Those that shape the launch alone, so that configurations which
  /// differ in them have one program, come last.
  virtual std::span<const Tunable> tunables() const = 0;
  /// Whether values that are each allowed are so together, for the problem and its promises.
  virtual bool is_valid(const Workload& /*workload*/, const Config& /*config*/) const {
    return true;
  }
  /// Whether a search tries a valid configuration whose values are all searched: not if it is known
  /// to be slow for the workload's shape.
  virtual bool is_searched(const Workload& /*workload*/, const Config& /*config*/) const {
    return true;
  }
  /// Of all configurations that launch the same work for the workload's shape, the one that stands
  /// for them.
  virtual Config canonical(const Workload& /*workload*/, const Config& config,
                           int /*multiprocessor_count*/) const {
    return config;
  }
  /// The configuration that is used where nothing was tuned: of the tunables' fallbacks, unless the
  /// family knows better. It is valid for the workload.
  virtual Config fallback(const Workload& /*workload*/, int /*multiprocessor_count*/) const {
    return Config(*this);
  }
  /// Configurations that are known to be good somewhere: a search tries them first.
  virtual std::vector<Config> known_good(const Workload& /*workload*/) const { return {}; }
  /// Whether what is good for one problem is so for the other, at the same shape: then what was
  /// tuned for the one is what the other has untuned. Those that differ in nothing that sets them
  /// apart, unless a family knows more of what its configurations depend on.
  virtual bool is_alike(const Problem& a, const Problem& b) const { return apart(a, b) == 0; }
  /// A configuration that was good for another workload of the family, as it may suit this one.
  virtual Config adapted(const Config& config, const Workload& /*from*/,
                         const Workload& /*to*/) const {
    return config;
  }

  /// A guess of the microseconds of a call. The order of configurations is what it is good for, and
  /// how far apart they are: a factor that is the same for all makes no difference to a search.
  virtual double estimate_us(const Workload& /*workload*/, const DeviceFacts& /*device*/,
                             const Config& /*config*/) const {
    return 1;
  }

  // Programs

  /// Whether a call stores each word of its result once, so that the host may take what it sees.
  virtual bool stores_result_once(const Config& /*config*/) const { return false; }

  /// What the fingerprint of the problem's kernels follows: the lines with which its programs
  /// begin, which include the family's kernels and the problem's operator, and for a family from a
  /// file all of its text. They are the same for all problems with the same sources.
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

/// Lets a family take part that is none of the tree's: one of a file, or of a test. For the
/// beginning of a program, while it has one thread: nothing locks the list, and what `families()`
/// gave before is no longer valid. Throws std::logic_error for a name that there is, and for more
/// fields, extents or tunables than there may be.
void add_family(const Family& family);

/// Null for an unknown name.
const Family* find_family(std::string_view name);

/// Whether every field of several names has one of them, or none yet: tables are looked up by them,
/// and other languages cast numbers to enumerators.
bool has_known_labels(const Problem& problem);

/// A workload that reads so many bytes of memory and does little else: its calls measure what the
/// memory delivers, and flush caches. The bytes are a multiple of 4.
Workload reading_workload(std::uint64_t bytes);

/// Whether a count alone is a shape.
inline bool takes_count(const Family& family) {
  return family.extents().size() == family.optional_extents() + 1;
}

/// The shape that the count is, of a family that takes one: optional extents are 1.
Shape shape_of_count(const Family& family, std::uint64_t count);

/// The first extent that the text of the shape has: those before it are optional, and 1.
std::size_t first_extent(const Family& family, const Shape& shape);

/// "--n 4096", "--shape 4096x100": the shape as an option.
std::string shape_option(const Family& family, const Shape& shape);

/// "n = 4096", "rows x columns = 4096x100": the text of a shape with the names of its extents.
std::string describe_shape(const Family& family, std::string_view shape);

/// Bytes of all input arrays of a call but tables: what it has to read.
std::uint64_t input_bytes(const Workload& workload);

/// The layout of calls of the shape whose arrays are at the best addresses, and have no gaps.
int usual_layout(const Problem& problem, const Shape& shape);

/// The place of the output among the arguments of the problem.
std::size_t output_place(const Problem& problem);

/// Bytes of the output of a call.
std::size_t output_bytes(const Workload& workload);

/// The bucket of the workload's shape.
inline Bucket bucket_of(const Workload& workload) {
  return workload.problem.family().bucket(workload.shape);
}

/// Family::include_lines of the problem's family.
inline std::string include_lines(const Problem& problem) {
  return problem.family().include_lines(problem);
}

/// Family::stores_result_once of the configuration's family.
inline bool stores_result_once(const Config& config) {
  return config.family().stores_result_once(config);
}

/// Whether indices of this extent take 64 bits. It is a matter of the size class, so that one
/// program serves all extents of a class.
bool takes_64_bits(std::uint64_t extent);

/// The program of a variant. It depends on the problem, the layout, the bucket of the shape and the
/// tunables that the kernel sees, not on the grid: equal programs are compiled once.
Program make_program(const Variant& variant);

}  // namespace foldtune
