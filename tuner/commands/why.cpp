// foldtune why: which configuration a problem is run with, and what that rests on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/error.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/problem_selection.h"
#include "tuner/commands/row_filter.h"
#include "tuner/inspect/account.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/measure/comparison.h"
#include "tuner/measure/statistics.h"
#include "tuner/session/problem_history.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// "+6.5% (+6.0% to +7.1%)", "-0.1% (-0.4% to +0.3%), no difference shown"; the interval is left
/// out where there are too few samples.
std::string format_slowdown(const MeasurementRecord& m, const MeasurementRecord& choice) {
  const Ratio ratio = time_ratio(m, choice);
  std::string text = format_change(ratio.value);
  if (has_interval(m) && has_interval(choice)) {
    text += fmt::format(" ({} to {})", format_change(ratio.lower), format_change(ratio.upper));
  }
  return ratio.is_within_noise() ? text + ", no difference shown" : text;
}

std::string format_interval(const MeasurementRecord& m) {
  if (!has_interval(m)) return "-";
  const Ratio interval = interval_of_median(m.samples_us);
  return fmt::format("{} to {}", format_number(interval.lower), format_number(interval.upper));
}

/// A label, and words in lines of the terminal's width.
void print_line(const char* label, const std::string& text) {
  constexpr std::size_t kLabelWidth = 10;
  print_to(stdout, "{}\n",
           Lines{wrap(fmt::format("{:<{}}{}", label, kLabelWidth, text), terminal_width(stdout),
                      kLabelWidth)});
}

std::string describe_shape(const MeasurementRecord& m) {
  const Family* const family = find_family(m.problem.family);
  return family == nullptr ? m.shape : describe_shape(*family, m.shape);
}

std::string describe_time(const StoredResult& basis) {
  const MeasurementRecord& m = basis.measurement;
  std::string text = fmt::format("{} per call", format_us(m.median_us));
  if (has_interval(m)) text += fmt::format(" ({} us with 95% confidence)", format_interval(m));
  text += fmt::format(", {} GB/s", format_number(gbps(m)));
  if (basis.run.read_bandwidth_gbps > 0) {
    text += fmt::format(", {}% of the read bandwidth",
                        format_percent(gbps(m) / basis.run.read_bandwidth_gbps));
  }
  return text + fmt::format(", at {}", describe_shape(m));
}

/// Where nothing is known of the problem.
std::string command_for(const Account& account, const ProblemSelection& selection) {
  const std::string device = account.place.device.kind == "cpu" ? "cpu" : "cuda:0";
  return tune_command(selection.problem, account.workload,
                      account.place.id.empty() ? device : account.place.id, selection.database);
}

std::string describe_untuned(const Evidence& evidence) {
  const MeasurementRecord& choice = evidence.basis.measurement;
  if (choice.is_default) return "the same: the untuned default was chosen";
  if (!evidence.untuned) return "not measured";
  const MeasurementRecord& m = *evidence.untuned;
  if (m.outcome != Outcome::ok) {
    return fmt::format("{}: {}", to_string(m.outcome), first_line(m.failure));
  }
  return fmt::format("{} per call, {} against what was chosen: {}", format_us(m.median_us),
                     format_slowdown(m, choice), format_config(m.params));
}

std::string describe_tries(const Evidence& evidence) {
  std::vector<std::string> outcomes;
  for (const auto& [outcome, count] : evidence.failures) {
    outcomes.push_back(fmt::format("{} {}", count, outcome));
  }
  return fmt::format("{} configuration{}, of which {} failed{}{}", evidence.tried,
                     evidence.tried == 1 ? "" : "s",
                     outcomes.empty() ? "none" : fmt::to_string(failed_of(evidence)),
                     outcomes.empty() ? "" : ": ", fmt::join(outcomes, ", "));
}

Validity grade(const Account& account) {
  const Place& place = account.place;
  return validity_of(account.evidence->basis, place.device, place.compiler,
                     has_these_kernels(account.evidence->basis));
}

std::string describe_validity(const Account& account) {
  const std::vector<std::string> obstacles = find_obstacles(account);
  if (obstacles.empty()) {
    return "yes: device, driver, compiler and kernels are those that it was measured with";
  }
  return fmt::format(
      "{}: {}{}", account.choice.match ? "yes, but stale" : "no", fmt::join(obstacles, "; "),
      grade(account) == Validity::stale ? "; `foldtune revalidate` times it again there" : "");
}

void print_comparison(const Evidence& evidence) {
  const MeasurementRecord& choice = evidence.basis.measurement;
  Table table({{"us", Align::right},
               {"95% interval"},
               {"against chosen"},
               {"samples", Align::right},
               {"config"}});
  const auto add = [&](const MeasurementRecord& m, const std::string& by) {
    const bool is_ok = m.outcome == Outcome::ok;
    const std::string note =
        is_ok ? (m.is_default ? " (untuned default)" : "")
              : fmt::format(": {}: {}", to_string(m.outcome), first_line(m.failure));
    table.add_row({is_ok ? format_number(m.median_us) : "-", format_interval(m), by,
                   fmt::to_string(m.samples_us.size()), format_config(m.params) + note});
  };
  add(choice, "chosen");
  for (const MeasurementRecord& m : evidence.rivals) {
    add(m, m.outcome == Outcome::ok ? format_slowdown(m, choice) : "failed");
  }
  print_to(stdout, "\nthe last comparison, in us per call at {}:\n{}", describe_shape(choice),
           Lines{table.to_string(terminal_width(stdout))});
}

/// "these", or how another version's fingerprint begins.
std::string describe_kernels(const StoredResult& row) {
  constexpr std::size_t kShown = 11;  // with the dots
  return has_these_kernels(row) ? "these" : cut(row.measurement.template_fingerprint, kShown);
}

void print_past(const Account& account) {
  if (account.past.empty()) return;
  Table table({{"chosen (UTC)"},
               {"shape", Align::right},
               {"us", Align::right},
               {"change", Align::right},
               {"driver"},
               {"compiler"},
               {"kernels"},
               {"from"},
               {"config"}});
  for (const PastChoice& choice : account.past) {
    const MeasurementRecord& m = choice.row.measurement;
    const RunRecord& run = choice.row.run;
    table.add_row({minutes_of(choice.row.measured_at), m.shape, format_number(m.median_us),
                   choice.time_over_previous ? format_change(*choice.time_over_previous) : "-",
                   run.device.driver, run.compiler, describe_kernels(choice.row),
                   describe_source(choice.row), format_config(m.params)});
  }
  print_to(stdout, "\nall choices, the oldest first:\n{}",
           Lines{table.to_string(terminal_width(stdout))});
}

std::string describe_device(const Place& place) {
  if (place.id.empty()) {
    return "not of this machine: driver and compiler are those of its newest result";
  }
  if (place.fault.empty()) return fmt::format("{} of this machine", place.id);
  return fmt::format(
      "{} of this machine, which cannot be used now; the compiler is that of its "
      "newest result: {}",
      place.id, place.fault);
}

void print_text(const Account& account, const ProblemSelection& selection) {
  const Choice& choice = account.choice;
  const Place& place = account.place;
  print_to(stdout, "{}\n",
           Lines{wrap(fmt::format("{} on {}", to_string(account.workload),
                                  describe_origin(place.device, place.compiler)),
                      terminal_width(stdout), 0)});
  print_line("device", describe_device(place));
  print_line("runs", format_config(choice.params));
  print_line("why", fmt::format("{}: {}", to_string(choice.source()), choice.reason));
  if (choice.expected_loss > 0) {
    print_line("expected",
               fmt::format("{:.1f}% slower than with the best configuration of this size",
                           100 * choice.expected_loss));
  }
  if (!account.evidence) {
    if (!choice.has_pins) print_line("tune it", command_for(account, selection));
    return;
  }
  const Evidence& evidence = *account.evidence;
  const StoredResult& basis = evidence.basis;
  if (!choice.match) print_line("known", format_config(basis.measurement.params));
  print_line("time", describe_time(basis));
  print_line("untuned", describe_untuned(evidence));
  print_line("tried", describe_tries(evidence));
  print_line("measured", fmt::format("{} UTC{} by Foldtune {} with driver {} and {}: {}",
                                     minutes_of(basis.measured_at), describe_import(basis),
                                     basis.run.foldtune_version, basis.run.device.driver,
                                     basis.run.compiler, basis.run.command));
  print_line("valid", describe_validity(account));
  print_comparison(evidence);
  print_past(account);
}

OrderedJson interval_json(bool is_known, const Ratio& interval) {
  return is_known ? OrderedJson{interval.lower, interval.upper} : OrderedJson();
}

OrderedJson contender_json(const Evidence& evidence, const MeasurementRecord& m) {
  const MeasurementRecord& choice = evidence.basis.measurement;
  StoredResult row = evidence.basis;
  row.measurement = m;
  OrderedJson json = to_json(row);
  json.erase("measurement_id");  // that of the result that it was compared with
  const bool is_ok = m.outcome == Outcome::ok;
  const bool has_intervals = has_interval(m) && has_interval(choice);
  const Ratio ratio = is_ok ? time_ratio(m, choice) : Ratio{};
  json["median_interval_us"] = interval_json(has_interval(m), interval_of_median(m.samples_us));
  json["time_over_choice"] = is_ok ? OrderedJson(ratio.value) : OrderedJson();
  json["time_over_choice_interval"] = interval_json(has_intervals, ratio);
  return json;
}

OrderedJson evidence_json(const Account& account) {
  const Evidence& evidence = *account.evidence;
  const MeasurementRecord& choice = evidence.basis.measurement;
  const std::optional<MeasurementRecord>& untuned = evidence.untuned;
  const bool has_default = untuned && untuned->outcome == Outcome::ok;
  OrderedJson contenders = OrderedJson::array({contender_json(evidence, choice)});
  for (const MeasurementRecord& m : evidence.rivals) {
    contenders.push_back(contender_json(evidence, m));
  }
  const std::vector<std::string> obstacles = find_obstacles(account);
  return {{"result", to_json(evidence.basis)},
          {"is_valid", obstacles.empty()},
          {"is_stale", grade(account) == Validity::stale},
          {"is_imported", !evidence.basis.imported_from.empty()},
          {"obstacles", obstacles},
          {"default_us", has_default ? OrderedJson(untuned->median_us) : OrderedJson()},
          {"default_over_choice",
           has_default ? OrderedJson(time_ratio(*untuned, choice).value) : OrderedJson()},
          {"untuned", untuned ? contender_json(evidence, *untuned) : OrderedJson()},
          {"tried", evidence.tried},
          {"failed", failed_of(evidence)},
          {"failures", evidence.failures},
          {"contenders", contenders}};
}

OrderedJson past_json(const Account& account) {
  OrderedJson past = OrderedJson::array();
  for (const PastChoice& choice : account.past) {
    const std::optional<double> ratio = choice.time_over_previous;
    past.push_back(to_json(choice.row));
    past.back()["time_over_previous"] = ratio ? OrderedJson(*ratio) : OrderedJson();
  }
  return past;
}

OrderedJson to_json(const Account& account, const ProblemSelection& selection,
                    const std::string& database) {
  const Place& place = account.place;
  const bool is_known = account.evidence.has_value();
  const bool is_worth_tuning = !is_known && !account.choice.has_pins;
  OrderedJson json = workload_json(account.workload);
  json.update(origin_json(place.device, place.compiler));
  json.update({{"device", or_null(place.id, !place.id.empty())},
               {"device_fault", or_null(place.fault, !place.fault.empty())},
               {"database", database},
               {"config", OrderedJson::parse(foldtune::to_json(account.choice.params))},
               {"config_source", to_string(account.choice.source())},
               {"config_reason", account.choice.reason},
               {"expected_loss", account.choice.expected_loss},
               {"tune_command",
                is_worth_tuning ? OrderedJson(command_for(account, selection)) : OrderedJson()},
               {"evidence", is_known ? evidence_json(account) : OrderedJson()},
               {"choices", past_json(account)}});
  return json;
}

/// The devices of the results; if none is of those that were asked for, those of this machine.
std::vector<Place> choose_places(const std::vector<StoredResult>& best,
                                 const ProblemSelection& selection) {
  if (!best.empty()) return find_places(best);
  std::vector<Place> places = present_places();
  std::erase_if(places, [wanted = device_filter(selection.device)](const Place& place) {
    return !is_among(wanted, place.device);
  });
  std::vector<Place> usable;
  for (Place& place : places) {
    if (place.fault.empty()) usable.push_back(std::move(place));
  }
  if (!usable.empty()) return usable;
  const std::string path = database_path(selection.database);
  if (places.empty()) {
    throw InvalidArgument(fmt::format(
        "--device: neither {} nor this machine has a device '{}'; `foldtune show` lists "
        "those of the one, and `foldtune devices` those of the other",
        path, selection.device));
  }
  throw Unavailable(fmt::format("{} holds no results of {}, which cannot be used here: {}", path,
                                places.front().id, places.front().fault));
}

ExitCode run_why(const ProblemSelection& selection) {
  const Workload workload = selected_workload(selection);
  const std::string path = database_path(selection.database);
  const std::unique_ptr<const ConfigStore> store = open_sqlite_store(path, OpenMode::read_only);
  std::vector<StoredResult> best = store->best();
  const bool is_empty = best.empty();
  std::erase_if(best, [wanted = device_filter(selection.device)](const StoredResult& row) {
    return !is_among(wanted, row.run.device);
  });
  const std::vector<Place> places = choose_places(best, selection);
  std::vector<Account> accounts;
  accounts.reserve(places.size());
  for (const Place& place : places) {
    accounts.push_back(explain_choice(*store, best, workload, place));
  }
  if (selection.json) {
    OrderedJson array = OrderedJson::array();
    for (const Account& account : accounts) {
      array.push_back(to_json(account, selection, path));
    }
    print_indented(array);
    return ExitCode::ok;
  }
  if (best.empty()) {
    print_to(stdout, "{} holds no results{} yet\n\n", path, is_empty ? "" : " of this device");
  }
  for (const Account& account : accounts) {
    print_text(account, selection);
    print_to(stdout, "\n");
  }
  print_to(stdout,
           "us: per call. change: against the choice before it of the same shape. kernels: these "
           "of this "
           "Foldtune,\nor how the fingerprint of others begins.\nconfig: {}\ndatabase: {}\n",
           config_legend(workload.problem.family()), path);
  return ExitCode::ok;
}

}  // namespace

Action prepare_why(CLI::App& app, const std::string&) {
  auto selection = std::make_shared<ProblemSelection>();
  add_problem_selection(app, *selection);
  app.add_flag("--json", selection->json, "Print JSON: an array with an object for each device");
  app.footer(
      describe_field_values() +
      "\n\nSays which configuration a program runs a problem with, and why: what the database "
      "holds of "
      "it,\nthe contenders of the last comparison, whether that is still valid, and every choice "
      "that was stored\nfor its bucket of sizes, with any driver, compiler and kernels. For each "
      "device "
      "of the database. Nothing is\nrun, and the device need not be there.\n\n"
      "Examples:\n"
      "  foldtune why --op sum --type f32 --n 2^20 --device h200\n"
      "  foldtune why --op histogram --type u8 --n 1e6");
  return [selection] { return run_why(*selection); };
}

}  // namespace foldtune
