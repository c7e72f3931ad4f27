#include "tuner/commands/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "cache/config_store.h"
#include "cache/store_error.h"
#include "foldtune/error.h"
#include "tuner/inspect/account.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/session/forecast.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

Place require_place(const std::string& device) {
  const std::vector<Place> places = present_places();
  const auto found = std::ranges::find(places, device, &Place::id);
  if (found == places.end()) {
    throw Unavailable(
        fmt::format("looking for {}: this machine has no such device; `foldtune "
                    "devices` lists what it has",
                    device));
  }
  if (!found->fault.empty()) throw Unavailable(found->fault);
  return *found;
}

/// Nothing is made for a dry run.
std::unique_ptr<ConfigStore> open_if_there(const std::string& path) {
  std::error_code is_hidden;
  if (!std::filesystem::exists(path, is_hidden) && !is_hidden) return open_memory_store();
  try {
    return open_sqlite_store(path, OpenMode::read_only);
  } catch (const EmptyDatabase&) {
    return open_memory_store();
  }
}

std::string describe_gain(const KnownGain& gain, const char* of) {
  return fmt::format(
      "{:.2f}x the untuned default's speed in geometric mean, {:.2f}x to {:.2f}x: {} {}", gain.mean,
      gain.least, gain.most, format_count(gain.results, "result"), of);
}

std::string describe_time(const Forecast& forecast, const std::optional<double>& budget_s) {
  if (forecast.configurations == 0) return "none: all is done";
  std::string text =
      forecast.seconds ? fmt::format("about {}, by what {} took", format_seconds(*forecast.seconds),
                                     format_count(forecast.runs, "earlier run"))
                       : std::string("not known: no earlier run on this device tried enough");
  if (budget_s) text += fmt::format("; {} at most (--budget)", format_seconds(*budget_s));
  return text;
}

std::string describe_gains(const Forecast& forecast) {
  if (forecast.of_these) return describe_gain(*forecast.of_these, "of these problems");
  if (forecast.of_their_families) {
    return describe_gain(*forecast.of_their_families, "of other problems of the same kernels");
  }
  return "not known: nothing like it was tuned on this device";
}

OrderedJson gain_json(const std::optional<KnownGain>& gain) {
  if (!gain) return {};
  return {{"mean", gain->mean},
          {"least", gain->least},
          {"most", gain->most},
          {"results", gain->results}};
}

}  // namespace

void say_what_tuning_takes(const std::string& device, const std::string& database,
                           const TuneOptions& options, OrderedJson* json) {
  const Place place = require_place(device);
  const Forecast forecast =
      foldtune::forecast(*open_if_there(database), place.device, place.compiler, options);
  if (json != nullptr) {
    OrderedJson entry{{"device", device}};
    entry.update(origin_json(place.device, place.compiler));
    entry.update({{"database", database},
                  {"dry_run", true},
                  {"effort", name(options.effort)},
                  {"budget_s", options.budget_s ? OrderedJson(*options.budget_s) : OrderedJson()},
                  {"problems", forecast.problems},
                  {"done", forecast.done},
                  {"pinned", forecast.pinned},
                  {"configurations", forecast.configurations},
                  {"seconds", forecast.seconds ? OrderedJson(*forecast.seconds) : OrderedJson()},
                  {"earlier_runs", forecast.runs},
                  {"gain_of_these", gain_json(forecast.of_these)},
                  {"gain_of_their_families", gain_json(forecast.of_their_families)}});
    json->push_back(entry);
    return;
  }
  print_to(stdout, "{} on {} ({}) with {} effort, of which {} done\n",
           format_count(forecast.problems, "problem"), device, place.device.name,
           name(options.effort),
           forecast.done == 1 ? "1 is" : fmt::format("{} are", forecast.done));
  print_to(stdout, "to try   at most {}\n", format_count(forecast.configurations, "configuration"));
  print_to(stdout, "time     {}\n", describe_time(forecast, options.budget_s));
  print_to(stdout, "gain     {}\n", describe_gains(forecast));
  if (forecast.pinned > 0) {
    print_to(
        stdout,
        "pinned   {}: until `foldtune unpin`, programs use nothing that is tuned of them now\n",
        format_count(forecast.pinned, "problem"));
  }
  print_to(stdout, "database: {}\n", database);
}

}  // namespace foldtune
