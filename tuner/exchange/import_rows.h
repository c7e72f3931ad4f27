/// Exported files, read: first as a whole, to know whether it is one, then its measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cache/result_row.h"
#include "tuner/exchange/exchange_parser.h"

namespace foldtune {

/// A run of the file with its device, or why no measurement of it can be taken.
struct ImportedRun {
  RunRecord record;
  std::string started_at;
  std::string fault;
};

/// What a file holds but for its measurements.
struct ExchangeContents {
  std::map<std::int64_t, ImportedRun> runs;  ///< by their ids in the file
  std::string changed;  ///< which rows are not those that were exported; empty: none
};

/// Goes through the whole file. Throws FileError where it is no whole file of the format, or of a
/// newer version of it.
ExchangeContents read_contents(const ByteSource& source, std::string_view file);

struct ImportReport {
  std::size_t rows = 0;  ///< measurements in the file
  std::size_t refused = 0;
  std::vector<std::string> reasons;  ///< of the first kMostReasons of them: which, and why
};
inline constexpr std::size_t kMostReasons = 20;

/// Calls `take` with the measurements that can be, in the file's order and in parts of at most
/// kRowsAtATime. `contents` are those of the same file.
ImportReport import_rows(const ByteSource& source, std::string_view file,
                         const ExchangeContents& contents,
                         const std::function<void(const std::vector<ResultRow>&)>& take);

/// A transaction's: writing them takes a tenth of a second, for which others wait.
inline constexpr std::size_t kRowsAtATime = 500;

}  // namespace foldtune
