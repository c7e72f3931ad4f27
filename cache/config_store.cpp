#include "cache/config_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cache/hash.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

constexpr std::array<std::pair<Outcome, const char*>, 9> kOutcomeNames{{
    {Outcome::ok, "ok"},
    {Outcome::compile_error, "compile_error"},
    {Outcome::load_error, "load_error"},
    {Outcome::launch_error, "launch_error"},
    {Outcome::wrong_result, "wrong_result"},
    {Outcome::timing_error, "timing_error"},
    {Outcome::out_of_memory, "out_of_memory"},
    {Outcome::crashed, "crashed"},
    {Outcome::timeout, "timeout"},
}};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

// Drivers set pages aside, more or fewer of them: two cards of a model have the same whole GiB.
std::string DeviceRecord::fingerprint() const {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  return hash_hex(serialised_field("kind", kind) + serialised_field("name", name) +
                  serialised_field("architecture", architecture) +
                  serialised_field("multiprocessor_count", multiprocessor_count) +
                  serialised_field("memory_gib", (memory_bytes + kGiB / 2) / kGiB));
}

TuningKey tuning_key(const RunRecord& run, const MeasurementRecord& measurement) {
  return {.device_fingerprint = run.device.fingerprint(),
          .driver = run.device.driver,
          .template_fingerprint = measurement.template_fingerprint,
          .compiler = run.compiler,
          .problem = measurement.problem};
}

Validity validity_of(const StoredResult& row, const DeviceRecord& device, std::string_view compiler,
                     bool has_these_kernels) {
  const RunRecord& run = row.run;
  if (run.device.fingerprint() != device.fingerprint()) return Validity::none;
  if (!has_these_kernels) return Validity::seed;
  const bool is_same = run.device.driver == device.driver && run.compiler == compiler;
  return is_same && row.imported_from.empty() ? Validity::valid : Validity::stale;
}

const char* to_string(Outcome outcome) {
  const auto* found = std::find_if(kOutcomeNames.begin(), kOutcomeNames.end(),
                                   [&](const auto& entry) { return entry.first == outcome; });
  return found == kOutcomeNames.end() ? "unknown" : found->second;
}

Outcome parse_outcome(std::string_view name) {
  const auto* found = std::find_if(kOutcomeNames.begin(), kOutcomeNames.end(),
                                   [&](const auto& entry) { return entry.second == name; });
  if (found == kOutcomeNames.end()) {
    throw StoreError(
        fmt::format("there is no outcome \"{}\"; it was written by another version of Foldtune, or "
                    "by hand: delete the row",
                    name));
  }
  return found->first;
}

bool is_better(const StoredResult& candidate, const StoredResult& incumbent) {
  const MeasurementRecord& m = candidate.measurement;
  const MeasurementRecord& other = incumbent.measurement;
  if (m.outcome != Outcome::ok) return false;
  if (other.outcome != Outcome::ok) return true;
  if (candidate.is_pinned != incumbent.is_pinned) return candidate.is_pinned;
  const bool is_own = candidate.imported_from.empty();
  if (is_own != incumbent.imported_from.empty()) return is_own;
  if (m.round != other.round) return m.round > other.round;
  return m.median_us <= other.median_us;
}

std::string default_database_path() {
  std::string database = environment("FOLDTUNE_DB");
  if (!database.empty()) return database;

  // The XDG base directory specification has relative paths ignored.
  const std::filesystem::path cache = environment("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache / "foldtune" / "tuning.db";

  const std::filesystem::path home = environment("HOME");
  if (home.empty()) {
    throw StoreError(
        "cannot choose the path of the tuning database: neither FOLDTUNE_DB nor XDG_CACHE_HOME nor "
        "HOME is set; set FOLDTUNE_DB to the file that you want");
  }
  return home / ".cache" / "foldtune" / "tuning.db";
}

}  // namespace foldtune
