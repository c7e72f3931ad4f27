/// Databases of many measurements that look like those of years, for what has to stay fast then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cache/config_store.h"

namespace foldtune::test {

/// Whose results a generated database holds.
struct Origin {
  DeviceRecord device;
  std::string compiler;
  bool has_old_kernels = false;
};

/// A dozen kinds of GPUs with their drivers and compilers over the years, the newest last, some
/// with the kernels of an older Foldtune.
std::vector<Origin> gpu_origins();

/// Writes a new database of `rows` measurements. A tuning takes an operation at nine sizes: mostly
/// 64 configurations of each, the best of them compared; some have all of them. Configurations are
/// those of the search's space, times those of its prior with noise, two of a hundred fail. Every
/// origin has about as many as another. The same arguments make the same rows, but for their times
/// of day.
void generate_database(const std::string& path, std::uint64_t rows,
                       const std::vector<Origin>& origins);

}  // namespace foldtune::test
