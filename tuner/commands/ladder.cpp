// foldtune ladder: the kernels of the textbooks, on the present device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "templates/family.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/problem/count_list.h"
#include "tuner/session/run_ladder.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

/// On the CPU device, where times say nothing.
constexpr std::uint64_t kCpuCount = 1 << 16;

constexpr const char* kLadderFooter =
    R"(Runs the kernels that published tutorials, studies and contests build up, from a single thread to
the libraries. Each gives the right result before it is timed, or fails; one that cannot run here is
skipped, and says why. The kernels are in the sources' folder examples/textbook, with a description
each: `foldtune tune --family tree.json` looks for their best configuration.

Sections:
  A  from naive to warp-optimized sums; max, argmax, a generic operator, histograms
  B  dot products, of 2^20 elements
  C  a study of sums of f32 and i32, of 2^16, 2^20 and 2^25 elements
  D  the kernels of a contest, 2^24 elements
  E  a guide's sum, max and min, and what it claims, 2^24 elements

Times are per call, of calls in a CUDA graph over inputs that are not in the L2. The published
figures are their authors' claims, on their GPUs. Functions of other libraries are in the program
foldtune_with_libraries, which the bench builds, and skipped elsewhere.

Examples:
  foldtune ladder
  foldtune ladder --section A,C --json
  foldtune ladder --device cpu --n 4096)";

struct LadderArguments {
  std::optional<std::string> sections;
  std::optional<std::string> count;
  std::optional<std::string> device;
  bool json = false;
};

/// "A,c" -> "AC".
std::string parse_sections(const std::string& text) {
  std::string sections;
  (void)split_list("--section", text);  // which refuses an empty item
  for (const char c : text) {
    if (c == ',') continue;
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (ladder_sections().find(letter) == std::string::npos) {
      throw InvalidArgument(
          fmt::format("--section: there is no section '{}'; there are {}", c, ladder_sections()));
    }
    sections += letter;
  }
  return sections;
}

LadderOptions make_options(const LadderArguments& arguments) {
  return {.sections = arguments.sections ? parse_sections(*arguments.sections) : ladder_sections(),
          .count = arguments.count ? parse_count(*arguments.count) : 0};
}

std::string_view text(KernelStatus status) {
  switch (status) {
    case KernelStatus::ran:
      return "ran";
    case KernelStatus::skipped:
      return "skipped";
    case KernelStatus::failed:
      break;
  }
  return "failed";
}

/// How a kernel is computed: "block_size=256 ...", or the name of a library's function.
std::string how_text(const LadderKernel& kernel) {
  if (const auto* const params = std::get_if<Config>(&kernel.how)) return format_config(*params);
  if (const auto* const library = std::get_if<LibraryFunction>(&kernel.how)) return library->name;
  return "not linked";
}

double fraction(double part, double whole) { return whole > 0 ? part / whole : 0; }

bool has_section(const LadderReport& report, char section) {
  return std::ranges::any_of(
      report.results, [&](const KernelResult& result) { return result.kernel.section == section; });
}

void print_section(char section, const LadderReport& report) {
  const bool has_flops = std::ranges::any_of(report.results, [&](const KernelResult& result) {
    return result.kernel.section == section && result.gflops > 0;
  });
  std::vector<Column> columns{{"kernel"},
                              {"problem"},
                              {"us", Align::right},
                              {"GB/s", Align::right},
                              {"% of memory", Align::right},
                              {"% of peak", Align::right}};
  if (has_flops) columns.push_back({"GFLOPS", Align::right});
  columns.push_back({"published"});
  columns.push_back({"config"});
  Table table(columns);
  for (const KernelResult& result : report.results) {
    if (result.kernel.section != section) continue;
    std::vector<std::string> cells{result.kernel.name, to_string(result.kernel.workload)};
    if (result.status == KernelStatus::ran) {
      const Ceilings& ceilings = report.ceilings;
      cells.insert(cells.end(), {format_number(result.median_us), format_number(result.gbps),
                                 format_percent(fraction(result.gbps, ceilings.read_gbps)),
                                 format_percent(fraction(result.gbps, ceilings.peak_gbps))});
    } else {
      cells.insert(cells.end(), {std::string(text(result.status)), "-", "-", "-"});
    }
    if (has_flops) cells.push_back(result.gflops > 0 ? format_number(result.gflops) : "-");
    cells.push_back(result.kernel.published.empty() ? "-" : result.kernel.published);
    cells.push_back(how_text(result.kernel));
    table.add_row(std::move(cells));
  }
  print_to(stdout, "{}: {}\n{}\n", section, ladder_section_title(section),
           Lines{table.to_string(terminal_width(stdout))});
}

/// Every reason once, with the kernels that it holds for.
void print_reasons(const LadderReport& report, KernelStatus status) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const KernelResult& result : report.results) {
    if (result.status != status) continue;
    const std::string& name = result.kernel.name;
    auto found =
        std::ranges::find(reasons, result.reason, [](const auto& row) { return row.first; });
    if (found == reasons.end()) found = reasons.insert(found, {result.reason, {}});
    std::vector<std::string>& names = found->second;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  for (const auto& [reason, names] : reasons) {
    print_to(stdout, "{}: {}: {}\n", text(status), fmt::join(names, "; "), Lines{reason});
  }
}

std::size_t count_of(const LadderReport& report, KernelStatus status) {
  return static_cast<std::size_t>(
      std::ranges::count(report.results, status, &KernelResult::status));
}

void print_text(const LadderReport& report, const DeviceInfo& device) {
  for (const char section : ladder_sections()) {
    if (has_section(report, section)) print_section(section, report);
  }
  print_reasons(report, KernelStatus::failed);
  print_reasons(report, KernelStatus::skipped);
  print_to(stdout, "{} kernels ran, {} skipped, {} failed on {} ({}).\n",
           count_of(report, KernelStatus::ran), count_of(report, KernelStatus::skipped),
           count_of(report, KernelStatus::failed), device.id, device.record.name);
  if (report.ceilings.read_gbps > 0) {
    print_to(stdout,
             "us: per call. % of memory: of {} GB/s, the measured read bandwidth; % of peak: of {} "
             "GB/s, "
             "the memory's.\n",
             format_number(report.ceilings.read_gbps), format_number(report.ceilings.peak_gbps));
  } else {
    print_to(stdout, "The CPU device: {}.\n", kCpuTimes);
  }
  print_to(stdout, "published: the authors' figures, on their GPUs.\n");
  std::vector<const Family*> families;
  for (const KernelResult& result : report.results) {
    const auto* const config = std::get_if<Config>(&result.kernel.how);
    if (config == nullptr || std::ranges::count(families, &config->family()) > 0) continue;
    families.push_back(&config->family());
    print_to(stdout, "config: {}\n", config_legend(config->family()));
  }
}

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const KernelResult& result, const Ceilings& ceilings) {
  const LadderKernel& kernel = result.kernel;
  const bool ran = result.status == KernelStatus::ran;
  const auto* const params = std::get_if<Config>(&kernel.how);
  const auto* const library = std::get_if<LibraryFunction>(&kernel.how);
  OrderedJson json{{"section", std::string(1, kernel.section)}, {"kernel", kernel.name}};
  json.update(workload_json(kernel.workload));
  json.update({
      {"config",
       params == nullptr ? OrderedJson() : OrderedJson::parse(foldtune::to_json(*params))},
      {"library", or_null(library == nullptr ? "" : library->name, library != nullptr)},
      {"status", text(result.status)},
      {"reason", or_null(result.reason, !ran)},
      {"median_us", or_null(result.median_us, ran)},
      {"bandwidth_gbps", or_null(result.gbps, ran)},
      {"read_bandwidth_fraction",
       or_null(fraction(result.gbps, ceilings.read_gbps), ran && ceilings.read_gbps > 0)},
      {"peak_bandwidth_fraction",
       or_null(fraction(result.gbps, ceilings.peak_gbps), ran && ceilings.peak_gbps > 0)},
      {"gflops", or_null(result.gflops, result.gflops > 0)},
      {"published", or_null(kernel.published, !kernel.published.empty())},
  });
  return json;
}

void print_json(const LadderReport& report, const DeviceInfo& device) {
  OrderedJson kernels = OrderedJson::array();
  for (const KernelResult& result : report.results) {
    kernels.push_back(to_json(result, report.ceilings));
  }
  OrderedJson sections = OrderedJson::object();
  for (const char section : ladder_sections()) {
    if (has_section(report, section)) {
      sections[std::string(1, section)] = ladder_section_title(section);
    }
  }
  const Ceilings& ceilings = report.ceilings;
  const OrderedJson json{
      {"device", device.id},
      {"device_name", device.record.name},
      {"read_bandwidth_gbps", or_null(ceilings.read_gbps, ceilings.read_gbps > 0)},
      {"peak_bandwidth_gbps", or_null(ceilings.peak_gbps, ceilings.peak_gbps > 0)},
      {"sections", sections},
      {"kernels", kernels},
  };
  print_indented(json);
}

ExitCode run_ladder(const LadderArguments& arguments) {
  LadderOptions options = make_options(arguments);
  const std::string device_id = choose_device(arguments.device);
  const std::unique_ptr<Device> device = open_device(device_id);
  if (device_id.starts_with("cpu") && options.count == 0) options.count = kCpuCount;
  const std::vector<LadderKernel> kernels = make_ladder(options);
  print_to(stderr, "running {} kernels on {} ({})\n", kernels.size(), device_id,
           device->info().record.name);
  std::size_t done = 0;
  const LadderReport report =
      run_ladder(*device, kernels, library_kernels(), [&](const KernelResult& result) {
        print_to(stderr, "{}/{} {} {}, {}: {}\n", ++done, kernels.size(), result.kernel.section,
                 result.kernel.name, to_string(result.kernel.workload),
                 result.status == KernelStatus::ran ? format_us(result.median_us)
                                                    : std::string(text(result.status)));
      });
  arguments.json ? print_json(report, device->info()) : print_text(report, device->info());
  return count_of(report, KernelStatus::failed) == 0 ? ExitCode::ok : ExitCode::device;
}

}  // namespace

Action prepare_ladder(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<LadderArguments>();
  app.add_option("--section", arguments->sections, "Sections by comma [all]")->type_name("LIST");
  app.add_option("--n", arguments->count,
                 fmt::format("Elements of every kernel [the sections' sizes; on the CPU device {}]",
                             kCpuCount))
      ->type_name("N");
  app.add_option("--device", arguments->device,
                 "cuda:N or cpu [cuda:0 where there is one, else cpu]")
      ->type_name("NAME");
  app.add_flag("--json", arguments->json, "Print JSON: an object with the array \"kernels\"");
  app.footer(kLadderFooter);
  return [arguments] { return run_ladder(*arguments); };
}

}  // namespace foldtune
