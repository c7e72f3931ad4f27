#include "tuner/commands/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <span>
#include <string_view>
#include <system_error>

#include "cache/config_store.h"
#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "tuner/problem/count_list.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

constexpr std::array kAlignments{Alignment::vector, Alignment::element};
constexpr std::array kDeterminisms{Determinism::any, Determinism::run_to_run,
                                   Determinism::config_independent};
constexpr std::array kBinnings{Binning::even, Binning::custom, Binning::key};
constexpr std::array kDistributions{Distribution::uniform, Distribution::zipf,
                                    Distribution::constant};
constexpr std::array kNanPolicies{NanPolicy::propagate, NanPolicy::ignore};

template <class T>
T require_name(std::string_view what, std::string_view text, std::span<const T> known) {
  std::string names;
  for (const T value : known) {
    if (name(value) == text) return value;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name(value));
  }
  throw InvalidArgument(fmt::format("there is no {} '{}'; there is {}", what, text, names));
}

template <class T>
std::vector<T> parse_names(std::string_view option, std::string_view what, std::string_view list,
                           std::span<const T> known) {
  if (list == "all") return {known.begin(), known.end()};
  std::vector<T> values;
  for (const std::string_view item : split_list(option, list)) {
    const T value = require_name(what, item, known);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kElementType = "element type";

/// The catalogue: what needs no more than its name.
const std::vector<Operator>& catalogued_operators() {
  static const std::vector<Operator> all = [] {
    std::vector<Operator> some(operators().begin(), operators().end());
    some.push_back(Operator::histogram);
    return some;
  }();
  return all;
}

/// With what the user defines.
const std::vector<Operator>& any_operators() {
  static const std::vector<Operator> all = [] {
    std::vector<Operator> some = catalogued_operators();
    some.push_back(Operator::custom);
    return some;
  }();
  return all;
}

bool has_cuda_device() {
  try {
    return !list_cuda_devices().empty();
  } catch (const Error&) {  // `foldtune devices` says why
    return false;
  }
}

}  // namespace

void add_database_option(CLI::App& app, std::optional<std::string>& database) {
  app.add_option("--db", database, "The tuning database [see foldtune --help]")->type_name("FILE");
}

void add_number_option(CLI::App& app, const std::string& flag, const NumberRange& range,
                       const std::function<void(std::uint64_t)>& set, const std::string& help) {
  const auto parse = [=](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < range.least || value > range.most) {
      throw InvalidArgument(fmt::format("{} takes a whole number from {} to {}, not '{}'", flag,
                                        range.least, range.most, text));
    }
    set(value);
  };
  app.add_option_function<std::string>(flag, parse, help)->type_name("N");
}

void add_threads_option(CLI::App& app, int& threads) {
  constexpr std::uint64_t kMaxThreads = 1024;
  add_number_option(
      app, "--threads", {.most = kMaxThreads},
      [&threads](std::uint64_t value) { threads = static_cast<int>(value); },
      "Threads that compile [one per core]");
}

void add_seed_option(CLI::App& app, std::uint64_t& seed, const std::string& help) {
  add_number_option(
      app, "--seed", {}, [&seed](std::uint64_t value) { seed = value; }, help);
}

std::vector<Operator> parse_operators(const std::string& list) {
  if (list == "all") return catalogued_operators();
  return parse_names("--op", kOperator, list, std::span<const Operator>(any_operators()));
}
std::vector<ElementType> parse_element_types(const std::string& list) {
  return parse_names("--type", kElementType, list, element_types());
}

Operator require_operator(const std::string& text) {
  return require_name(kOperator, text, std::span<const Operator>(any_operators()));
}
ElementType require_element_type(const std::string& text) {
  return require_name(kElementType, text, element_types());
}
ElementType require_accumulator(const std::string& text) {
  return require_name("accumulator type", text, element_types());
}
ElementType require_result(const std::string& text) {
  return require_name("result type", text, element_types());
}
NanPolicy require_nan_policy(const std::string& text) {
  return require_name("NaN policy", text, std::span<const NanPolicy>(kNanPolicies));
}
Alignment require_alignment(const std::string& text) {
  return require_name("alignment", text, std::span<const Alignment>(kAlignments));
}
Determinism require_determinism(const std::string& text) {
  return require_name("determinism", text, std::span<const Determinism>(kDeterminisms));
}

Binning require_binning(const std::string& text) {
  return require_name("binning", text, std::span<const Binning>(kBinnings));
}
Distribution require_distribution(const std::string& text) {
  return require_name("distribution", text, std::span<const Distribution>(kDistributions));
}

void require_place_for_json(bool as_json, const std::string& output, const std::string& what,
                            const std::string& option) {
  if (!as_json || output != "-") return;
  throw InvalidArgument(fmt::format(
      "--json is printed to the standard output, where {} itself would be; name a file with {}",
      what, option));
}

std::string choose_device(const std::optional<std::string>& asked) {
  if (asked) return *asked;
  if (has_cuda_device()) return "cuda:0";
  print_to(
      stderr,
      "foldtune: note: no CUDA device (`foldtune devices` says why); using the CPU device: {}\n",
      kCpuTimes);
  return "cpu";
}

std::string database_path(const std::optional<std::string>& asked) {
  return asked ? *asked : default_database_path();
}

}  // namespace foldtune
