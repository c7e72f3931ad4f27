#include "tuner/commands/problem_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "foldtune/error.h"
#include "runtime/lookup.h"
#include "tuner/commands/options.h"
#include "tuner/commands/stored_problem.h"
#include "tuner/commands/stored_rows.h"
#include "tuner/count_list.h"
#include "tuner/format.h"

namespace foldtune {
namespace {

/// More of them are counted.
constexpr std::size_t kMostListed = 8;

void add_once(std::vector<std::string>& texts, std::string text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
}

std::string list(std::vector<std::string> texts) {
  const std::size_t others = texts.size() - std::min(texts.size(), kMostListed);
  texts.resize(texts.size() - others);
  return fmt::format("{}{}", fmt::join(texts, ", "),
                     others == 0 ? std::string() : " and " + format_count(others, "other"));
}

}  // namespace

void add_problem_selection(CLI::App& app, ProblemSelection& selection) {
  app.add_option("--op", selection.op, "The operator [sum]")->type_name("NAME");
  app.add_option("--type", selection.type, "The element type [f32]")->type_name("TYPE");
  add_problem_options(app, selection.problem);
  add_tune_bin_options(app, selection.problem.bins);
  app.add_option("--n", selection.count, "The element count, such as 1e6 or 2^20")
      ->type_name("COUNT")
      ->required();
  app.add_option("--alignment", selection.alignment,
                 "Of the input's address: vector (16 bytes) or element [vector]")
      ->type_name("NAME");
  add_device_filter(app, selection.device);
  add_database_option(app, selection.database);
}

Problem selected_problem(const ProblemSelection& selection) {
  const Operator op = choose_operator(selection.op, selection.problem, selection.type.has_value());
  Problem problem =
      make_problem(selection.problem, op, require_element_type(selection.type.value_or("f32")));
  problem.alignment = require_alignment(selection.alignment);
  problem.count = parse_count(selection.count);
  if (const std::string fault = find_fault(problem); !fault.empty()) throw InvalidArgument(fault);
  return problem;
}

std::vector<StoredResult> select_device(std::vector<StoredResult> rows,
                                        const ProblemSelection& selection) {
  std::vector<std::string> names;
  for (const StoredResult& row : rows) add_once(names, row.run.device.name);
  std::erase_if(rows, [&](const StoredResult& row) {
    return !has_name_with(row.run.device, selection.device);
  });
  if (rows.empty() && !names.empty()) {
    throw InvalidArgument(fmt::format("no device in {} has '{}' in its name; there is {}",
                                      database_path(selection.database), selection.device,
                                      list(names)));
  }
  return rows;
}

std::string describe_others(const std::vector<StoredResult>& rows, const Problem& problem) {
  const ProblemKey key = make_problem_key(problem);
  const std::function<bool(const ProblemKey&)> tiers[] = {
      [&](const ProblemKey& other) {
        return other.op == key.op && other.element_type == key.element_type;
      },
      [&](const ProblemKey& other) { return other.op == key.op; },
      [](const ProblemKey&) { return true; }};
  for (const auto& is_like : tiers) {
    std::vector<std::string> texts;
    for (const StoredResult& row : rows) {
      const MeasurementRecord& m = row.measurement;
      if (is_like(m.problem)) add_once(texts, describe_problem(m.problem, m.count));
    }
    if (!texts.empty()) return list(texts);
  }
  return {};
}

}  // namespace foldtune
