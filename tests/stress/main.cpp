// The program `stress`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tests/stress/stress.h"

int main(int argc, char** argv) {
  using namespace foldtune::stress;
  CLI::App app("Calls Foldtune until something is wrong. Exit code: 0 if nothing was, else 1.",
               "stress");
  app.require_subcommand(1);

  ThreadsOptions threads;
  CLI::App* const threads_verb = app.add_subcommand(
      "threads", "Calls of any size, operator and type from many threads on many streams");
  threads_verb->add_option("--device", threads.device, "cuda:N or cpu")->capture_default_str();
  threads_verb->add_option("--threads", threads.threads)->capture_default_str();
  threads_verb->add_option("--streams", threads.streams)->capture_default_str();
  threads_verb->add_option("--calls", threads.calls, "Of each thread")->capture_default_str();
  threads_verb->add_option("--largest", threads.largest, "Elements")->capture_default_str();
  threads_verb->add_option("--seed", threads.seed)->capture_default_str();

  GraphsOptions graphs;
  CLI::App* const graphs_verb =
      app.add_subcommand("graphs", "Replays of a graph in which streams meet");
  graphs_verb->add_option("--device", graphs.device, "cuda:N")->capture_default_str();
  graphs_verb->add_option("--replays", graphs.replays)->capture_default_str();

  CapturesOptions captures;
  CLI::App* const captures_verb = app.add_subcommand(
      "captures", "Graphs that were captured on one stream, replayed at the same time");
  captures_verb->add_option("--device", captures.device, "cuda:N")->capture_default_str();
  captures_verb->add_option("--rounds", captures.rounds)->capture_default_str();
  captures_verb->add_option("--patience", captures.patience_s, "Seconds without a result")
      ->capture_default_str();

  std::string device = "cpu";
  CLI::App* const bad_calls_verb =
      app.add_subcommand("bad-calls", "Every mistake, and a good call after each");
  bad_calls_verb->add_option("--device", device, "cuda:N or cpu")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // in its order among the errors, into a file too
  try {
    if (*threads_verb) run_threads(threads);
    if (*graphs_verb) run_graphs(graphs);
    if (*captures_verb) run_captures(captures);
    if (*bad_calls_verb) run_bad_calls(device);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stress: error: {}\n", error.what());
    return 1;
  }
}
