#include "tuner/exchange/import_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "templates/embedded.h"
#include "tuner/exchange/list_hash.h"
#include "tuner/exchange/row_json.h"
#include "tuner/exchange/row_rules.h"
#include "tuner/file_error.h"
#include "tuner/table.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;

/// More than any database has: they are held in memory.
constexpr std::size_t kMostRuns = 1'000'000;

/// Gathers the contents; what refers to another row is put together at the end.
class ContentsReader {
 public:
  explicit ContentsReader(std::string_view file) : file_(file) {}

  void read_field(const std::string& key, const Json& value) {
    if (key == "format") require_format(value);
    if (key == "version") require_version(value);
    if (key == "hashes") hashes_ = value;
    keys_.insert(key);
  }

  void read_row(ExchangeList list, const Json& row) {
    const auto index = static_cast<std::size_t>(list);
    found_[index].add(row);
    if (list == ExchangeList::measurements) return;
    if (++held_ > kMostRuns) throw foreign("it has more than a million runs and devices");
    list == ExchangeList::devices ? read_device(row) : read_run(row);
  }

  ExchangeContents finish() {
    for (const char* const key : {"format", "version"}) {
      if (!keys_.contains(key)) throw foreign(fmt::format("it has no {}", key));
    }
    return {.runs = join(), .changed = changed_lists()};
  }

 private:
  struct Run {
    RunRow row;
    std::string fault;
  };

  FileError foreign(std::string_view what) const {
    return FileError(fmt::format("{} is no file of `foldtune export`: {}; give one, or a database",
                                 file_, what));
  }

  void require_format(const Json& value) const {
    if (value != kExchangeFormat) {
      throw foreign(fmt::format("its format is not \"{}\"", kExchangeFormat));
    }
  }

  void require_version(const Json& value) const {
    if (!value.is_number_integer() || value < 1) throw foreign("its version is no number");
    if (value > kExchangeVersion) {
      throw FileError(fmt::format(
          "{} is of version {} of the format, and this Foldtune reads version {}: take a newer "
          "Foldtune, or export with one of this version",
          file_, value.dump(), kExchangeVersion));
    }
  }

  void read_device(const Json& json) {
    // Without its fingerprint nothing refers to it.
    const auto fingerprint = json.is_object() ? json.find("fingerprint") : json.end();
    if (fingerprint == json.end() || !fingerprint->is_string()) return;
    std::string fault;
    DeviceRow row;
    try {
      row = read_device_row(json);
      fault = fault_of(row);
    } catch (const RowFault& error) {
      fault = error.what();
    }
    const auto [place, is_new] =
        devices_.emplace(fingerprint->get<std::string>(), std::pair(row.record, fault));
    if (!is_new) place->second.second = "it is there twice";
  }

  void read_run(const Json& json) {
    const auto id = json.is_object() ? json.find("id") : json.end();
    if (id == json.end() || !id->is_number_integer()) return;
    Run run;
    try {
      run.row = read_run_row(json);
      run.fault = fault_of(run.row);
    } catch (const RowFault& error) {
      run.fault = error.what();
    }
    const auto [place, is_new] = runs_.emplace(id->get<std::int64_t>(), run);
    if (!is_new) place->second.fault = "it is there twice";
  }

  std::map<std::int64_t, ImportedRun> join() const {
    std::map<std::int64_t, ImportedRun> joined;
    for (const auto& [id, run] : runs_) {
      ImportedRun& place = joined[id];
      place = {.record = run.row.record, .started_at = run.row.started_at, .fault = run.fault};
      if (!place.fault.empty()) continue;
      const auto device = devices_.find(run.row.device_fingerprint);
      if (device == devices_.end()) {
        place.fault = "there is no device of its device_fingerprint";
      } else if (!device->second.second.empty()) {
        place.fault = "of its device, " + device->second.second;
      } else {
        place.record.device = device->second.first;
      }
    }
    return joined;
  }

  std::string changed_lists() const {
    std::string changed;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const std::string name(kExchangeListNames[i]);
      const bool is_equal = hashes_.is_object() && hashes_.value(name, Json()) == found_[i].text();
      if (!is_equal) changed += (changed.empty() ? "" : ", ") + name;
    }
    return changed;
  }

  std::string_view file_;
  std::set<std::string> keys_;
  Json hashes_;
  std::array<ListHash, kExchangeListNames.size()> found_;
  std::size_t held_ = 0;
  std::map<std::string, std::pair<DeviceRecord, std::string>> devices_;  // with their faults
  std::map<std::int64_t, Run> runs_;
};

/// Where a measurement can be taken from a row, else its fault.
ResultRow make_result_row(const Json& json, const ExchangeContents& contents) {
  ResultRow row;
  try {
    MeasurementRow read = read_measurement_row(json);
    const auto run = contents.runs.find(read.run_id);
    if (run == contents.runs.end()) {
      row.fault = fmt::format("there is no run of its run_id, {}", read.run_id);
    } else if (!run->second.fault.empty()) {
      row.fault = fmt::format("of its run {}, {}", read.run_id, run->second.fault);
    } else {
      const RunRecord& record = run->second.record;
      row.fault = fault_of(read, record.template_fingerprint == template_fingerprint());
      row.run_id = read.run_id;
      row.device_fingerprint = record.device.fingerprint();
      row.started_at = run->second.started_at;
      row.result = {.measurement = std::move(read.record),
                    .run = record,
                    .measured_at = std::move(read.measured_at)};
      if (row.fault.empty()) row.fault = reason_to_refuse(row);
    }
  } catch (const RowFault& error) {
    row.fault = error.what();
  }
  return row;
}

/// A reason quotes the file, which may hold what a terminal takes for commands.
std::string printable(std::string text) {
  constexpr std::size_t kMostCharacters = 300;
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
  return cut(std::move(text), kMostCharacters);
}

}  // namespace

ExchangeContents read_contents(const ByteSource& source, std::string_view file) {
  ContentsReader reader(file);
  parse_exchange(
      source, file,
      {.field = [&](const std::string& key, const Json& value) { reader.read_field(key, value); },
       .row = [&](ExchangeList list, const Json& row) { reader.read_row(list, row); }});
  return reader.finish();
}

ImportReport import_rows(const ByteSource& source, std::string_view file,
                         const ExchangeContents& contents,
                         const std::function<void(const std::vector<ResultRow>&)>& take) {
  ImportReport report;
  std::vector<ResultRow> batch;
  const auto read_row = [&](ExchangeList list, const Json& json) {
    if (list != ExchangeList::measurements) return;
    ++report.rows;
    ResultRow row = make_result_row(json, contents);
    if (!row.fault.empty()) {
      ++report.refused;
      if (report.reasons.size() < kMostReasons) {
        report.reasons.push_back(
            printable(fmt::format("measurement {}: {}", report.rows, row.fault)));
      }
      return;
    }
    batch.push_back(std::move(row));
    if (batch.size() == kRowsAtATime) take(std::exchange(batch, {}));
  };
  parse_exchange(source, file, {.field = [](const std::string&, const Json&) {}, .row = read_row});
  if (!batch.empty()) take(batch);
  return report;
}

}  // namespace foldtune
