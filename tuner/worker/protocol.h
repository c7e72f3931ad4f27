/// What the tuner and its workers say to each other.
///
/// A message is an object of JSON on a line of its own. The line of a compiled kernel, and of a
/// trial with one, says how many bytes its image has, and they follow the line. A worker that tries
/// configurations begins with `Hello`, one that compiles with `CompilerHello`, one that tunes with
/// nothing, one that cannot work with a `Failure` that says why; then it answers one request after
/// the other:
///
///     SetWorkload ->  Begun before each kernel of unknown duration, then WorkloadReady, or Failure
///     Announce    ->  nothing
///     Trial       ->  Begun, and then MeasurementRecord, or Failure
///     Program     ->  CompiledKernel, or Failure
///     TuneRequest ->  Begun at once, then Tuned, or Failure
///     Quit        ->  nothing: it ends, as it does at the end of its input
///
/// Workloads and trials are for a worker that tries, programs for one that compiles, and what is to
/// be tuned for one that tunes, which the library asks itself (runtime/api/tune_on_miss.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "foldtune/error.h"
#include "runtime/api/failure.h"
#include "runtime/api/tune_on_miss.h"
#include "runtime/device/compiler.h"
#include "tuner/measure/evaluator.h"

namespace foldtune {

/// A message that cannot be understood.
class ProtocolError : public Error {
 public:
  using Error::Error;
};

struct SetWorkload {
  Workload workload;
  Workload largest;  ///< as Evaluator::set_workload takes it
};
/// The workload after the present one.
struct Announce {
  Workload workload;
};
struct Quit {};
using Request = std::variant<SetWorkload, Announce, Trial, Program, TuneRequest, Quit>;

struct Hello {
  DeviceInfo info;
  std::string compiler_version;
};
struct CompilerHello {
  std::string compiler_version;
};
struct WorkloadReady {
  double read_bandwidth_gbps = 0;
};
/// The trial was received, or the workload's code is run: what happens from now on is due to it.
struct Begun {};
using Reply = std::variant<Hello, CompilerHello, WorkloadReady, Begun, MeasurementRecord,
                           CompiledKernel, Tuned, Failure>;

/// Bytes as they come, cut into what messages consist of.
class MessageBuffer {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  bool is_empty() const { return begin_ == bytes_.size(); }

  /// The next line, without its end; empty if it is not complete. Throws ProtocolError for one that
  /// is too long for any message.
  std::optional<std::string_view> line() const;
  /// What there is behind the next `bytes` bytes.
  std::string_view after(std::size_t bytes) const;
  void drop(std::size_t bytes);

 private:
  std::string bytes_;
  std::size_t begin_ = 0;  ///< of what was not taken
};

std::string encode(const Request& request);
std::string encode(const Reply& reply);

/// Takes the next message out of the buffer; empty if it is not complete. Throws ProtocolError,
/// after which the buffer is of no use.
std::optional<Request> take_request(MessageBuffer& buffer);
std::optional<Reply> take_reply(MessageBuffer& buffer);

}  // namespace foldtune
