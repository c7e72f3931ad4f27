/// cub::DeviceReduce behind plain C++, so that nvcc compiles one small file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "foldtune/catalog.h"
#include "foldtune/stream.h"

namespace foldtune::bench {

/// Bytes of temporary storage that `cub_reduce` wants for `count` elements. Throws InvalidArgument
/// for an operator or a type that is not compared, DeviceError where CUB fails.
std::size_t cub_storage_bytes(Operator op, ElementType type, std::uint32_t count);

/// Enqueues cub::DeviceReduce::Sum, Min or Max of `input[0, count)`, elements of `type`, into
/// `*output`, which is of the same type: CUB then accumulates in that type too. Calls on one stream
/// may share the storage. Throws as `cub_storage_bytes` does.
void cub_reduce(Operator op, ElementType type, void* storage, std::size_t storage_bytes,
                const void* input, std::uint32_t count, void* output, Stream stream);

/// "3.0.1".
std::string cub_version();

}  // namespace foldtune::bench
