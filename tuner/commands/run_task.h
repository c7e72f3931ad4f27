/// What `foldtune run` computes of files, as far as one family alone knows it: its options, its
/// help, and its results. runnable_families.cpp has the list.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foldtune/context.h"
#include "runtime/compile/kernel_cache.h"
#include "runtime/device/device.h"
#include "templates/family.h"
#include "tuner/commands/problem_options.h"
#include "tuner/files/input_array.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// Where a task runs. All outlive it.
struct RunPlace {
  Context& context;
  Device& device;
  const KernelSources& kernels;
  std::optional<std::chrono::seconds> limit;  ///< of what may not end, as CallLimit takes it
  std::vector<const void*> inputs;            ///< of the files, in the device's memory
  void* output;
  std::vector<std::string> files;  ///< all that are read
};

class RunTask {
 public:
  RunTask() = default;
  RunTask(const RunTask&) = delete;
  RunTask& operator=(const RunTask&) = delete;
  virtual ~RunTask() = default;

  virtual const Workload& workload() const = 0;
  /// Whether the result depends on which element is where.
  virtual bool needs_c_order() const = 0;
  /// Does what the first call would do, except the launch.
  virtual void prepare(const RunPlace& place) = 0;
  virtual void enqueue() const = 0;
  virtual Explanation explain() const = 0;

  // Of the bytes of the output. `shape` is that of the first file's array.
  virtual nlohmann::ordered_json json(std::span<const std::byte> result,
                                      const ArrayShape& shape) const = 0;
  virtual std::string text(std::span<const std::byte> result, const ArrayShape& shape) const = 0;
  /// What there is to say on stderr of such a result; empty if nothing.
  virtual std::string note(std::span<const std::byte> result) const = 0;
  /// Writes the result to the file that was asked for, if one was.
  virtual void save(std::span<const std::byte> /*result*/) {}
};

/// What was asked for, with the type and the elements of the files.
struct RunRequest {
  ProblemOptions options;
  ElementType type;  ///< of the first file
  std::uint64_t count;
  ArrayShape shape;                   ///< of the first file; of a raw one its count
  std::optional<std::string> output;  ///< a file for the results, of a family that has many
};

/// A family whose calls are files and what the options say. One object for each command line, which
/// holds what was typed for its options.
class RunnableFamily {
 public:
  RunnableFamily() = default;
  RunnableFamily(const RunnableFamily&) = delete;
  RunnableFamily& operator=(const RunnableFamily&) = delete;
  virtual ~RunnableFamily() = default;

  virtual const Family& family() const = 0;
  /// The field whose value the first file says, its elements' type.
  virtual std::string_view type_field() const = 0;

  /// Whether the result is an array, for which a file may be asked for.
  virtual bool has_many_results() const { return false; }

  // Options of its own, besides those of its fields. Most families have none.

  /// Adds them to the command line. This outlives its parsing.
  virtual void add_options(CLI::App& /*app*/) {}
  /// The first one that was given: "--range"; empty if there is none.
  virtual std::string first_given() const { return {}; }
  /// The files that they name.
  virtual std::vector<std::string> files() const { return {}; }

  // For the help, lines of up to 100 columns: a paragraph, and examples of command lines.
  virtual std::string_view help() const = 0;
  virtual std::string_view examples() const = 0;

  /// Throws InvalidArgument for what cannot be, FileError for files of its options.
  virtual std::unique_ptr<RunTask> make_task(const RunRequest& request) const = 0;
};

using RunnableFamilies = std::vector<std::unique_ptr<RunnableFamily>>;

/// All there are, in the order of their help.
RunnableFamilies make_runnable_families();

/// That of the family. Throws InvalidArgument for a family whose calls are made of more than files,
/// and for options of another family.
const RunnableFamily& require_runnable(const RunnableFamilies& families, const Family& family);

/// A number of `type` as JSON. What JSON has no number for is a string: "inf", "-inf", "nan".
nlohmann::ordered_json number_json(ElementType type, const std::byte* number);

}  // namespace foldtune
