// Databases for the test of the page, in the folder that is named: `failures.db`, of two devices,
// with failures, and with texts that mean something in HTML; `empty.db`.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

constexpr const char* kHostile =
    "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>";

void make_failures(const std::string& path) {
  const Problem problem = sum_of(1 << 20);
  MeasurementRecord untuned = success(problem, with_block_size(512), {6}, 1);
  untuned.is_default = true;
  TunedDatabase database(path);
  database.add(run_on("NVIDIA Older"), {stored_sum(24, 20)});
  RunRecord run = run_on("NVIDIA <b>Newer</b>");
  run.command = kHostile;
  MeasurementRecord hostile = success(problem, with_block_size(64), {3});
  hostile.problem.op = kHostile;
  database.add(run,
               {success(problem, with_block_size(64), {5}), untuned,
                success(problem, ReduceParams{.block_size = 128, .unroll = 8}, {4.5}),
                success(problem, with_block_size(128), {4}),
                failure(problem, with_block_size(1024), foldtune::Outcome::crashed, kHostile),
                failure(problem, with_block_size(256), foldtune::Outcome::wrong_result, "off by 3"),
                failure(problem, with_block_size(32), foldtune::Outcome::wrong_result, "off by 3"),
                hostile});
}

}  // namespace
}  // namespace foldtune::test

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  foldtune::test::make_failures(folder + "/failures.db");
  foldtune::test::TunedDatabase(folder + "/empty.db");
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
