/// Exported files, read: first as a whole, to know whether it is one, then its measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cache/rows.h"
#include "tuner/exchange/exchange_parser.h"

namespace foldtune {

/// What a file holds but for its measurements.
struct ExchangeContents {
  /// By their ids in the file; without a measurement, or why none of it can be taken.
  std::map<std::int64_t, ResultRow> runs;
  std::string changed;  ///< which rows are not those that were exported; empty: none
};

/// Goes through the whole file. Throws FileError where it is no whole file of the format, or of
/// another version of it.
ExchangeContents read_contents(const ByteSource& source, std::string_view file);

struct ImportReport {
  std::size_t rows = 0;  ///< measurements in the file
  std::size_t refused = 0;
  std::vector<std::string> reasons;  ///< of the first kMostReasons of them: which, and why
};
inline constexpr std::size_t kMostReasons = 20;

/// Calls `take` with the measurements that can be, in the file's order and in parts of at most
/// Intake::kRowsAtATime. `contents` are those of the same file.
ImportReport import_rows(const ByteSource& source, std::string_view file,
                         const ExchangeContents& contents,
                         const std::function<void(const std::vector<ResultRow>&)>& take);

}  // namespace foldtune
