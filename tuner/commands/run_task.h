/// What `foldtune run` computes of files, as far as one family alone knows it.
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
#include "tuner/commands/bin_options.h"
#include "tuner/commands/problem_options.h"
#include "tuner/files/input_array.h"

namespace foldtune {

/// Where a task runs. All outlive it.
struct RunPlace {
  Context& context;
  Device& device;
  const KernelSources& kernels;
  std::optional<std::chrono::seconds> limit;  ///< of what may not end, as CallLimit takes it
  std::vector<const void*> inputs;            ///< of the files, in the device's memory
  void* output;
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
};

/// What was asked for, with the type and the elements of the files.
struct RunRequest {
  ProblemOptions options;
  BinOptions bins;
  ElementType type;  ///< of the first file
  std::uint64_t count;
};

// Each throws InvalidArgument for what cannot be, FileError for files of its options.
std::unique_ptr<RunTask> make_reduction_task(const RunRequest& request);
std::unique_ptr<RunTask> make_histogram_task(const RunRequest& request);

/// That of the family. Throws InvalidArgument for one whose calls are made of more than files.
std::unique_ptr<RunTask> make_run_task(std::string_view family, const RunRequest& request);

/// A number of `type` as JSON. What JSON has no number for is a string: "inf", "-inf", "nan".
nlohmann::ordered_json number_json(ElementType type, const std::byte* number);

}  // namespace foldtune
