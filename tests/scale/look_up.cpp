// look_up FILE: what the start of a program costs that takes its configuration from a database. A
// process of its own for each look-up.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "foldtune/context.h"
#include "runtime/device/device.h"

int main(int argc, char** argv) try {
  using namespace foldtune;
  if (argc != 2) {
    fmt::print(stderr, "usage: look_up FILE\n");
    return 2;
  }
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto ms = [](auto from, auto to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
  };
  // The device and its compiler, which no database makes slower, come first.
  std::shared_ptr<Device> device = open_device("cpu");
  device->compiler().version();
  const auto begin = now();
  Context context(device, open_sqlite_store(argv[1], OpenMode::read_only));
  const Reducer sum = context.reducer({.op = Operator::sum, .type = ElementType::f32});
  const auto opened = now();
  const Explanation first = sum.explain(1 << 20);
  const auto found = now();
  const Explanation second = sum.explain(1 << 14);
  const auto again = now();
  fmt::print(
      "open {:.2f} ms, first look-up {:.2f} ms, together {:.2f} ms; another {:.2f} ms; {}, {}\n",
      ms(begin, opened), ms(opened, found), ms(begin, found), ms(found, again),
      to_string(first.source), to_string(second.source));
  return first.source == ConfigSource::exact ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
