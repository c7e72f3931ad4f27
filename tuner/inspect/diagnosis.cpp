#include "tuner/inspect/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache/check.h"
#include "cache/config_store.h"
#include "cache/store_error.h"
#include "cache/summary.h"
#include "foldtune/error.h"
#include "runtime/device/compiler.h"
#include "runtime/lookup/config_lookup.h"
#include "runtime/support/child_process.h"
#include "runtime/support/shared_library.h"
#include "runtime/support/temporary_folder.h"
#include "runtime/support/worker_program.h"
#include "templates/family.h"
#include "templates/fingerprint.h"
#include "tuner/exchange/row_rules.h"
#include "tuner/inspect/device_listing.h"
#include "tuner/text/format.h"

namespace foldtune {
namespace {

using Findings = std::vector<Finding>;

constexpr std::string_view kMakeWritable =
    "make it and its folder writable, and some space free, to tune and to keep kernels; or name "
    "another file with FOLDTUNE_DB";

/// Errors may have lines; a finding is one.
std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool has_driver() {
  try {
    SharedLibrary::open({"libcuda.so.1", "libcuda.so"});
    return true;
  } catch (const Unavailable&) {
    return false;
  }
}

bool is_cuda(const ListedDevice& device) { return device.info.record.kind == "cuda"; }

void check_driver(const DeviceListing& listing, Findings& findings) {
  const auto first = std::ranges::find_if(listing.devices, is_cuda);
  if (first != listing.devices.end()) {
    findings.push_back({"driver", Health::ok, first->info.record.driver});
  } else if (!has_driver()) {
    findings.push_back({"driver", Health::note, "there is no CUDA driver (libcuda.so.1)",
                        "install the NVIDIA driver if this machine has a GPU; without one kernels "
                        "run on the CPU device, and bundles can be made"});
  } else {
    findings.push_back({"driver", Health::problem, in_one_line(listing.cuda_fault),
                        "look whether nvidia-smi works, and whether the driver was updated since "
                        "this machine was started"});
  }
}

void check_nvrtc(Findings& findings) {
  try {
    const NvrtcLibrary nvrtc = find_nvrtc();
    findings.push_back({"nvrtc", Health::ok, fmt::format("{} ({})", nvrtc.version, nvrtc.path)});
  } catch (const Error&) {
    findings.push_back(
        {"nvrtc", Health::note,
         "NVRTC was not found: kernels that no database and no bundle has cannot be compiled",
         "install the CUDA Toolkit (12.4 or newer) or the Python package nvidia-cuda-nvrtc, and "
         "set FOLDTUNE_NVRTC to its libnvrtc.so; or ship a bundle (foldtune bundle)"});
  }
}

void check_toolkit(Findings& findings) {
  try {
    findings.push_back({"toolkit", Health::ok, "headers in " + toolkit_include_folders().front()});
  } catch (const MissingToolkit&) {
    findings.push_back({"toolkit", Health::note,
                        "no headers of the CUDA Toolkit: some kernels from files need them",
                        "set CUDA_HOME or FOLDTUNE_TOOLKIT to the toolkit"});
  }
}

/// Called for nothing, foldtune-worker says of which build it is. What else it says, or that it did
/// not end, is returned.
std::optional<std::string> odd_answer(const std::string& program) {
  constexpr std::chrono::seconds kAnswerLimit{10};
  const TemporaryFolder folder;
  const std::string log = folder.path() / "worker.log";
  const bool has_ended =
      run_program({.command = {program}, .log = log, .temporaries = {}, .limit = kAnswerLimit})
          .has_value();
  if (!has_ended) return "it did not answer";
  const std::string answer = read_file(log);
  if (answer.find(build_name()) != std::string::npos) return std::nullopt;
  return answer.empty() ? "it said nothing"
                        : fmt::format("it said \"{}\"", excerpt(in_one_line(answer)));
}

void check_worker(Findings& findings) try {
  const std::string program = worker_program({}).front();
  const std::optional<std::string> answer = odd_answer(program);
  if (!answer) {
    findings.push_back({"worker", Health::ok, "tuning runs in processes of " + program});
  } else {
    findings.push_back({"worker", Health::problem,
                        fmt::format("{} is not the foldtune-worker of this build, or cannot say "
                                    "so: {}",
                                    program, *answer),
                        "install both of the same Foldtune, or let FOLDTUNE_WORKER name the right "
                        "one"});
  }
} catch (const Unavailable& error) {
  findings.push_back({"worker", Health::problem, error.what()});
} catch (const std::system_error& error) {
  findings.push_back({"worker", Health::problem, fmt::format("starting it: {}", error.what())});
}

void check_devices(const DeviceListing& listing, Findings& findings) {
  bool is_any_usable = false;
  for (const ListedDevice& device : listing.devices) {
    const DeviceRecord& record = device.info.record;
    is_any_usable |= is_cuda(device) || device.fault.empty();
    std::string text = fmt::format("{} ({}), {} of memory", record.name, record.architecture,
                                   format_bytes(device.info.memory_bytes));
    if (is_cuda(device) || device.fault.empty()) {
      findings.push_back({device.info.id, Health::ok, std::move(text)});
    } else {
      findings.push_back(
          {device.info.id, Health::note,
           fmt::format("{}; it cannot run kernels: {}", text, in_one_line(device.fault))});
    }
  }
  if (!is_any_usable) {
    findings.push_back({"devices", Health::problem, "there is no device that kernels can run on",
                        "do what the lines above say for a GPU or for the CPU device"});
  }
}

/// Rows that this program cannot judge, by their families.
using UnknownRows = std::map<std::string, std::size_t>;

/// Those of import: what one database may hold, another may. What is merely not known here is
/// counted, and no fault.
CheckRules check_rules(UnknownRows& unknown) {
  return {.fault_of_run = fault_of_run, .fault_of_measurement = [&](const StoredResult& row) {
            RowVerdict verdict = judge_measurement(row);
            if (!verdict.is_unknown) return std::move(verdict.fault);
            ++unknown[row.measurement.problem.family];
            return std::string();
          }};
}

void note_unknown_rows(const std::string& area, const std::string& path, const UnknownRows& unknown,
                       Findings& findings) {
  for (const auto& [family, rows] : unknown) {
    const std::string what =
        fmt::format("{}: {} of the family {}", path, format_count(rows, "measurement"), family);
    if (find_family(family) == nullptr) {
      findings.push_back({area, Health::note, what + ", which is not known here",
                          "name its file with --family, and they are looked at, too"});
    } else {
      findings.push_back(
          {area, Health::note, what + ", of another version of its file: not looked at"});
    }
  }
}

void check_kernels(const DatabaseSummary& summary, Findings& findings) try {
  const std::uint64_t most = default_cache_bytes();
  std::string text =
      fmt::format("{} kept, {} of at most {}", format_count(summary.kernels.kernels, "kernel"),
                  format_bytes(summary.kernels.bytes), format_bytes(most));
  if (!summary.file_system.empty()) {
    findings.push_back({"kernels", Health::note, text + "; programs add none",
                        "name a file on a local disk with FOLDTUNE_DB"});
  } else if (most > 0 && summary.obstacle.reason.empty()) {
    findings.push_back({"kernels", Health::ok, std::move(text)});
  } else {
    findings.push_back({"kernels", Health::note, text + "; none are added",
                        most == 0 ? "unset FOLDTUNE_CACHE_BYTES, or raise it"
                                  : "make the database and its folder writable"});
  }
} catch (const StoreError& error) {
  findings.push_back({"kernels", Health::problem, error.what()});
}

enum class Use { database, bundle };

/// What is not as it should be where every row is, of a file that is used in this way.
void judge(const DatabaseSummary& summary, Use use, Finding& finding) {
  if (use == Use::bundle) {
    if (summary.bests > 0) return;
    finding.health = Health::problem;
    finding.text += ": it holds no results of the kernels of this Foldtune";
    finding.remedy = "make it again with this Foldtune (foldtune bundle)";
  } else if (!summary.file_system.empty()) {
    finding.health = Health::note;
    finding.remedy =
        "name a file on a local disk with FOLDTUNE_DB: it is faster, and safe to share";
  } else if (!summary.obstacle.reason.empty()) {
    finding.health = summary.obstacle.is_lasting ? Health::problem : Health::note;
    finding.text += ", which cannot be written: " + summary.obstacle.reason;
    finding.remedy = std::string(kMakeWritable);
  }
}

/// A line on the whole, or one for each fault that the check of every row finds.
void check_file(const std::string& path, Use use, Findings& findings) {
  const std::string area = use == Use::bundle ? "bundle" : "database";
  try {
    UnknownRows unknown;
    const CheckReport check = check_database(path, check_rules(unknown));
    for (const CheckFinding& fault : check.findings) {
      findings.push_back(
          {area, Health::problem, fmt::format("{}: {}", path, fault.text), fault.remedy});
    }
    note_unknown_rows(area, path, unknown, findings);
    if (!check.findings.empty()) return;
    const DatabaseSummary summary = summarize_database(path, kernel_fingerprints());
    Finding finding{
        area, Health::ok,
        fmt::format("{} is sound: {}, {}, {} for these kernels{}{}{}", path,
                    format_bytes(summary.bytes), format_count(check.measurements, "measurement"),
                    format_count(summary.bests, "result"),
                    use == Use::bundle ? ", " + format_count(check.kernels, "kernel") : "",
                    summary.obstacle.reason.empty() ? "" : ", read-only",
                    summary.file_system.empty() ? "" : ", on " + summary.file_system)};
    judge(summary, use, finding);
    findings.push_back(std::move(finding));
    for (const std::string& note : summary.notes) findings.push_back({area, Health::note, note});
    if (use == Use::database) check_kernels(summary, findings);
  } catch (const StoreError& error) {
    findings.push_back({area, Health::problem, in_one_line(error.what())});
  }
}

void check_default_database(Findings& findings) try {
  const std::string path = default_database_path();
  std::error_code is_hidden;
  if (std::filesystem::exists(path, is_hidden) || is_hidden) {
    return check_file(path, Use::database, findings);
  }
  if (const std::string reason = find_write_obstacle(path).reason; !reason.empty()) {
    return findings.push_back(
        {"database", Health::problem,
         fmt::format("there is no {} yet, and it cannot be made: {}", path, reason),
         std::string(kMakeWritable)});
  }
  findings.push_back({"database", Health::note, fmt::format("there is no {} yet", path),
                      "foldtune tune makes it, and so does a program that compiles a kernel"});
} catch (const StoreError& error) {
  findings.push_back({"database", Health::problem, in_one_line(error.what())});
}

}  // namespace

const char* to_string(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::note:
      return "note";
    case Health::problem:
      break;
  }
  return "problem";
}

std::vector<Finding> diagnose() {
  Findings findings;
  const DeviceListing listing = list_devices();
  check_driver(listing, findings);
  check_nvrtc(findings);
  check_toolkit(findings);
  check_devices(listing, findings);
  check_worker(findings);
  check_default_database(findings);
  for (const std::string& path : environment_bundles()) {
    check_file(path, Use::bundle, findings);
  }
  return findings;
}

std::vector<Finding> diagnose(const std::string& database) {
  Findings findings;
  check_file(database, Use::database, findings);
  return findings;
}

}  // namespace foldtune
