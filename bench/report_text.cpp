#include "bench/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "tuner/text/format.h"
#include "tuner/text/table.h"

namespace foldtune::bench {
namespace {

using Rows = std::vector<const Row*>;

/// What the rows have in common, and the rows, in the order of their first.
template <class Key>
std::vector<std::pair<Key, Rows>> group(std::span<const Row> rows, Key (*key_of)(const Row&)) {
  std::vector<std::pair<Key, Rows>> groups;
  for (const Row& row : rows) {
    const Key key = key_of(row);
    auto found = std::ranges::find(groups, key, &std::pair<Key, Rows>::first);
    if (found == groups.end()) found = groups.insert(groups.end(), {key, {}});
    found->second.push_back(&row);
  }
  return groups;
}

std::pair<std::string, bool> manner_and_alignment(const Row& row) {
  return {row.cell->manner, is_misaligned(*row.cell)};
}

std::string manner_of(const Row& row) { return row.cell->manner; }

/// Of the fastest library, over tuned Foldtune's; 0 where one is missing.
double ratio_of(const Row& row) {
  const Figure* const tuned = row.find(kTuned);
  const Figure* const peer = row.best_peer();
  return tuned == nullptr || peer == nullptr ? 0 : peer->median_us / tuned->median_us;
}

std::vector<std::string_view> contenders_of(const Rows& rows) {
  std::vector<std::string_view> present;
  for (const std::string_view name : kContenders) {
    const auto has = [&](const Row* row) { return row->find(name) != nullptr; };
    if (std::ranges::any_of(rows, has)) present.push_back(name);
  }
  return present;
}

std::string format_table(const Rows& rows) {
  const std::vector<std::string_view> contenders = contenders_of(rows);
  const bool has_shapes = has_own_shape(*rows.front()->cell);
  const bool has_compiled = std::ranges::count(contenders, kTorchCompile) > 0;
  std::vector<Column> columns{{.title = has_shapes ? "shape" : "n", .align = Align::right}};
  for (const std::string_view name : contenders) {
    columns.push_back({.title = std::string(name), .align = Align::right});
  }
  if (has_compiled) columns.push_back({.title = "to compile, s", .align = Align::right});
  columns.push_back({.title = "best/t", .align = Align::right});
  columns.push_back({.title = "GB/s", .align = Align::right});
  columns.push_back({.title = "source"});
  columns.push_back({.title = "configuration"});
  Table table(std::move(columns));
  for (const Row* row : rows) {
    std::vector<std::string> cells{format_extent(*row->cell)};
    for (const std::string_view name : contenders) {
      const Figure* const figure = row->find(name);
      cells.push_back(figure == nullptr ? "-" : fmt::format("{:.3f}", figure->median_us));
    }
    if (has_compiled) {
      const Figure* const compiled = row->find(kTorchCompile);
      cells.push_back(compiled == nullptr ? "-" : fmt::format("{:.1f}", compiled->compile_s));
    }
    const Figure* const tuned = row->find(kTuned);
    const double ratio = ratio_of(*row);
    cells.push_back(ratio == 0 ? "-" : fmt::format("{:.3f}", ratio));
    cells.push_back(tuned == nullptr ? "-" : fmt::format("{:.0f}", tuned->gbps()));
    cells.push_back(tuned == nullptr ? "-" : tuned->source);
    cells.push_back(tuned == nullptr ? "-" : format_config(tuned->config));
    table.add_row(std::move(cells));
  }
  return table.to_string(/*max_width=*/0);
}

}  // namespace

std::string format_run(const Run& run) {
  std::string versions;
  for (const auto& [name, version] : run.versions) {
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ", name, version);
  }
  std::string text = fmt::format(
      "date     {}\n"
      "device   {} ({}), driver {}\n"
      "versions {}\n"
      "command  {}\n",
      run.date, run.device, run.architecture, run.driver, versions, run.command);
  if (run.read_bandwidth_gbps > 0) {
    text += fmt::format("limits   reads {:.0f} GB/s", run.read_bandwidth_gbps);
    for (const auto& [manner, us] : run.launch_us) {
      text += fmt::format(", an empty kernel {:.2f} us ({})", us, manner);
    }
    text += '\n';
  }
  return text + fmt::format(
                    "us per call, medians of up to {} rounds in turns; best/t: the fastest "
                    "library's time over tuned Foldtune's",
                    run.rounds);
}

std::string format_tables(std::span<const Row> rows) {
  std::string text;
  for (const auto& [key, members] : group(rows, manner_and_alignment)) {
    const auto& [manner, misaligned] = key;
    text +=
        fmt::format("{}{} ({}{})\n{}", text.empty() ? "" : "\n", members.front()->cell->case_name,
                    manner, misaligned ? ", misaligned" : "", format_table(members));
  }
  if (!text.empty()) text.pop_back();  // the last line end
  return text;
}

std::string format_tables(const Report& report) {
  const std::vector<Row> rows = rows_of(report);
  std::vector<std::string> names;
  for (const Row& row : rows) {
    const std::string& name = row.cell->case_name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const std::string& name : names) {
    std::vector<Row> of_case;
    std::ranges::copy_if(rows, std::back_inserter(of_case),
                         [&](const Row& row) { return row.cell->case_name == name; });
    text += (text.empty() ? "" : "\n\n") + format_tables(of_case);
  }
  return text;
}

std::string format_summary(const Report& report) {
  const std::vector<Row> rows = rows_of(report);
  std::string text;
  for (const auto& [manner, members] : group(std::span(rows), manner_of)) {
    double sum = 0;
    int cells = 0;
    int won = 0;
    const Row* least = nullptr;
    for (const Row* row : members) {
      const double ratio = ratio_of(*row);
      if (ratio == 0) continue;
      sum += std::log(ratio);
      ++cells;
      if (ratio > 1) ++won;
      if (least == nullptr || ratio < ratio_of(*least)) least = row;
    }
    if (cells == 0) continue;
    text += fmt::format(
        "{}{}: the best library takes {:.3f} of tuned Foldtune's time in geometric mean, {:.3f} at "
        "least ({}); Foldtune is first in {} of {} cells",
        text.empty() ? "" : "\n", manner, std::exp(sum / cells), ratio_of(*least),
        describe(*least->cell), won, cells);
  }
  return text;
}

}  // namespace foldtune::bench
