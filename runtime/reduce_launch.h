/// A variant of the family `reduce`: its program, its scratch and its launches.
#pragma once

#include "runtime/plan.h"

namespace foldtune {

Program make_reduce_program(const Variant& variant);

std::size_t reduce_scratch_bytes(const Variant& variant, std::uint32_t blocks, std::uint64_t count);

void enqueue_reduce(const Kernel& kernel, const Variant& variant, std::uint32_t blocks,
                    const Call& call, void* scratch, Stream stream);

}  // namespace foldtune
