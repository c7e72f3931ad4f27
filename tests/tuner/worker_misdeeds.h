/// What configurations and programs do to the workers of the tests: their scripted device and
/// compiler are right about all but these.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/device/compiler.h"
#include "templates/reduce/params.cuh"
#include "templates/reduce/space.h"

namespace foldtune::test {

enum class Misdeed {
  // Of the process.
  aborts,
  segfaults,
  exits,               ///< with the status 3, and a last word on stderr
  is_killed,           ///< by SIGKILL
  sleeps_for_30_s,     ///< and would be right then
  hangs,               ///< for ever
  throws,              ///< an exception that no evaluator throws
  runs_out_of_memory,  ///< throws std::bad_alloc
  answers_garbage,
  answers_by_half,  ///< and hangs then
  // Of the device, which is scripted (fakes/fake_device.h).
  load_error,
  launch_error,
  run_error,
  lost,
  device_memory,
  wrong_result,
  // Not wrong.
  prints,  ///< to stdout and stderr, as a driver may
};

/// As many unrolls, and as many vector widths, as the params have.
inline constexpr int kCodeBase = 5;

/// A good configuration has another block size.
inline constexpr int kMisdeedBlockSize = 32;

/// The configuration that does it.
constexpr ReduceParams misdeed_params(Misdeed misdeed) {
  const int code = static_cast<int>(misdeed);
  return {.block_size = kMisdeedBlockSize,
          .vector_width = 1 << (code / kCodeBase),
          .unroll = 1 << (code % kCodeBase),
          .final_stage = FinalStage::polling};
}

constexpr std::optional<Misdeed> misdeed_of(const ReduceParams& params) {
  if (params.block_size != kMisdeedBlockSize) return std::nullopt;
  const auto log2 = [](int value) { return std::countr_zero(static_cast<unsigned>(value)); };
  return static_cast<Misdeed>(log2(params.vector_width) * kCodeBase + log2(params.unroll));
}

inline constexpr std::string_view kMisdeedSource = "misdeed ";

/// The program that does it.
inline Program misdeed_program(Misdeed misdeed) {
  return {.source = std::string(kMisdeedSource) + std::to_string(static_cast<int>(misdeed)),
          .name_expressions = {"kernel"}};
}

inline std::optional<Misdeed> misdeed_of(const Program& program) {
  if (!program.source.starts_with(kMisdeedSource)) return std::nullopt;
  return static_cast<Misdeed>(std::stoi(program.source.substr(kMisdeedSource.size())));
}

/// The source of a program that does not compile.
inline constexpr const char* kNoCode = "this is no code";

// Element counts whose problem cannot be made the current one.
inline constexpr std::size_t kCountThatAborts = 13;
inline constexpr std::size_t kCountThatDoesNotCompile = 14;
inline constexpr std::size_t kCountWithoutMemory = 15;
inline constexpr std::size_t kCountThatHangs = 16;
inline constexpr std::size_t kCountWhoseCodeHangs = 17;

}  // namespace foldtune::test
