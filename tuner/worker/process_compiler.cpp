#include "tuner/worker/process_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <utility>
#include <variant>

#include "cache/printable.h"
#include "foldtune/error.h"
#include "runtime/support/worker_program.h"

namespace foldtune {
namespace {

using Seconds = WorkerSession::Seconds;
using Answer = WorkerSession::Answer;

struct Started {
  std::unique_ptr<WorkerSession> session;
  CompilerHello hello;
};

std::variant<Started, Failure> try_to_start(const ProcessCompilerOptions& options) {
  try {
    auto session = std::make_unique<WorkerSession>(options.command);
    auto hello = expect<CompilerHello>(session->receive(Seconds(options.start_s)), "starting");
    if (auto* const failure = std::get_if<Failure>(&hello)) return std::move(*failure);
    return Started{std::move(session), std::get<CompilerHello>(std::move(hello))};
  } catch (const std::system_error& error) {
    return Failure{Failure::Kind::other, error.what()};
  }
}

Started start(const ProcessCompilerOptions& options) {
  auto started = try_to_start(options);
  if (auto* const process = std::get_if<Started>(&started)) return std::move(*process);
  const auto& failure = std::get<Failure>(started);
  if (failure.kind == Failure::Kind::unavailable) throw_failure(failure);
  throw Unavailable(fmt::format("starting a process that compiles: {}; see whether `{}` works",
                                failure.text,
                                printable(fmt::format("{}", fmt::join(options.command, " ")))));
}

bool has_ended(const Answer& answer) {
  const auto* const fault = std::get_if<WorkerFault>(&answer);
  return fault != nullptr && fault->kind == WorkerFault::Kind::ended;
}

/// Whether the worker has done what it was asked for, as well as it could.
bool is_complete(const Answer& answer) {
  const auto* const reply = std::get_if<Reply>(&answer);
  return reply != nullptr && (std::holds_alternative<CompiledKernel>(*reply) ||
                              std::holds_alternative<Failure>(*reply));
}

/// Everything that is no lack of something on this machine is due to the program.
[[noreturn]] void throw_compile_failure(Failure failure) {
  const bool is_lack =
      failure.kind == Failure::Kind::missing_toolkit || failure.kind == Failure::Kind::unavailable;
  if (!is_lack) failure.kind = Failure::Kind::compile;
  throw_failure(failure);
}

}  // namespace

std::vector<std::string> compiler_command(const std::string& architecture) {
  return worker_program({"compile", architecture});
}

ProcessCompiler::ProcessCompiler(ProcessCompilerOptions options) : options_(std::move(options)) {
  Started first = start(options_);
  version_ = std::move(first.hello.compiler_version);
  idle_.push_back(std::move(first.session));
}

CompiledKernel ProcessCompiler::compile(const Program& program) const {
  Session session = take_idle();
  if (session == nullptr) session = start(options_).session;
  Answer answer = ask(std::move(session), program);
  if (has_ended(answer)) {
    // Someone may have killed it, or the thread that started it has ended. A second end is due to
    // the program.
    answer = ask(start(options_).session, program);
  }
  auto compiled = expect<CompiledKernel>(
      std::move(answer),
      fmt::format("compiling {} in a process of its own", program.name_expressions.front()));
  if (auto* const failure = std::get_if<Failure>(&compiled)) {
    throw_compile_failure(std::move(*failure));
  }
  return std::get<CompiledKernel>(std::move(compiled));
}

/// Null if there is none.
ProcessCompiler::Session ProcessCompiler::take_idle() const {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    Session session = std::move(idle_.back());
    idle_.pop_back();
    if (!session->has_ended()) return session;
  }
  return nullptr;
}

WorkerSession::Answer ProcessCompiler::ask(Session session, const Program& program) const {
  Answer answer = session->ask(program, Seconds(options_.compile_s));
  if (is_complete(answer)) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
  }
  return answer;
}

}  // namespace foldtune
