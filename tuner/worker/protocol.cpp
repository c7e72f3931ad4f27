#include "tuner/worker/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "templates/family.h"
#include "templates/workload_json.h"
#include "tuner/worker/record_fields.h"

namespace foldtune {

constexpr Timing last_of(Timing) { return Timing::complete; }
constexpr std::string_view name(Timing timing) {
  constexpr std::string_view kNames[] = {"screening", "comparison", "complete"};
  return kNames[static_cast<int>(timing)];
}

template <FieldsOf<Hello> T, class Visit>
void visit_fields(T& hello, const Visit& visit) {
  visit("info", hello.info);
  visit("compiler_version", hello.compiler_version);
}
template <FieldsOf<CompilerHello> T, class Visit>
void visit_fields(T& hello, const Visit& visit) {
  visit("compiler_version", hello.compiler_version);
}
template <FieldsOf<WorkloadReady> T, class Visit>
void visit_fields(T& ready, const Visit& visit) {
  visit("read_bandwidth_gbps", ready.read_bandwidth_gbps);
}
template <FieldsOf<Begun> T, class Visit>
void visit_fields(T&, const Visit&) {}
template <FieldsOf<Program> T, class Visit>
void visit_fields(T& program, const Visit& visit) {
  visit("source", program.source);
  visit("name_expressions", program.name_expressions);
  visit("needs_toolkit", program.needs_toolkit);
  visit("fuses_multiply_add", program.fuses_multiply_add);
}
/// All but the image, which follows the line.
template <FieldsOf<CompiledKernel> T, class Visit>
void visit_fields(T& compiled, const Visit& visit) {
  visit("lowered_names", compiled.lowered_names);
  visit("compile_ms", compiled.compile_ms);
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

Json compiled_to_json(const CompiledKernel& compiled) {
  Json json = write_json(compiled);
  json["image_bytes"] = compiled.image.size();
  return json;
}

std::string encode_compiled(const CompiledKernel& compiled) {
  return as_line("compiled", compiled_to_json(compiled)) + compiled.image;
}

std::string encode_trial(const Trial& trial) {
  Json body{{"family", trial.params.family().name()},
            {"params", to_json(trial.params)},
            {"timing", write_json(trial.timing)},
            {"samples", trial.samples},
            {"left_s", write_json(trial.left_s)}};
  if (trial.compiled == nullptr) return as_line("trial", std::move(body));
  body["compiled"] = compiled_to_json(*trial.compiled);
  return as_line("trial", std::move(body)) + trial.compiled->image;
}

/// What there is behind a line, and how much of it belongs to the line's message.
struct Behind {
  std::string_view bytes;
  std::size_t taken = 0;
};

/// Empty if its image is not complete.
std::optional<CompiledKernel> take_compiled(const Json& json, Behind& behind) {
  const auto bytes = read_json<std::uint64_t>(json.at("image_bytes"));
  if (bytes > kMaxImageBytes) throw ProtocolError("its image is too large");
  auto compiled = read_json<CompiledKernel>(json);
  if (behind.bytes.size() < bytes) return std::nullopt;
  compiled.image = behind.bytes.substr(0, bytes);
  behind.taken = bytes;
  return compiled;
}

std::optional<Trial> take_trial(const Json& body, Behind& behind) {
  const auto family = body.at("family").get<std::string>();
  const Family* const known = find_family(family);
  if (known == nullptr) throw ProtocolError(fmt::format("there is no family '{}'", family));
  Trial trial{.params = config_from_json(*known, body.at("params").get<std::string>()),
              .compiled = nullptr,
              .timing = read_json<Timing>(body.at("timing")),
              .samples = read_json<int>(body.at("samples")),
              .left_s = read_json<double>(body.at("left_s"))};
  if (!body.contains("compiled")) return trial;
  auto compiled = take_compiled(body["compiled"], behind);
  if (!compiled) return std::nullopt;
  trial.compiled = std::make_shared<const CompiledKernel>(std::move(*compiled));
  return trial;
}

ProtocolError not_understood(std::string_view line, std::string_view why) {
  constexpr std::size_t kShownBytes = 80;
  return ProtocolError(fmt::format("reading a message '{}{}': {}", line.substr(0, kShownBytes),
                                   line.size() > kShownBytes ? "..." : "", why));
}

/// `decode` makes the message of its kind, its body and what there is behind its line; of nothing
/// if that is not complete. Its failures are those of the message.
template <class Message, class Decode>
std::optional<Message> take(MessageBuffer& buffer, const Decode& decode) {
  const auto line = buffer.line();
  if (!line) return std::nullopt;
  const std::size_t line_bytes = line->size() + 1;
  Behind behind{.bytes = buffer.after(line_bytes)};
  std::optional<Message> message;
  try {
    const Json json = Json::parse(*line);
    message = decode(json.at("kind").get<std::string>(), json.at("body"), behind);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw not_understood(*line, error.what());
  }
  if (message) buffer.drop(line_bytes + behind.taken);
  return message;
}

}  // namespace

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
  return std::visit(
      Overloaded{
          [](const SetWorkload& set) {
            return as_line("set_workload", {{"workload", workload_to_json(set.workload)},
                                            {"largest", workload_to_json(set.largest)}});
          },
          [](const Announce& next) {
            return as_line("announce", {{"workload", workload_to_json(next.workload)}});
          },
          [](const Trial& trial) { return encode_trial(trial); },
          [](const Program& program) { return as_line("compile", write_json(program)); },
          [](const TuneRequest& tune) { return as_line("tune", tune_request_to_json(tune)); },
          [](const Quit&) { return as_line("quit", nullptr); },
      },
      request);
}

std::string encode(const Reply& reply) {
  return std::visit(
      Overloaded{
          [](const Hello& hello) { return as_line("hello", write_json(hello)); },
          [](const CompilerHello& hello) { return as_line("compiler_hello", write_json(hello)); },
          [](const WorkloadReady& ready) { return as_line("workload_ready", write_json(ready)); },
          [](const Begun& begun) { return as_line("begun", write_json(begun)); },
          [](const MeasurementRecord& record) { return as_line("record", write_json(record)); },
          [](const CompiledKernel& compiled) { return encode_compiled(compiled); },
          [](const Tuned& tuned) { return as_line("tuned", tuned_to_json(tuned)); },
          [](const Failure& failure) { return as_line("failure", write_json(failure)); },
      },
      reply);
}

std::optional<Request> take_request(MessageBuffer& buffer) {
  return take<Request>(
      buffer,
      [](const std::string& kind, const Json& body, Behind& behind) -> std::optional<Request> {
        if (kind == "quit") return Quit{};
        if (kind == "set_workload") {
          return SetWorkload{.workload = workload_from_json(body.at("workload")),
                             .largest = workload_from_json(body.at("largest"))};
        }
        if (kind == "announce") {
          return Announce{.workload = workload_from_json(body.at("workload"))};
        }
        if (kind == "trial") return take_trial(body, behind);
        if (kind == "compile") return read_json<Program>(body);
        if (kind == "tune") return tune_request_from_json(body);
        throw ProtocolError("there is no such request");
      });
}

std::optional<Reply> take_reply(MessageBuffer& buffer) {
  return take<Reply>(
      buffer,
      [](const std::string& kind, const Json& body, Behind& behind) -> std::optional<Reply> {
        if (kind == "hello") return read_json<Hello>(body);
        if (kind == "compiler_hello") return read_json<CompilerHello>(body);
        if (kind == "workload_ready") return read_json<WorkloadReady>(body);
        if (kind == "begun") return Begun{};
        if (kind == "record") return read_json<MeasurementRecord>(body);
        if (kind == "compiled") return take_compiled(body, behind);
        if (kind == "tuned") return tuned_from_json(body);
        if (kind == "failure") return read_json<Failure>(body);
        throw ProtocolError("there is no such reply");
      });
}

}  // namespace foldtune
