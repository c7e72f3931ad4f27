// foldtune pin, foldtune unpin: choices that stay, whatever is measured later.
#include "cache/pin.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cache/config_store.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/inspect/account.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

struct PinArguments {
  std::optional<std::string> database;
  RowFilter filter;
  bool json = false;
};

using Rows = std::vector<StoredResult>;

/// The best results of each bucket of a problem on a device, with all drivers and compilers.
std::vector<Rows> by_choice(const Rows& rows) {
  std::map<std::tuple<PinScope, std::string, std::string, std::string>, Rows> groups;
  for (const StoredResult& row : rows) {
    const ProblemKey& problem = row.measurement.problem;
    groups[{pin_scope(row), problem.layout, problem.conditions, problem.bucket}].push_back(row);
  }
  std::vector<Rows> list;
  list.reserve(groups.size());
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

/// What programs on the present devices use of a group, without regard to pins; of a device that is
/// not here the newest.
std::optional<std::int64_t> find_in_use(const ConfigStore& store, const Rows& group,
                                        const std::vector<Place>& present) {
  const StoredResult& row = group.front();
  const auto place = std::ranges::find_if(present, [&](const Place& candidate) {
    return is_same_device(row.run.device, candidate.device);
  });
  if (place == present.end()) {
    return std::ranges::min_element(group, {},
                                    [](const StoredResult& result) {
                                      return rank_of(result.imported_from, 0,
                                                     result.measurement_id);
                                    })
        ->measurement_id;
  }
  TuningKey key = tuning_key(row.run, row.measurement);
  key.driver = place->device.driver;
  key.compiler.clear();  // of any: programs run what has a kept kernel, whatever compiled it
  const std::optional<Match> match =
      store.find(key, [](std::string_view) { return std::optional<int>(); });
  return match ? std::optional(match->measurement_id) : std::nullopt;
}

struct Selection {
  std::size_t matched = 0;  ///< rows
  std::vector<std::int64_t> ids{};
  std::size_t pinned = 0;         ///< groups that have a pin
  std::size_t other_kernels = 0;  ///< groups that no program looks up
};

Selection select_in_use(const std::string& path, const RowFilter& filter) {
  const auto is_wanted = row_test(filter);
  const auto store = open_sqlite_store(path, OpenMode::read_only, {.pins = Pins::ignored});
  Rows rows = store->best();
  std::erase_if(rows, std::not_fn(is_wanted));
  const std::vector<Place> present = present_places();
  Selection selection{.matched = rows.size()};
  for (const Rows& group : by_choice(rows)) {
    if (!has_these_kernels(group.front())) {
      ++selection.other_kernels;
    } else if (std::ranges::any_of(group, &StoredResult::is_pinned)) {
      ++selection.pinned;
    } else if (const auto id = find_in_use(*store, group, present)) {
      selection.ids.push_back(*id);
    }
  }
  return selection;
}

ExitCode run_pin(const PinArguments& arguments) {
  const std::string path = database_path(arguments.database);
  const Selection selection = select_in_use(path, arguments.filter);
  const std::size_t pinned = selection.ids.empty() ? 0 : pin_measurements(path, selection.ids);
  if (arguments.json) {
    print_indented({{"database", path},
                    {"pinned", pinned},
                    {"already_pinned", selection.pinned},
                    {"other_kernels", selection.other_kernels}});
    return ExitCode::ok;
  }
  std::string text = fmt::format("pinned {}", format_count(pinned, "result"));
  if (selection.pinned > 0) text += fmt::format("; {} pinned already", selection.pinned);
  if (selection.other_kernels > 0) {
    text += fmt::format("; {} of other kernels than those here, which nothing uses, left out",
                        selection.other_kernels);
  }
  if (selection.matched == 0) {
    text += ": nothing that was chosen matches; `foldtune show` lists what was";
  }
  print_to(stdout, "{}\ndatabase: {}\n", text, path);
  return ExitCode::ok;
}

ExitCode run_unpin(const PinArguments& arguments) {
  const std::string path = database_path(arguments.database);
  const RowFilter& filter = arguments.filter;
  const bool is_all = filter.family.empty() && filter.fields.empty() && filter.device.empty();
  std::size_t unpinned = 0;
  if (is_all) {
    unpinned = unpin_all(path);
  } else {
    const auto is_wanted = row_test(filter);
    std::vector<std::int64_t> ids;
    for (const StoredResult& row : pinned_results(path)) {
      if (is_wanted(row)) ids.push_back(row.measurement_id);
    }
    if (!ids.empty()) unpinned = unpin_measurements(path, ids);
  }
  if (arguments.json) {
    print_indented({{"database", path}, {"unpinned", unpinned}});
  } else {
    print_to(stdout, "unpinned {}\ndatabase: {}\n", format_count(unpinned, "result"), path);
  }
  return ExitCode::ok;
}

Action prepare(CLI::App& app, ExitCode (*run)(const PinArguments&), const char* footer) {
  auto arguments = std::make_shared<PinArguments>();
  add_database_option(app, arguments->database);
  add_row_filter(app, arguments->filter);
  app.add_flag("--json", arguments->json, "Print JSON: an object");
  app.footer(footer);
  return [arguments, run] { return run(*arguments); };
}

}  // namespace

Action prepare_pin(CLI::App& app, const std::string&) {
  return prepare(
      app, run_pin,
      "Pins what programs use now: the results of the problems that the options choose, else of "
      "all.\nOf a problem that has pinned results, programs use no others, at any size, until they "
      "are unpinned:\nwhat is tuned or imported meanwhile changes neither a sum's bits nor its "
      "time. `tune` still\nmeasures and keeps; `prune` leaves pinned results alone. A context with "
      "only_pinned uses nothing\nelse of the database. A pin is of the kernels that it was "
      "measured with: a Foldtune with others\nknows nothing of it.\n\n"
      "Examples:\n"
      "  foldtune pin\n"
      "  foldtune pin --op sum,dot --type f32 --device h200");
}

Action prepare_unpin(CLI::App& app, const std::string&) {
  return prepare(app, run_unpin,
                 "The results of the problems that the options choose, else all, are choices like "
                 "others again:\nthe best that was measured is used. Without options pins that "
                 "were damaged go, too.\n\n"
                 "Examples:\n"
                 "  foldtune unpin\n"
                 "  foldtune unpin --op sum");
}

}  // namespace foldtune
