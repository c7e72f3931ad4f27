#include "runtime/recall.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/hash.h"
#include "runtime/build_fingerprint.h"
#include "runtime/variant.h"

namespace foldtune {
namespace {

/// All that a look-up depends on, but for the databases. Another build may have other rules.
std::string memo_key(const Device& device, const Problem& problem) {
  const DeviceRecord& hardware = device.quick_info().record;
  const ProblemKey key = make_problem_key(problem);
  const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
  return serialised_field("build", build_fingerprint()) + serialised_field("kind", hardware.kind) +
         serialised_field("name", hardware.name) +
         serialised_field("architecture", hardware.architecture) +
         serialised_field("multiprocessor_count", number(hardware.multiprocessor_count)) +
         serialised_field("memory_bus_bits", number(hardware.memory_bus_bits)) +
         serialised_field("l2_bytes", number(hardware.l2_bytes)) +
         serialised_field("driver", hardware.driver) + serialised_field("op", key.op) +
         serialised_field("element_type", key.element_type) +
         serialised_field("accumulator_type", key.accumulator_type) +
         serialised_field("result_type", name(problem.result_type())) +
         serialised_field("alignment", key.alignment) +
         serialised_field("determinism", key.determinism) +
         serialised_field("options", key.options) + serialised_field("ddof", number(problem.ddof)) +
         serialised_field("size_class", number(key.size_class));
}

std::string text_of(double value) { return fmt::format("{}", value); }

/// Reads fields in the order in which they were written. Throws std::invalid_argument.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}

  std::string text(std::string_view name) {
    const auto field = take_field(text_, name);
    if (!field) throw std::invalid_argument(std::string(name));
    return std::string(*field);
  }
  template <class Number>
  Number number(std::string_view name) {
    const std::string digits = text(name);
    Number value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || *end != '\0') throw std::invalid_argument(std::string(name));
    return value;
  }

 private:
  std::string_view text_;
};

/// What tells programs apart, as far as the key does not.
std::string text_of(const Program& program) {
  std::string text = serialised_field("source", program.source);
  for (const std::string& name : program.name_expressions) text += serialised_field("name", name);
  return text;
}

Match read_match(Fields& fields) {
  Match match;
  match.quality =
      fields.number<int>("is_exact") == 1 ? MatchQuality::exact : MatchQuality::near_size;
  match.is_marked = fields.number<int>("is_marked") == 1;
  match.result.run.compiler = fields.text("compiler");
  match.result.measurement.count = fields.number<std::uint64_t>("count");
  match.result.measurement.median_us = fields.number<double>("median_us");
  return match;
}

std::string text_of(const Match& match) {
  const MeasurementRecord& measurement = match.result.measurement;
  return serialised_field("is_exact", match.quality == MatchQuality::exact ? 1 : 0) +
         serialised_field("is_marked", match.is_marked ? 1 : 0) +
         serialised_field("compiler", match.result.run.compiler) +
         serialised_field("count", std::to_string(measurement.count)) +
         serialised_field("median_us", text_of(measurement.median_us));
}

KeptKernel read_kernel(Fields& fields) {
  KeptKernel kept;
  kept.key = {.program = fields.text("kernel"),
              .architecture = fields.text("architecture"),
              .compiler = fields.text("compiler")};
  kept.used_at = fields.text("used_at");
  CompiledKernel kernel;
  kernel.lowered_names.resize(fields.number<std::size_t>("names"));
  for (std::string& name : kernel.lowered_names) name = fields.text("name");
  kernel.compile_ms = fields.number<double>("compile_ms");
  kernel.image = fields.text("image");
  kept.kernel = std::make_shared<const CompiledKernel>(std::move(kernel));
  return kept;
}

std::string text_of(const KeptKernel& kept) {
  const CompiledKernel& kernel = *kept.kernel;
  std::string text = serialised_field("kernel", kept.key.program) +
                     serialised_field("architecture", kept.key.architecture) +
                     serialised_field("compiler", kept.key.compiler) +
                     serialised_field("used_at", kept.used_at) +
                     serialised_field("names", std::to_string(kernel.lowered_names.size()));
  for (const std::string& name : kernel.lowered_names) text += serialised_field("name", name);
  return text + serialised_field("compile_ms", text_of(kernel.compile_ms)) +
         serialised_field("image", kernel.image);
}

}  // namespace

std::optional<Choice> recall(const LookupMemo* memo, const Device& device, const Problem& problem,
                             KernelCache& kernels) {
  if (memo == nullptr || !memo->has_entries()) return std::nullopt;
  const std::optional<std::string> text = memo->find(memo_key(device, problem));
  if (!text) return std::nullopt;
  try {
    Fields fields(*text);
    const Params params = params_from_json(family_of(problem.op), fields.text("params"));
    if (!Space(problem).contains(params)) return std::nullopt;
    const Program program = make_program({.problem = problem, .params = params});
    if (fields.text("program") != text_of(program)) return std::nullopt;
    Choice choice{.params = params,
                  .match = std::nullopt,
                  .reason = fields.text("reason"),
                  .expected_loss = fields.number<double>("expected_loss")};
    if (fields.number<int>("is_tuned") == 1) choice.match = read_match(fields);
    KeptKernel kept = read_kernel(fields);
    if (!kept.used_at.empty() && is_use_to_note(kept.used_at)) return std::nullopt;
    kernels.adopt(program, std::move(kept));
    return choice;
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // Of another version: its file holds, but not for this one.
  }
}

void remember(LookupMemo* memo, const Device& device, const Problem& problem, const Choice& choice,
              KernelCache& kernels) {
  if (memo == nullptr) return;
  const Program program = make_program({.problem = problem, .params = choice.params});
  const std::optional<KeptKernel> kept = kernels.kept(program);
  if (!kept) return;
  memo->put(memo_key(device, problem),
            serialised_field("params", to_json(choice.params)) +
                serialised_field("program", text_of(program)) +
                serialised_field("reason", choice.reason) +
                serialised_field("expected_loss", text_of(choice.expected_loss)) +
                serialised_field("is_tuned", choice.match ? 1 : 0) +
                (choice.match ? text_of(*choice.match) : std::string()) + text_of(*kept));
}

}  // namespace foldtune
