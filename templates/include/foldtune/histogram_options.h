/// What kind of histogram is made: foldtune/histogram.h makes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "foldtune/catalog.h"
#include "foldtune/export.h"

namespace foldtune {

/// How a histogram finds an element's bin.
enum class Binning {
  even,    ///< `bins` ranges of the same width between a lower and an upper bound
  custom,  ///< between `bins` + 1 ascending edges
  key,     ///< the element itself is the bin's number: 8-bit keys, 256 bins
};

/// What the elements of a histogram look like, for the tuner: it decides how many fall into the
/// same bin at the same time.
enum class Distribution {
  uniform,   ///< spread over all bins alike
  zipf,      ///< of 256 parts of the range, that of rank r has a share like 1 / r
  constant,  ///< all in one bin
};

/// @{
/// As those of the catalogue.
FOLDTUNE_API std::string_view name(Binning binning);
FOLDTUNE_API std::string_view name(Distribution distribution);
FOLDTUNE_API std::optional<Binning> parse_binning(std::string_view text);
FOLDTUNE_API std::optional<Distribution> parse_distribution(std::string_view text);
/// @}

/// The most bins of a histogram.
inline constexpr std::uint32_t kMaxBins = 1 << 20;

/// A histogram. The bounds or edges come with each call.
struct HistogramOptions {
  ElementType type = ElementType::f32;     ///< of the elements
  std::uint32_t bins = 256;                ///< from 2 to kMaxBins; 256 with Binning::key
  Binning binning = Binning::even;         ///< how an element finds its bin
  ElementType counter = ElementType::u64;  ///< of the counts: u64, or u32, which wrap
  /// What the elements are expected to look like: chooses among tuning results, changes no count.
  Distribution distribution = Distribution::uniform;
};

}  // namespace foldtune
