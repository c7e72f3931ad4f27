/// A small database to be shipped with a program: what was chosen for some problems, and every
/// kernel that they are run with, whatever the shape and the layout.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/workload.h"

namespace foldtune {

/// Where a bundle is made of.
struct BundleSource {
  std::string database;
  /// Which of the best results are taken, among those of GPUs and of the present kernel sources.
  std::function<bool(const StoredResult&)> is_wanted;
  int threads = 0;  ///< that compile; 0: one per core
};

struct BundleReport {
  std::size_t results = 0;
  std::size_t imported = 0;  ///< of the results
  std::size_t devices = 0;
  std::size_t kernels = 0;
  std::size_t compiled = 0;             ///< of the kernels, those that the database had not
  std::vector<std::string> left_out{};  ///< a line for each result or kernel, and why
};

/// Writes the bundle to the new file `path`. Of results for one problem on one GPU with several
/// drivers and compilers what was measured here goes before what was imported, and then the newest.
/// Kernels are those that the database keeps, as they were tuned, else compiled by NVRTC, each for
/// the GPU's architecture; no GPU is needed. For shapes that nothing was tuned near, the untuned
/// default's kernels are in it. Throws StoreError, and Unavailable where something is to be
/// compiled without NVRTC.
BundleReport write_bundle(const BundleSource& source, const std::string& path);

/// The buckets whose kernels a bundle has, with results of the buckets `stored`: of one extent all,
/// of several those that a look-up finds one of these results for.
std::vector<Bucket> bundled_buckets(const Family& family, const std::vector<Bucket>& stored);

}  // namespace foldtune
