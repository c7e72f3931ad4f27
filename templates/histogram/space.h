/// The tunables of the family `histogram` on the host: its rules, and the shape of its grids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "templates/family.h"
#include "templates/histogram/params.cuh"
#include "templates/histogram/workload.h"

namespace foldtune {

const Family& histogram_family();

std::span<const Tunable> histogram_tunables();
Config to_config(const HistogramParams& params);
/// Throws std::logic_error for a configuration of another family.
HistogramParams histogram_params(const Config& config);

/// @{
/// What Family says of them.
bool is_valid(const HistogramWorkload& histogram, const HistogramParams& params);
bool is_searched(const HistogramWorkload& histogram, const HistogramParams& params);
HistogramParams canonical(const HistogramWorkload& histogram, HistogramParams params,
                          int multiprocessor_count);
HistogramParams default_histogram_params(const HistogramWorkload& histogram,
                                         int multiprocessor_count);
std::vector<HistogramParams> known_good_histogram_params(const HistogramWorkload& histogram);
double estimate_us(const HistogramWorkload& histogram, const DeviceFacts& device,
                   const HistogramParams& params);
/// @}

/// Elements that one block loads at a time.
std::uint64_t tile_elements(const HistogramParams& params);

/// Blocks of the grid for all rows, as far as there is work for them.
std::uint64_t resident_blocks(const HistogramParams& params, int multiprocessor_count);

/// Blocks that share a row of `count` elements, one of `rows`.
std::uint32_t grid_blocks(const HistogramParams& params, std::uint64_t count,
                          int multiprocessor_count, std::uint64_t rows = 1);

/// Rows that the grid counts at a time, at least 1.
std::uint32_t grid_rows(const HistogramParams& params, int multiprocessor_count,
                        std::uint64_t rows);

}  // namespace foldtune
