/// A landscape: what every configuration of one problem costs on one device, in a text file that
/// can be read, compared and replayed without the device.
///
/// The file is a JSON object, a field per line, and then a line per configuration: the values of
/// the tunables in the order of the field "tunables", the median and its deviation in microseconds,
/// or in their place the name of what went wrong. Values of a tunable that has labels are places in
/// its list of labels, counted from 0.
///
///     {
///     "foldtune_landscape": 1,
///     "device": {"kind": "cuda", "name": "NVIDIA H200", ...},
///     ...
///     "tunables": ["block_size", "vector_width", ..., "final_stage", "waves"],
///     "labels": {"final_stage": ["atomic", "two_pass", "last_block", "polling", "cluster"], ...}
///     }
///     32 1 1 0 0 1 0 12.345 0.012
///     32 1 1 0 0 2 0 wrong_result
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/problem.h"
#include "templates/space.h"

namespace foldtune {

/// What came of one configuration.
struct LandscapePoint {
  Params params;
  Outcome outcome = Outcome::ok;
  double median_us = 0;  ///< 0 unless the outcome is ok
  double mad_us = 0;     ///< median absolute deviation of the samples; 0: not known
};

struct Landscape {
  DeviceRecord device;
  std::string compiler;              ///< "nvrtc 13.0"
  std::string template_fingerprint;  ///< of the kernels that were measured
  double read_bandwidth_gbps = 0;    ///< of the device, in 10^9 bytes per second; 0: not known
  double compile_ms = 0;             ///< median over the configurations; 0: not known
  Problem problem;
  std::vector<LandscapePoint> points;  ///< in the order of the space, each configuration once
};

/// The landscape of `problem` from the records of a run that tried every configuration. Records of
/// other problems or counts are left out; of several records of a configuration the last one of the
/// lowest round counts, since rounds are timed in different ways. Throws InvalidArgument for a
/// custom operator, whose expressions no landscape holds, and where no record is left.
Landscape make_landscape(const RunRecord& run, const Problem& problem,
                         const std::vector<MeasurementRecord>& records);

/// "sum_f32_16777216.landscape", "histogram_u8_256-key-zipf_1048576.landscape": a different name
/// for every problem of a device.
std::string landscape_file_name(const Problem& problem);

std::string to_text(const Landscape& landscape);

/// The inverse of `to_text`. `file` is the name for errors: FileError, with the line.
Landscape parse_landscape(std::string_view text, const std::string& file);

/// Writes the file, and its folders where they are missing. Readers see the whole of it, or what
/// was there before. Throws FileError.
void write_landscape(const std::filesystem::path& path, const Landscape& landscape);

/// Throws FileError.
Landscape read_landscape(const std::filesystem::path& path);

/// All `*.landscape` files of a folder, in the order of their names. Throws FileError, also where
/// there are none.
std::vector<Landscape> read_landscapes(const std::filesystem::path& folder);

/// The cheapest point that did not fail; null if all failed.
const LandscapePoint* find_optimum(const Landscape& landscape);

}  // namespace foldtune
