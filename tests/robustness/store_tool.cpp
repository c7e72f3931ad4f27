// What scripts/robustness.py needs of a store besides the verbs of foldtune: a writer and a reader
// that say what they did, line by line.
//   store_tool write DB SEED COUNT   puts COUNT measurements; prints the id of each once it is kept
//   store_tool read DB END           reads until the file END is there; prints the most it saw
//   store_tool look-up DB            looks one problem up as a program does; prints the
//   milliseconds
//                                    and the reason
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include "cache/store_error.h"
#include "runtime/lookup/config_lookup.h"
#include "templates/reduce/space.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Clock = std::chrono::steady_clock;

/// No two are equal: `id` is in the samples.
MeasurementRecord numbered(int seed, int id) {
  constexpr int kPlaces = 1'000'000;
  constexpr int kSizes = 24;
  return success(sum_of(std::uint64_t{1} << (4 + id % kSizes)), Config(reduce_family()),
                 {5.0 + seed, 5.0 + id / static_cast<double>(kPlaces), 6.0 + seed});
}

void write(const std::string& path, int seed, int count) {
  const auto store = open_sqlite_store(path, OpenMode::read_write);
  RunRecord run = run_on("NVIDIA H200");
  run.seed = static_cast<std::uint64_t>(seed);
  const ConfigStore::RunId id = store->begin_run(run);
  for (int i = 0; i < count; ++i) {
    store->put(id, numbered(seed, i));
    fmt::print("{}\n", i);
    std::fflush(stdout);
  }
}

/// Throws if a measurement that was there is not there any more.
void read(const std::string& path, const std::string& end) {
  const auto store = open_sqlite_store(path, OpenMode::read_only);
  std::size_t most = 0;
  for (bool is_last = false; !is_last;) {
    is_last = std::filesystem::exists(end);
    const std::size_t count = store->measurements().size();
    if (count < most) throw StoreError(fmt::format("{} measurements, after {}", count, most));
    most = count;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // for sixteen on two cores
  }
  fmt::print("{}\n", most);
}

void look_up(const std::string& path) {
  const RunRecord run = run_on("NVIDIA H200");
  const auto begin = Clock::now();
  const ConfigLookup configs = ConfigLookup::open(path);
  const Choice choice = configs.choose(run.device, run.compiler, sum_of(1 << 12));
  const std::chrono::duration<double, std::milli> time = Clock::now() - begin;
  fmt::print("{:.2f} {}\n", time.count(), choice.match ? "tuned" : choice.reason);
}

int run_tool(const std::vector<std::string>& arguments) {
  const std::string& verb = arguments.at(1);
  if (verb == "write") {
    write(arguments.at(2), std::stoi(arguments.at(3)), std::stoi(arguments.at(4)));
  } else if (verb == "read") {
    read(arguments.at(2), arguments.at(3));
  } else if (verb == "look-up") {
    look_up(arguments.at(2));
  } else {
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace foldtune::test

int main(int argc, char** argv) {
  try {
    return foldtune::test::run_tool({argv, argv + argc});
  } catch (const foldtune::StoreError& error) {
    fmt::print(stderr, "store_tool: {}\n", error.what());
    return 5;
  } catch (const std::exception& error) {
    fmt::print(stderr, "store_tool: {}\n", error.what());
    return 1;
  }
}
