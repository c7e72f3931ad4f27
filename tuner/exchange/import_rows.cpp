#include "tuner/exchange/import_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "cache/excerpt.h"
#include "cache/intake.h"
#include "tuner/exchange/list_hash.h"
#include "tuner/exchange/row_json.h"
#include "tuner/exchange/row_rules.h"
#include "tuner/files/file_error.h"

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
    add_run(row);
  }

  ExchangeContents finish() {
    for (const char* const key : {"format", "version", "runs", "measurements"}) {
      if (!keys_.contains(key)) throw foreign(fmt::format("it has no {}", key));
    }
    return {.runs = std::move(runs_), .changed = changed_lists()};
  }

 private:
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
    if (value == kExchangeVersion) return;
    throw FileError(fmt::format(
        "{} is of version {} of the format, and this Foldtune reads version {} alone: export it "
        "again with one of this version",
        file_, excerpt(value.dump()), kExchangeVersion));
  }

  void add_run(const Json& json) {
    // Without its id nothing refers to it.
    const auto id = json.is_object() ? json.find("run_id") : json.end();
    if (id == json.end() || !id->is_number_integer()) return;
    ResultRow run;
    try {
      read_run(json, run.result);
      run.fault = fault_of_run(run.result);
    } catch (const RowFault& error) {
      run.fault = error.what();
    }
    const auto [place, is_new] = runs_.emplace(id->get<std::int64_t>(), std::move(run));
    if (!is_new) place->second.fault = "it is there twice";
    if (runs_.size() > kMostRuns) throw foreign("it has more than a million runs");
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
  std::map<std::int64_t, ResultRow> runs_;
};

/// Where a measurement can be taken from a row, else its fault.
ResultRow make_result_row(const Json& json, const ExchangeContents& contents,
                          std::string_view file) {
  ResultRow row;
  try {
    StoredResult read;
    read_measurement(json, read);
    const auto run = contents.runs.find(read.run_id);
    if (run == contents.runs.end()) {
      row.fault = fmt::format("there is no run of its run_id, {}", read.run_id);
    } else if (!run->second.fault.empty()) {
      row.fault = fmt::format("of its run {}, {}", read.run_id, run->second.fault);
    } else {
      row.result = run->second.result;
      row.result.measurement = std::move(read.measurement);
      row.result.measured_at = std::move(read.measured_at);
      row.fault = fault_of_measurement(row.result);
      row.result.imported_from = file;
    }
  } catch (const RowFault& error) {
    row.fault = error.what();
  }
  return row;
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
    ResultRow row = make_result_row(json, contents, file);
    if (!row.fault.empty()) {
      ++report.refused;
      if (report.reasons.size() < kMostReasons) {
        report.reasons.push_back(
            reason_line("measurement", static_cast<std::int64_t>(report.rows), row.fault));
      }
      return;
    }
    batch.push_back(std::move(row));
    if (batch.size() == Intake::kRowsAtATime) take(std::exchange(batch, {}));
  };
  parse_exchange(source, file, {.field = [](const std::string&, const Json&) {}, .row = read_row});
  if (!batch.empty()) take(batch);
  return report;
}

}  // namespace foldtune
