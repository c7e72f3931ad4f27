#include "cache/merge.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cache/read_rows.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

void require_two_files(const std::string& into, const std::string& from) {
  std::error_code ignored;  // A file that is not there is no other's.
  if (std::filesystem::equivalent(into, from, ignored)) {
    throw StoreError(fmt::format(
        "cannot merge the tuning database {} into {}: they are the same file; name another source",
        from, into));
  }
}

}  // namespace

MergeReport merge_database(const std::string& into, const std::string& from) {
  require_two_files(into, from);
  MergeReport report;
  std::optional<Intake> target;  // Where the source cannot be read, none is made.
  std::size_t rows = 0;
  read_rows(from, RowSet::all, [&](const EachRow& each) {
    if (!target) target.emplace(into);
    report.refused.clear();
    rows = 0;
    std::vector<ResultRow> part;
    each([&](const ResultRow& row) {
      if (const std::string reason = reason_to_refuse(row); !reason.empty()) {
        report.refused.push_back(
            fmt::format("measurement {}: {}", row.result.measurement_id, reason));
        return;
      }
      ++rows;
      part.push_back(row);
      if (part.size() == Intake::kRowsAtATime) target->add(std::exchange(part, {}));
    });
    target->add(part);
  });
  report.taken = target->report();
  report.taken.known = rows - report.taken.added;  // The source may have been gone through twice.
  return report;
}

}  // namespace foldtune
