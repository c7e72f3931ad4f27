/// Who takes part in a comparison.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cache/config_store.h"
#include "foldtune/context.h"
#include "tuner/measure/measure.h"

namespace foldtune::bench {

struct Contender {
  std::string name;     ///< one of kContenders
  Enqueues in_graph{};  ///< a call that is captured, with its temporary memory in several places
  Enqueue direct{};     ///< a call as a program makes it, with all that the host does for it
  Enqueue waited{};     ///< the same, until the host has the result
  /// Where `waited` leaves the result, in the host's memory; empty: where the call has its output.
  std::span<const std::byte> waited_result{};
  Measurer::Translate translate = nullptr;
  std::shared_ptr<Context> context{};  ///< of Foldtune: what `direct` and `waited` go through
  std::string config{};                ///< of Foldtune: the tunables as JSON
  std::string source{};                ///< of Foldtune: "exact", "near size", "default"
};

// The device and the pool, whose inputs are those of the workload, must outlive the contenders.

/// Foldtune with what `store` knows (null: untuned), compiled and ready to be called, with or
/// without the promise of Reducer::with_inputs_ready(). Throws CompileError, DeviceError,
/// DatabaseError.
Contender make_foldtune(std::string_view name, const std::shared_ptr<Device>& device,
                        const std::shared_ptr<const ConfigStore>& store, const Workload& workload,
                        const InputPool& pool, bool inputs_ready);

/// Empty if the library has no function for the workload. Throws DeviceError, Unavailable where the
/// library is not there.
std::optional<Contender> make_cub(Device& device, const Workload& workload);
std::optional<Contender> make_cublas(Device& device, const Workload& workload,
                                     const InputPool& pool);

}  // namespace foldtune::bench
