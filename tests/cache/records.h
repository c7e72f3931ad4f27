/// The records that the tests of the stores speak in. Each differs from a plain one in what its
/// name says.
#pragma once

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache/config_store.h"
#include "cache/store_error.h"

namespace foldtune::test {

inline DeviceRecord device(const std::string& name = "NVIDIA H200") {
  return {.kind = "cuda",
          .name = name,
          .architecture = "sm_90",
          .multiprocessor_count = 132,
          .memory_bytes = 150'110'011'392,
          .memory_clock_khz = 3'201'000,
          .memory_bus_bits = 6144,
          .l2_bytes = 62'914'560,
          .driver = "580.95.05"};
}

inline RunRecord run_on(const DeviceRecord& device) {
  return {.device = device,
          .compiler = "nvrtc 13.0",
          .foldtune_version = "0.1.0",
          .command = "foldtune tune --op sum",
          .seed = 18'446'744'073'709'551'615U,
          .read_bandwidth_gbps = 4000};
}

inline ProblemKey sum_of_size(int size_class) {
  return {.family = "reduce",
          .problem = "op=sum type=f32",
          .layout = "vector",
          .bucket = std::to_string(size_class)};
}

/// As a family of one extent has it: the difference from a size class, up to 2.
inline BucketDistance distance_from(int size_class) {
  return [size_class](std::string_view bucket) -> std::optional<int> {
    int other = 0;
    const char* const end = bucket.data() + bucket.size();
    const auto [next, error] = std::from_chars(bucket.data(), end, other);
    const int distance = std::abs(other - size_class);
    if (error != std::errc() || next != end || distance > 2) return std::nullopt;
    return distance;
  };
}

/// Of the kernels that the records are of.
inline constexpr const char* kTemplates = "templates-1";

/// What was chosen first: look-ups find it.
inline constexpr int kChosen = 2;

/// A success; `params` says which one it is.
inline MeasurementRecord success(int size_class, const std::string& params, double median_us,
                                 int round = kChosen) {
  return {.problem = sum_of_size(size_class),
          .template_fingerprint = kTemplates,
          .shape = std::to_string(std::uint64_t{1} << size_class),
          .bytes = std::uint64_t{4} << size_class,
          .params = params,
          .round = round,
          .failure = "",
          .samples_us = {median_us},
          .median_us = median_us};
}

inline TuningKey key_of_size(int size_class) {
  return tuning_key(run_on(device()), success(size_class, "{}", 1));
}

/// The same with other kernels.
inline MeasurementRecord with_templates(const std::string& fingerprint, MeasurementRecord m) {
  m.template_fingerprint = fingerprint;
  return m;
}

inline MeasurementRecord failure(int size_class, const std::string& params, Outcome outcome) {
  MeasurementRecord measurement = success(size_class, params, 0, /*round=*/0);
  measurement.outcome = outcome;
  measurement.failure = "because";
  measurement.samples_us.clear();
  return measurement;
}

inline std::optional<Match> find(const ConfigStore& store, const TuningKey& key) {
  return store.find(key, distance_from(std::stoi(key.problem.bucket)));
}

/// The params that `find` gives, or "nothing".
inline std::string found_params(const ConfigStore& store, const TuningKey& key) {
  const auto match = find(store, key);
  return match ? match->params : "nothing";
}

/// What the `StoreError` says that `work` throws; "no error" if it throws none.
template <typename Work>
std::string error_of(Work work) {
  try {
    work();
  } catch (const StoreError& error) {
    return error.what();
  }
  return "no error";
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace foldtune::test
