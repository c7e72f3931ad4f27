#include <algorithm>
#include <optional>

#include "bench/check.h"
#include "foldtune/catalog.h"

namespace foldtune::bench {
namespace {

using enum Quantity;
using enum Over;
using enum Bound;

constexpr std::uint64_t operator""_GiB(unsigned long long value) { return value << 30; }

constexpr std::uint64_t power(int exponent) { return std::uint64_t{1} << exponent; }

bool is_between(std::uint64_t value, std::uint64_t least, std::uint64_t greatest) {
  return least <= value && value <= greatest;
}

std::size_t element_bytes(const Cell& cell) {
  const std::optional<ElementType> type = parse_element_type(cell.inputs.front());
  return type ? size_of(*type) : 0;
}

bool is_wide(const Cell& cell) { return element_bytes(cell) >= 4; }

bool is_narrow(const Cell& cell) { return !is_wide(cell); }

bool any(const Cell&) { return true; }

bool is_sum(const Cell& cell) { return cell.field("op") == "sum"; }

bool middle_f32_sum(const Cell& cell) {
  return is_sum(cell) && cell.field("type") == "f32" &&
         is_between(cell.count, power(13), power(22));
}

bool large_narrow_sum(const Cell& cell) {
  return is_sum(cell) && is_narrow(cell) && cell.count >= power(24);
}

bool is_histogram_of_bytes(const Cell& cell) {
  return cell.field("op") == "histogram" && cell.field("type") == "u8";
}

bool is_of_constant(const Cell& cell) { return cell.field("distribution") == "constant"; }

bool varied_histogram_28(const Cell& cell) {
  return is_histogram_of_bytes(cell) && !is_of_constant(cell) && cell.count == power(28);
}
bool varied_histogram_24(const Cell& cell) {
  return is_histogram_of_bytes(cell) && !is_of_constant(cell) && cell.count == power(24);
}
bool constant_histogram(const Cell& cell) {
  return is_histogram_of_bytes(cell) && is_of_constant(cell) && cell.count >= power(24);
}
bool histogram_20(const Cell& cell) {
  return is_histogram_of_bytes(cell) && cell.count == power(20);
}

bool blas_level_one(const Cell& cell) {
  const std::string_view op = cell.field("op");
  return op == "nrm2" || op == "asum" || op == "argabsmax";
}

bool up_to_20(const Cell& cell) { return cell.count <= power(20); }
bool above_20(const Cell& cell) { return cell.count > power(20); }

bool wide_of_1_gib(const Cell& cell) {
  return is_wide(cell) && is_between(cell.bytes, 1_GiB, 4_GiB - 1);
}
bool wide_of_4_gib(const Cell& cell) { return is_wide(cell) && cell.bytes >= 4_GiB; }
bool narrow_of_1_gib(const Cell& cell) { return is_narrow(cell) && cell.bytes >= 1_GiB; }

constexpr Threshold kThresholds[] = {
    {"best library, all cells", "graph", any, peer_over_tuned, geometric_mean, at_least, 1.25},
    {"best library, every cell", "graph", any, peer_over_tuned, each_cell, at_least, 0.98},
    {"f32 sum, 2^13 to 2^22", "graph", middle_f32_sum, peer_over_tuned, geometric_mean, at_least,
     1.28},
    {"f32 sum, 2^13 to 2^22, every cell", "graph", middle_f32_sum, peer_over_tuned, each_cell,
     at_least, 1.15},
    {"sums of 1 and 2 bytes, from 2^24", "graph", large_narrow_sum, cub_over_tuned, each_cell,
     at_least, 1.0},
    {"histogram of bytes, uniform and zipf, 2^28", "graph", varied_histogram_28, peer_over_tuned,
     each_cell, at_least, 1.5},
    {"histogram of bytes, uniform and zipf, 2^24", "graph", varied_histogram_24, peer_over_tuned,
     each_cell, at_least, 1.15},
    {"histogram of bytes, constant, from 2^24", "graph", constant_histogram, peer_over_tuned,
     each_cell, at_least, 1.05},
    {"histogram of bytes, 2^20", "graph", histogram_20, peer_over_tuned, each_cell, at_least, 1.0},
    {"nrm2, asum and argabsmax", "graph", blas_level_one, cublas_over_tuned, each_cell, at_least,
     1.5},
    {"back to back, every cell", "stream", any, peer_over_tuned, each_cell, at_least, 1.0},
    {"to the result, up to 2^20", "latency", up_to_20, tuned_over_cub, each_cell, at_most, 0.8},
    {"to the result, above 2^20", "latency", above_20, tuned_over_cub, each_cell, at_most, 1.0},
    {"GB/s of 4 and 8 bytes, 1 GiB", "graph", wide_of_1_gib, tuned_gbps, each_cell, at_least, 4500},
    {"GB/s of 4 and 8 bytes, from 4 GiB", "graph", wide_of_4_gib, tuned_gbps, each_cell, at_least,
     4600},
    {"GB/s of 1 and 2 bytes, from 1 GiB", "graph", narrow_of_1_gib, tuned_gbps, each_cell, at_least,
     4400},
    {"untuned, all cells", "graph", any, untuned_over_tuned, geometric_mean, at_most, 1.10},
    {"untuned, every cell", "graph", any, untuned_over_tuned, each_cell, at_most, 1.25},
};

}  // namespace

std::span<const Threshold> thresholds() { return kThresholds; }

}  // namespace foldtune::bench
