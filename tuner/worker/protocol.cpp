#include "tuner/worker/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "tuner/problem_json.h"
#include "tuner/worker/record_fields.h"

namespace foldtune {

constexpr Timing last_of(Timing) { return Timing::complete; }
constexpr std::string_view name(Timing timing) {
  constexpr std::string_view kNames[] = {"screening", "comparison", "complete"};
  return kNames[static_cast<int>(timing)];
}
constexpr Family last_of(Family) { return Family::histogram; }
constexpr Failure::Kind last_of(Failure::Kind) { return Failure::Kind::other; }
constexpr std::string_view name(Failure::Kind kind) {
  constexpr std::string_view kNames[] = {"invalid_argument", "unavailable", "compile",
                                         "out_of_memory",    "device",      "other"};
  return kNames[static_cast<int>(kind)];
}

template <FieldsOf<Hello> T, class Visit>
void visit_fields(T& hello, const Visit& visit) {
  visit("info", hello.info);
  visit("compiler_version", hello.compiler_version);
}
template <FieldsOf<ProblemReady> T, class Visit>
void visit_fields(T& ready, const Visit& visit) {
  visit("read_bandwidth_gbps", ready.read_bandwidth_gbps);
}
template <FieldsOf<Begun> T, class Visit>
void visit_fields(T&, const Visit&) {}
template <FieldsOf<Failure> T, class Visit>
void visit_fields(T& failure, const Visit& visit) {
  visit("kind", failure.kind);
  visit("text", failure.text);
}

namespace {

using Json = nlohmann::json;

/// No line is as long: those of custom operators, samples and compilers' logs are below a megabyte.
constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

/// No image is as large: cubins have some ten kilobytes, shared libraries with sanitizers a few
/// megabytes.
constexpr std::uint64_t kMaxImageBytes = std::uint64_t{1} << 30;

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string as_line(std::string_view kind, Json body) {
  return Json{{"kind", kind}, {"body", std::move(body)}}.dump() + '\n';
}

std::string encode_trial(const Trial& trial) {
  Json body{{"family", write_json(family_of(trial.params))},
            {"params", to_json(trial.params)},
            {"timing", write_json(trial.timing)},
            {"samples", trial.samples}};
  if (trial.compiled == nullptr) return as_line("trial", std::move(body));
  const CompiledKernel& compiled = *trial.compiled;
  body["compiled"] = {{"lowered_names", write_json(compiled.lowered_names)},
                      {"compile_ms", write_json(compiled.compile_ms)},
                      {"image_bytes", compiled.image.size()}};
  return as_line("trial", std::move(body)) + compiled.image;
}

Trial decode_trial(const Json& body) {
  return {.params = params_from_json(read_json<Family>(body.at("family")),
                                     body.at("params").get<std::string>()),
          .compiled = nullptr,
          .timing = read_json<Timing>(body.at("timing")),
          .samples = read_json<int>(body.at("samples"))};
}

ProtocolError not_understood(std::string_view line, std::string_view why) {
  constexpr std::size_t kShownBytes = 80;
  return ProtocolError(fmt::format("reading a message '{}{}': {}", line.substr(0, kShownBytes),
                                   line.size() > kShownBytes ? "..." : "", why));
}

/// Calls `take` with the kind and the body of the line; its failures are those of the message.
template <class Take>
auto with_message(std::string_view line, const Take& take) {
  try {
    const Json message = Json::parse(line);
    return take(message.at("kind").get<std::string>(), message.at("body"));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw not_understood(line, error.what());
  }
}

}  // namespace

Failure describe_current_exception() {
  using Kind = Failure::Kind;
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return {Kind::invalid_argument, error.what()};
  } catch (const Unavailable& error) {
    return {Kind::unavailable, error.what()};
  } catch (const CompileError& error) {
    return {Kind::compile, error.what()};
  } catch (const OutOfMemory& error) {
    return {Kind::out_of_memory, error.what()};
  } catch (const DeviceError& error) {
    return {Kind::device, error.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::out_of_memory, "this machine's memory is not enough for that"};
  } catch (const std::exception& error) {
    return {Kind::other, error.what()};
  } catch (...) {
    return {Kind::other, "an exception of an unknown type"};
  }
}

void throw_failure(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::invalid_argument:
      throw InvalidArgument(failure.text);
    case Failure::Kind::unavailable:
      throw Unavailable(failure.text);
    case Failure::Kind::compile:
      throw CompileError(failure.text);
    case Failure::Kind::out_of_memory:
      throw OutOfMemory(failure.text);
    case Failure::Kind::device:
    case Failure::Kind::other:
      break;
  }
  throw DeviceError(failure.text);
}

std::optional<std::string_view> MessageBuffer::line() const {
  const std::string_view rest = after(0);
  const std::size_t end = rest.substr(0, kMaxLineBytes).find('\n');
  if (end != std::string_view::npos) return rest.substr(0, end);
  if (rest.size() >= kMaxLineBytes) throw not_understood(rest, "it has no end");
  return std::nullopt;
}

std::string_view MessageBuffer::after(std::size_t bytes) const {
  return std::string_view(bytes_).substr(begin_ + bytes);
}

void MessageBuffer::drop(std::size_t bytes) {
  begin_ += bytes;
  if (!is_empty()) return;
  bytes_.clear();
  begin_ = 0;
}

std::string encode(const Request& request) {
  return std::visit(Overloaded{
                        [](const SetProblem& set) {
                          return as_line("set_problem", {{"problem", problem_to_json(set.problem)},
                                                         {"largest_count", set.largest_count}});
                        },
                        [](const Trial& trial) { return encode_trial(trial); },
                        [](const Quit&) { return as_line("quit", nullptr); },
                    },
                    request);
}

std::string encode(const Reply& reply) {
  return std::visit(
      Overloaded{
          [](const Hello& hello) { return as_line("hello", write_json(hello)); },
          [](const ProblemReady& ready) { return as_line("problem_ready", write_json(ready)); },
          [](const Begun& begun) { return as_line("begun", write_json(begun)); },
          [](const MeasurementRecord& record) { return as_line("record", write_json(record)); },
          [](const Failure& failure) { return as_line("failure", write_json(failure)); },
      },
      reply);
}

std::optional<Request> take_request(MessageBuffer& buffer) {
  const auto line = buffer.line();
  if (!line) return std::nullopt;
  const std::size_t line_bytes = line->size() + 1;
  std::size_t image_bytes = 0;
  auto request =
      with_message(*line, [&](const std::string& kind, const Json& body) -> std::optional<Request> {
        if (kind == "quit") return Quit{};
        if (kind == "set_problem") {
          return SetProblem{.problem = problem_from_json(body.at("problem")),
                            .largest_count = read_json<std::uint64_t>(body.at("largest_count"))};
        }
        if (kind != "trial") throw ProtocolError("there is no such request");
        Trial trial = decode_trial(body);
        if (!body.contains("compiled")) return trial;
        const Json& json = body["compiled"];
        const auto bytes = read_json<std::uint64_t>(json.at("image_bytes"));
        if (bytes > kMaxImageBytes) throw ProtocolError("its image is too large");
        const std::string_view rest = buffer.after(line_bytes);
        if (rest.size() < bytes) return std::nullopt;
        image_bytes = bytes;
        trial.compiled = std::make_shared<const CompiledKernel>(CompiledKernel{
            .image = std::string(rest.substr(0, bytes)),
            .lowered_names = read_json<std::vector<std::string>>(json.at("lowered_names")),
            .compile_ms = read_json<double>(json.at("compile_ms"))});
        return trial;
      });
  if (request) buffer.drop(line_bytes + image_bytes);
  return request;
}

std::optional<Reply> take_reply(MessageBuffer& buffer) {
  const auto line = buffer.line();
  if (!line) return std::nullopt;
  Reply reply = with_message(*line, [](const std::string& kind, const Json& body) -> Reply {
    if (kind == "hello") return read_json<Hello>(body);
    if (kind == "problem_ready") return read_json<ProblemReady>(body);
    if (kind == "begun") return Begun{};
    if (kind == "record") return read_json<MeasurementRecord>(body);
    if (kind == "failure") return read_json<Failure>(body);
    throw ProtocolError("there is no such reply");
  });
  buffer.drop(line->size() + 1);
  return reply;
}

}  // namespace foldtune
