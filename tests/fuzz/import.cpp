// What `foldtune import` reads: any file is refused, or its rows can be stored, and are the same
// when they are written and read again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cache/record_check.h"
#include "templates/fingerprint.h"
#include "tuner/exchange/import_rows.h"
#include "tuner/exchange/row_json.h"
#include "tuner/exchange/row_rules.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

ByteSource source_of(std::string_view bytes) {
  return [rest = bytes](char* place, std::size_t most) mutable {
    const std::size_t size = std::min(most, rest.size());
    std::memcpy(place, rest.data(), size);
    rest.remove_prefix(size);
    return size;
  };
}

nlohmann::json as_read(const nlohmann::ordered_json& row) {
  return nlohmann::json::parse(row.dump());
}

void check_row(const ResultRow& row) {
  require(reason_to_refuse(row).empty());
  StoredResult again;
  read_run(as_read(run_to_json(row.result)), again);
  read_measurement(as_read(measurement_to_json(row.result)), again);
  require(again.run == row.result.run && again.started_at == row.result.started_at);
  require(again.measurement == checked(row.result.measurement));
  require(again.measured_at == row.result.measured_at);
  // Whatever the kernels are that the file names, these ones' rules are gone through.
  StoredResult of_these = row.result;
  of_these.measurement.template_fingerprint = kernel_fingerprints().front();
  (void)fault_of_measurement(of_these);
}

void import(std::string_view bytes) {
  try {
    const ExchangeContents contents = read_contents(source_of(bytes), "file");
    std::size_t taken = 0;
    const ImportReport report =
        import_rows(source_of(bytes), "file", contents, [&](const std::vector<ResultRow>& rows) {
          for (const ResultRow& row : rows) check_row(row);
          taken += rows.size();
        });
    require(report.rows == taken + report.refused);
    require(report.reasons.size() == std::min(report.refused, kMostReasons));
  } catch (const FileError&) {  // refused as a whole
  }
}

}  // namespace
}  // namespace foldtune

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  foldtune::import({reinterpret_cast<const char*>(data), size});
  return 0;
}
