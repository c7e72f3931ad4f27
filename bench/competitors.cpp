#include "bench/competitors.h"

#include "bench/cub_reduce.h"

namespace foldtune::bench {
namespace {

Competitor make_foldtune(std::string name, Context& context, const Problem& problem) {
  const Reducer reducer = context.reducer(problem);
  return {.name = std::move(name),
          .prepare = [reducer](const void* input, std::uint64_t count,
                               Stream stream) { reducer.prepare(input, count, stream); },
          .call = [reducer](const void* input, std::uint64_t count, void* output,
                            Stream stream) { reducer(input, count, output, stream); },
          .explain = [reducer](std::uint64_t count) { return reducer.explain(count); }};
}

/// One storage for all calls: those of a stream run one after another.
Competitor make_cub(const std::shared_ptr<Device>& device, const Problem& problem,
                    std::uint32_t most) {
  const auto storage =
      std::make_shared<DeviceBuffer>(*device, cub_storage_bytes(problem.op, problem.type, most));
  return {.name = "CUB",
          .prepare = [](const void*, std::uint64_t, Stream) {},
          .call =
              [device, storage, problem](const void* input, std::uint64_t count, void* output,
                                         Stream stream) {
                cub_reduce(problem.op, problem.type, storage->data(), storage->size(), input,
                           static_cast<std::uint32_t>(count), output, stream);
              },
          .explain = nullptr};
}

}  // namespace

std::vector<Competitor> make_competitors(const std::shared_ptr<Device>& device, Context& tuned,
                                         Context& untuned, const Problem& problem,
                                         std::uint32_t most) {
  return {make_foldtune("tuned", tuned, problem), make_foldtune("untuned", untuned, problem),
          make_cub(device, problem, most)};
}

}  // namespace foldtune::bench
