#include "tuner/inspect/stored_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cache/record_check.h"
#include "templates/fingerprint.h"
#include "tuner/inspect/stored_problem.h"
#include "tuner/text/format.h"

namespace foldtune {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string credible_time(const StoredResult& row) {
  static const std::string now = utc_now();
  return row.measured_at <= now ? row.measured_at : std::string();
}

}  // namespace

bool is_among(const DeviceFilter& wanted, const DeviceRecord& device) {
  return (wanted.kind.empty() || device.kind == wanted.kind) &&
         (wanted.name.empty() || device.name == wanted.name) &&
         lower(device.name).find(lower(wanted.name_part)) != std::string::npos;
}

bool is_same_device(const DeviceRecord& a, const DeviceRecord& b) {
  return a.kind == b.kind && a.name == b.name;
}

bool has_these_kernels(const StoredResult& row) {
  return is_of_these_kernels(row.measurement.template_fingerprint);
}

double gbps(const MeasurementRecord& measurement) {
  return static_cast<double>(measurement.bytes) / measurement.median_us / 1e3;
}

std::string describe_origin(const DeviceRecord& device, const std::string& compiler) {
  return fmt::format("{} ({}, {}, driver {}), {}", device.name, device.kind, device.architecture,
                     device.driver, compiler);
}

std::string describe_source(const StoredResult& row) {
  if (row.imported_from.empty()) return "here";
  return row.imported_from.substr(row.imported_from.rfind('/') + 1);
}

std::string describe_import(const StoredResult& row) {
  if (row.imported_from.empty()) return {};
  return fmt::format(" (imported from {})", describe_source(row));
}

std::string minutes_of(const std::string& time) {
  std::string text = time.substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

std::string config_legends(const std::vector<StoredResult>& rows) {
  std::string text;
  for (const Family* const family : families()) {
    const bool is_shown = std::ranges::any_of(rows, [&](const StoredResult& row) {
      return row.measurement.problem.family == family->name();
    });
    if (is_shown) text += fmt::format("config: {}\n", config_legend(*family));
  }
  return text;
}

bool is_newer(const StoredResult& a, const StoredResult& b) {
  return credible_time(a) > credible_time(b);
}

bool is_preferred(const StoredResult& a, const StoredResult& b) {
  const bool is_own = a.imported_from.empty();
  return is_own == b.imported_from.empty() ? is_newer(a, b) : is_own;
}

}  // namespace foldtune
