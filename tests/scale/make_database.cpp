// make_large_database FILE ROWS: a new database of so many generated measurements. Those of this
// machine's CPU device are among them, so that a program can look them up here.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "runtime/device/device.h"
#include "tests/scale/generated_database.h"

int main(int argc, char** argv) try {
  using namespace foldtune;
  if (argc != 3) {
    fmt::print(stderr, "usage: make_large_database FILE ROWS\n");
    return 2;
  }
  if (std::filesystem::exists(argv[1])) {
    fmt::print(stderr, "{} is there: name a file that is not\n", argv[1]);
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto cpu = open_device("cpu");
  auto origins = test::gpu_origins();
  origins.push_back({.device = cpu->info().record, .compiler = cpu->compiler().version()});
  const std::uint64_t rows = std::stoull(argv[2]);
  test::generate_database(argv[1], rows, origins);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const auto bytes = static_cast<double>(std::filesystem::file_size(argv[1]));
  fmt::print("{} measurements in {:.1f} s: {:.0f} bytes, {:.1f} for each\n", rows, took.count(),
             bytes, bytes / static_cast<double>(rows));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
