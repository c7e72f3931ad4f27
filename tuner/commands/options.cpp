#include "tuner/commands/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "cache/config_store.h"
#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "tuner/files/output_file.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

bool has_cuda_device() {
  try {
    return !list_cuda_devices().empty();
  } catch (const Error&) {  // `foldtune devices` says why
    return false;
  }
}

}  // namespace

void add_database_option(CLI::App& app, std::optional<std::string>& database) {
  app.add_option("--db", database, "The tuning database [see foldtune --help]")
      ->type_name(kFileToRead);
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

void require_place_for_json(bool as_json, const std::string& output, const std::string& what,
                            const std::string& option) {
  if (!as_json || !is_standard_output(output)) return;
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
