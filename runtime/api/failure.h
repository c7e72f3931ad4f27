/// What went wrong in another process of ours.
#pragma once

#include <string>
#include <string_view>

#include "templates/json_fields.h"

namespace foldtune {

/// An exception, by its class.
struct Failure {
  enum class Kind {
    invalid_argument,
    unavailable,
    missing_toolkit,
    compile,
    out_of_memory,
    device,
    database,
    other
  };
  Kind kind = Kind::other;
  std::string text;
};

/// The exception that is being handled. Must be called in a handler.
Failure describe_current_exception();

/// Throws what the failure describes; DeviceError for the kind `other`.
[[noreturn]] void throw_failure(const Failure& failure);

// For json_fields.h.
constexpr Failure::Kind last_of(Failure::Kind) { return Failure::Kind::other; }
constexpr std::string_view name(Failure::Kind kind) {
  constexpr std::string_view kNames[] = {"invalid_argument", "unavailable",   "missing_toolkit",
                                         "compile",          "out_of_memory", "device",
                                         "database",         "other"};
  return kNames[static_cast<int>(kind)];
}
template <FieldsOf<Failure> T, class Visit>
void visit_fields(T& failure, const Visit& visit) {
  visit("kind", failure.kind);
  visit("text", failure.text);
}

}  // namespace foldtune
