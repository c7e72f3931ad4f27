#include "tuner/exchange/export_rows.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "cache/record_check.h"
#include "tuner/exchange/exchange_parser.h"
#include "tuner/exchange/list_hash.h"
#include "tuner/exchange/row_json.h"

namespace foldtune {
namespace {

/// The file from its first line to its last, with a row per line.
class FileWriter {
 public:
  explicit FileWriter(OutputFile& output) : output_(output) {
    output_.restart();
    output_.write(
        fmt::format("{{\n\"format\": \"{}\",\n\"version\": {},\n\"foldtune_version\": \"{}\",\n"
                    "\"exported_at\": \"{}\",\n",
                    kExchangeFormat, kExchangeVersion, FOLDTUNE_VERSION, utc_now()));
  }

  void begin_list(ExchangeList list) {
    hash_ = &hashes_[static_cast<std::size_t>(list)];
    output_.write(fmt::format("\"{}\": [", name(list)));
    separator_ = "\n";
  }

  template <class Row>
  void add(const Row& row) {
    const nlohmann::ordered_json json = to_json(row);
    hash_->add(nlohmann::json(json));
    output_.write(separator_);
    output_.write(json.dump());
    separator_ = ",\n";
  }

  void end_list() { output_.write("\n],\n"); }

  void finish() {
    nlohmann::ordered_json hashes;
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
      hashes[std::string(kExchangeListNames[i])] = hashes_[i].text();
    }
    output_.write(fmt::format("\"hashes\": {}\n}}\n", hashes.dump()));
  }

 private:
  static std::string_view name(ExchangeList list) {
    return kExchangeListNames[static_cast<std::size_t>(list)];
  }

  OutputFile& output_;
  std::array<ListHash, kExchangeListNames.size()> hashes_;
  ListHash* hash_ = nullptr;
  std::string_view separator_;
};

/// What the measurements refer to.
struct Origins {
  std::map<std::string, DeviceRow> devices;
  std::map<std::int64_t, RunRow> runs;
};

RunRow make_run_row(const ResultRow& row) {
  RunRow run{.id = row.run_id,
             .device_fingerprint = row.device_fingerprint,
             .record = row.result.run,
             .started_at = row.started_at};
  run.record.device = {};
  return run;
}

Origins find_origins(const EachRow& each_wanted) {
  Origins origins;
  each_wanted([&](const ResultRow& row) {
    if (origins.runs.contains(row.run_id)) return;
    origins.runs.emplace(row.run_id, make_run_row(row));
    origins.devices.try_emplace(row.device_fingerprint,
                                DeviceRow{row.device_fingerprint, row.result.run.device});
  });
  return origins;
}

ExportReport write_file(OutputFile& output, const EachRow& each_wanted) {
  const Origins origins = find_origins(each_wanted);
  ExportReport report;
  report.runs = origins.runs.size();
  report.devices = origins.devices.size();
  FileWriter writer(output);
  writer.begin_list(ExchangeList::devices);
  for (const auto& [fingerprint, device] : origins.devices) writer.add(device);
  writer.end_list();
  writer.begin_list(ExchangeList::runs);
  for (const auto& [id, run] : origins.runs) writer.add(run);
  writer.end_list();
  writer.begin_list(ExchangeList::measurements);
  each_wanted([&](const ResultRow& row) {
    writer.add(MeasurementRow{row.run_id, row.result.measured_at, row.result.measurement});
    ++report.measurements;
  });
  writer.end_list();
  writer.finish();
  return report;
}

}  // namespace

ExportReport export_rows(const std::string& path, RowSet rows,
                         const std::function<bool(const StoredResult&)>& is_wanted,
                         OutputFile& output) {
  ExportReport report;
  read_rows(path, rows, [&](const EachRow& each) {
    std::set<std::string> left_out;  // Rows are gone through twice.
    report = write_file(output, [&](const std::function<void(const ResultRow&)>& visit) {
      each([&](const ResultRow& row) {
        if (const std::string reason = reason_to_refuse(row); !reason.empty()) {
          left_out.insert(fmt::format("measurement {}: {}", row.measurement_id, reason));
        } else if (is_wanted(row.result)) {
          visit(row);
        }
      });
    });
    report.left_out.assign(left_out.begin(), left_out.end());
  });
  return report;
}

}  // namespace foldtune
