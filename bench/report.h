/// What the bench found out: figures by cell, under what they were taken, and what has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace foldtune::bench {

/// Names of contenders. Foldtune's have a configuration, the others are its peers.
inline constexpr std::string_view kTuned = "tuned";
inline constexpr std::string_view kUntuned = "untuned";
inline constexpr std::string_view kYardstick = "yardstick";  ///< tuned for just this cell
inline constexpr std::string_view kCub = "CUB";
inline constexpr std::string_view kCublas = "cuBLAS";
inline constexpr std::string_view kPyTorch = "PyTorch";
inline constexpr std::string_view kTorchCompile = "torch.compile";
inline constexpr std::string_view kCuPy = "CuPy";

/// In the order of the tables.
inline constexpr std::string_view kContenders[] = {kTuned,  kUntuned, kYardstick,    kCub,
                                                   kCublas, kPyTorch, kTorchCompile, kCuPy};

/// What contenders are compared in: a problem, timed in one manner.
struct Cell {
  std::string case_name;  ///< "sum i8 -> i32"
  std::string family;     ///< of the problem: "reduce"
  /// All fields of the problem, as the tuning database names them: "op": "sum", "type": "i8".
  std::map<std::string, std::string> problem;
  std::vector<std::string> inputs;  ///< their types
  std::string layout;               ///< of the inputs: "vector" or "element"
  std::string shape;                ///< as the tuning database has it: "4096", "1x1x64x1000"
  std::uint64_t count = 0;          ///< elements of each input
  std::uint64_t bytes = 0;          ///< of all inputs
  std::string manner;               ///< "graph", "hot", "stream" or "latency"

  /// Of the problem; empty if it has no such field.
  std::string_view field(const std::string& name) const;
  bool operator==(const Cell&) const = default;
};

/// Whether it is Foldtune, which has a configuration.
inline bool is_ours(std::string_view contender) {
  return contender == kTuned || contender == kUntuned || contender == kYardstick;
}

/// Whether the shape says more than the count: along some of an array's axes, of segments, and of
/// rows.
inline bool has_own_shape(const Cell& cell) { return cell.shape.find('x') != std::string::npos; }

/// Whether its inputs are at other addresses than the best. Where there is a shape, it says that.
inline bool is_misaligned(const Cell& cell) {
  return cell.layout == "element" && !has_own_shape(cell);
}

/// How much is computed: "2^20", "1000003", "1x1x64x1000".
std::string format_extent(const Cell& cell);

/// "sum f32 2^20", "sum f32 1000003 misaligned".
std::string describe(const Cell& cell);

/// "2^20" for a power of two, else "1000003".
std::string format_elements(std::uint64_t count);

/// What one contender took in a cell.
struct Figure {
  Cell cell;
  std::string contender;
  std::vector<double> samples_us;  ///< microseconds per call, in the order they were taken
  double median_us = 0;
  double mad_us = 0;     ///< median absolute deviation of the samples
  std::string config{};  ///< of Foldtune: the tunables as JSON
  std::string source{};  ///< of Foldtune: "exact", "near size", "default"
  double compile_s = 0;  ///< of torch.compile: seconds until its first result
  std::size_t run = 0;   ///< index of the run it is of

  double gbps() const { return static_cast<double>(cell.bytes) / median_us / 1e3; }
};

/// Why a contender that belongs to a cell has no figure in it.
struct Fault {
  Cell cell;
  std::string contender;
  bool is_wrong = false;  ///< it gave a wrong result, or failed; else it has nothing for the cell
  std::string reason;
  std::size_t run = 0;
};

/// Under what figures were taken: they mean nothing without it.
struct Run {
  std::string date;                               ///< UTC, ISO 8601
  std::string command;                            ///< as it was typed
  std::string device;                             ///< "NVIDIA H200"
  std::string architecture;                       ///< "sm_90"
  std::string driver;                             ///< "580.159"
  std::map<std::string, std::string> versions{};  ///< "CUB": "3.0.1"
  double read_bandwidth_gbps = 0;                 ///< 0: not measured
  std::map<std::string, double> launch_us{};      ///< of an empty kernel, by manner
  int rounds = 0;
  std::uint64_t seed = 0;
};

struct Report {
  std::vector<Run> runs;
  std::vector<Figure> figures;
  std::vector<Fault> faults;
  std::vector<Cell> not_run;  ///< for want of time
};

/// A cell with all who have a figure in it.
struct Row {
  const Cell* cell = nullptr;
  std::vector<const Figure*> figures;

  const Figure* find(std::string_view contender) const;  ///< null: it has none
  const Figure* best_peer() const;  ///< the fastest library; null: there is none
};

/// In the order of the cells' first figures. They refer to the report.
std::vector<Row> rows_of(const Report& report);

}  // namespace foldtune::bench
