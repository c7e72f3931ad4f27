/// The worker's side: trials, or compilations, for another process.
#pragma once

#include <functional>

#include "runtime/api/tune_on_miss.h"
#include "runtime/device/compiler.h"
#include "tuner/measure/evaluator.h"

namespace foldtune {

/// The descriptors through which a worker hears and speaks. Borrowed.
struct WorkerLine {
  int requests = 0;
  int replies = 1;
};

/// Answers the requests of the line (protocol.h) until it is asked to quit, until the requests end,
/// or until a trial has crashed, after which nothing more can be tried. Throws ProtocolError for a
/// request that cannot be understood, and what a trial throws.
void serve(Evaluator& evaluator, const WorkerLine& line);

/// The same for programs. What the compiler throws of Foldtune's errors becomes a Failure on the
/// line.
void serve(const Compiler& compiler, const WorkerLine& line);

/// The same for problems to be tuned, without a greeting. What `tune` throws goes on.
void serve(Tuned (*tune)(const TuneRequest& request), const WorkerLine& line);

/// What a worker process does in all. Takes stdin and stdout for the line, and lets `work` serve
/// it; what else is written to stdout goes to stderr. An exception of `work` becomes a Failure on
/// the line. Returns the exit status.
///
/// The process ends with the thread that started it: on Linux at once, even while a kernel hangs.
int run_worker(const std::function<void(const WorkerLine& line)>& work);

}  // namespace foldtune
