/// The tuning of a workload at the moment when a program meets it, by foldtune-worker: the library
/// has no tuner in it.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "foldtune/workload.h"

namespace foldtune {

/// What a worker that tunes is asked for.
struct TuneRequest {
  Workload workload;
  std::string device;    ///< "cuda:0"
  std::string database;  ///< where what is measured is kept; empty: in the default one
  double budget_s = 0;   ///< of wall time
};

/// Its answer.
struct Tuned {
  std::string config;  ///< a JSON object; empty: nothing could be timed
  std::string reason;  ///< why not
};

// As the bodies of messages (tuner/worker/protocol.h), of the kinds "tune" and "tuned". Reading
// throws std::exception for anything else.
nlohmann::json tune_request_to_json(const TuneRequest& request);
TuneRequest tune_request_from_json(const nlohmann::json& json);
nlohmann::json tuned_to_json(const Tuned& tuned);
Tuned tuned_from_json(const nlohmann::json& json);

/// For OnMiss::tune without a function of the program's: starts a worker for each workload, one at
/// a time, and waits for it. The function throws Unavailable if the worker cannot be started, and
/// what the tuning throws.
std::function<Tuned(const Workload& workload)> tune_in_worker(std::string device,
                                                              std::string database,
                                                              double budget_s);

}  // namespace foldtune
