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
#include "tuner/exchange/row_rules.h"

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

  void add(const nlohmann::ordered_json& row) {
    hash_->add(nlohmann::json(row));
    output_.write(separator_);
    output_.write(row.dump());
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

ExportReport write_file(OutputFile& output, const EachRow& each_wanted) {
  std::map<std::int64_t, nlohmann::ordered_json> runs;
  std::set<std::string> devices;
  each_wanted([&](const ResultRow& row) {
    if (runs.contains(row.result.run_id)) return;
    runs.emplace(row.result.run_id, run_to_json(row.result));
    devices.insert(row.result.device_fingerprint);
  });
  ExportReport report;
  report.runs = runs.size();
  report.devices = devices.size();
  FileWriter writer(output);
  writer.begin_list(ExchangeList::runs);
  for (const auto& [id, run] : runs) writer.add(run);
  writer.end_list();
  writer.begin_list(ExchangeList::measurements);
  each_wanted([&](const ResultRow& row) {
    writer.add(measurement_to_json(row.result));
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
    std::map<std::int64_t, std::string> left_out;
    bool is_judged = false;  // Rows are gone through twice.
    report = write_file(output, [&](const std::function<void(const ResultRow&)>& visit) {
      each([&](const ResultRow& row) {
        const std::int64_t id = row.result.measurement_id;
        const RowVerdict verdict = is_judged ? RowVerdict() : judge_row(row);
        if (!verdict.fault.empty() && !verdict.is_unknown) {
          left_out.emplace(id, reason_line("measurement", id, verdict.fault));
        }
        if (!left_out.contains(id) && is_wanted(row.result)) visit(row);
      });
      is_judged = true;
    });
    for (auto& [id, line] : left_out) report.left_out.push_back(std::move(line));
  });
  return report;
}

}  // namespace foldtune
