/// cub::DeviceHistogram behind plain C++, so that nvcc compiles one small file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foldtune/stream.h"

namespace foldtune::bench {

/// Bytes of temporary storage that `cub_count_bytes` wants for `count` elements. Throws
/// DeviceError.
std::size_t cub_count_bytes_storage(std::uint32_t count);

/// Enqueues cub::DeviceHistogram::HistogramEven of `input[0, count)`, bytes, into the 256 counts of
/// `output`. `count` is below 2^31. Calls on one stream may share the storage. Throws DeviceError.
void cub_count_bytes(void* storage, std::size_t storage_bytes, const std::uint8_t* input,
                     std::uint32_t count, std::uint32_t* output, Stream stream);

}  // namespace foldtune::bench
