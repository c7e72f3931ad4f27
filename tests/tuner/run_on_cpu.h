/// `foldtune run` on the CPU device, as the tests call it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/tuner/program.h"

namespace foldtune::test {

inline Outcome run_cpu(const Workplace& place, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "--device", "cpu", "--repeat", "1"});
  return place.run(arguments);
}

/// Its JSON report. It has to succeed.
inline nlohmann::json report_of_run(const Workplace& place, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run_cpu(place, std::move(arguments));
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return nlohmann::json::parse(outcome.out);
}

}  // namespace foldtune::test
