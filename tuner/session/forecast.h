/// What a tuning would try, take and gain, as far as a store knows. Nothing is measured.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cache/config_store.h"
#include "tuner/session/tuner.h"

namespace foldtune {

/// The gain over the untuned default that earlier tunings found, by which the next may be judged.
struct KnownGain {
  double mean = 1;  ///< geometric
  double least = 1;
  double most = 1;
  std::size_t results = 0;
};

struct Forecast {
  std::size_t problems = 0;
  std::size_t done = 0;            ///< of them: tuned before with as much effort
  std::size_t pinned = 0;          ///< of them: programs use pinned results, whatever is tuned
  std::size_t configurations = 0;  ///< to try for the others, at most
  /// How long they take together by what earlier runs on the device took for each, in seconds;
  /// empty if there were none.
  std::optional<double> seconds{};
  std::size_t runs = 0;                 ///< that this was told from
  std::optional<KnownGain> of_these{};  ///< on the device, of the same problems and conditions
  std::optional<KnownGain> of_their_families{};  ///< the same of their families
};

/// For `options.workloads` on a device with a compiler. Throws StoreError.
Forecast forecast(const ConfigStore& store, const DeviceRecord& device, const std::string& compiler,
                  const TuneOptions& options);

}  // namespace foldtune
