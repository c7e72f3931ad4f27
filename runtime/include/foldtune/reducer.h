/// A reduction that is ready to be called.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "foldtune/explanation.h"
#include "foldtune/export.h"
#include "foldtune/reduction.h"
#include "foldtune/result.h"
#include "foldtune/stream.h"

namespace foldtune {

class ReducePlan;

/// Reduces inputs of one operator and type, of any count. A handle: copies share everything but the
/// promise of `with_inputs_ready`. It may be used when the context that made it is gone. Member
/// functions may be called from several threads, on any streams.
class FOLDTUNE_API Reducer {
 public:
  /// Enqueues the reduction of `input[0, count)` into `*output` on `stream`, and returns. `input`
  /// and `output` are memory of the context's device; `input` holds elements of the problem's type
  /// and is aligned to them, `output` is one result (ResultShape) of its result type and may not
  /// overlap the input. It may be pinned host memory, too. An empty input gives the operator's
  /// identity, where it has one.
  ///
  /// The first call for a size class and alignment looks up its configuration, compiles and loads
  /// it; the first call on a stream allocates scratch, if any is needed. All later ones take no
  /// lock and allocate nothing.
  ///
  /// While the stream is being captured nothing can be compiled, and the first call for a size is
  /// an InvalidArgument: call `prepare` before, on any stream. A captured call allocates scratch of
  /// its own, which lives as long as the graph and what is instantiated or cloned of it, so that
  /// graphs may be replayed on any streams, at the same time as one another and as other calls. One
  /// graph that is instantiated twice, or is the child of others twice, is the exception: its
  /// copies share output and scratch, and must not run at the same time. A graph must not be
  /// replayed when the context and all of its handles are gone.
  ///
  /// Throws InvalidArgument for a wrong argument, before anything is launched; NotTuned by
  /// MissPolicy; CompileError, Unavailable, DeviceError where those steps fail. A call that threw
  /// leaves nothing behind that the next one would meet, unless a kernel was aborted: the CUDA
  /// context is lost then.
  void operator()(const void* input, std::uint64_t count, void* output,
                  Stream stream = nullptr) const;

  /// The same for an operator of several inputs, of `count` elements each.
  void operator()(std::initializer_list<const void*> inputs, std::uint64_t count, void* output,
                  Stream stream = nullptr) const;

  /// Enqueues the reduction, waits for its result, and with it for all earlier work of the stream,
  /// and returns it. T is what the result is: a number of the problem's result type, IndexedValue
  /// or MinMax of it; any other one is an InvalidArgument. Not while the stream is being captured.
  /// Errors of earlier work of the stream are thrown here, too. It looks for the result for up to
  /// 100 us, and then lets the driver wait, as the flags of the CUDA context say. After a few calls
  /// of the same size it keeps 0.1 MB of device memory, so that the next ones take less of the
  /// host's time.
  template <class T>
  T value(std::initializer_list<const void*> inputs, std::uint64_t count,
          Stream stream = nullptr) const {
    T result;
    read_value(inputs, count, ResultTypeOf<T>::kValue, &result, stream);
    return result;
  }
  /// The same for an operator of one input.
  template <class T>
  T value(const void* input, std::uint64_t count, Stream stream = nullptr) const {
    return value<T>({input}, count, stream);
  }

  /// The same where only the program's caller knows the result's type: writes it to `result`, host
  /// memory of `bytes`, which is InvalidArgument unless it is Reduction::result_bytes().
  void read_value(std::initializer_list<const void*> inputs, std::uint64_t count, void* result,
                  std::size_t bytes, Stream stream = nullptr) const;

  /// Does everything that the first call for `count` elements of `input`'s alignment on `stream`
  /// would do, except the launch. `input` is not read.
  void prepare(const void* input, std::uint64_t count, Stream stream = nullptr) const;

  /// The same for an operator of several inputs.
  void prepare(std::initializer_list<const void*> inputs, std::uint64_t count,
               Stream stream = nullptr) const;

  /// The plan of the size class of `count`, for inputs of this alignment: looked up, compiled and
  /// loaded now, if no call did. It makes the promise of `with_inputs_ready` if this handle does.
  /// Throws what a first call throws.
  ReducePlan plan(std::uint64_t count, Alignment alignment = Alignment::vector) const;

  /// A handle whose calls promise that at the time of the call no work still to be done, in
  /// whatever stream, writes the inputs. On GPUs of compute capability 9.0 and above they are then
  /// read while the stream's earlier work is running. Output and scratch wait for it as ever.
  ///
  /// Where the promise is false the result may be that of old or half-written inputs, without an
  /// error: do not make it for what an earlier kernel or copy of the stream produces, unless the
  /// host has waited for that, nor for a call that is captured in a graph with what produces its
  /// inputs.
  Reducer with_inputs_ready() const;

  /// The configuration for `count` elements at an address aligned to 16 bytes. Where its kernel can
  /// be neither found nor compiled the reason says so; a call throws Unavailable then.
  Explanation explain(std::uint64_t count) const;

  /// What is reduced; its count and alignment are those of no call. Valid as long as a handle of
  /// the context, or the context.
  const Reduction& problem() const;

 private:
  friend class Context;
  friend class ReducePlan;
  class FOLDTUNE_LOCAL State;
  explicit Reducer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void read_value(std::initializer_list<const void*> inputs, std::uint64_t count, ResultType type,
                  void* result, Stream stream) const;
  void call_and_wait(std::initializer_list<const void*> inputs, std::uint64_t count, void* result,
                     Stream stream) const;

  std::shared_ptr<State> state_;
  bool inputs_ready_ = false;
};

}  // namespace foldtune
