/// What the main function of an example does.
#pragma once

#include <foldtune/error.h>

#include <cstdio>
#include <exception>
#include <string>

/// Runs `example` on the device that the command line names, "cuda:0" if it names none, and returns
/// the exit code: what `example` returns, 77 where there is no such device (a skipped test, for
/// CTest), 2 for any other error.
template <class Example>
int run_example(int argc, char** argv, const Example& example) {
  try {
    return example(std::string(argc > 1 ? argv[1] : "cuda:0"));
  } catch (const foldtune::Unavailable& error) {
    std::fprintf(stderr, "skipped: %s\n", error.what());
    return 77;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
