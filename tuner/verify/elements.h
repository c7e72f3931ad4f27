/// Elements of every type on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "foldtune/catalog.h"
#include "templates/device/types.cuh"

namespace foldtune {

/// Calls `function` with a value of the C++ type of `type`, as the device code names it.
template <class Function>
auto with_type(ElementType type, const Function& function) {
  switch (type) {
    case ElementType::i8:
      return function(static_cast<signed char>(0));
    case ElementType::u8:
      return function(static_cast<unsigned char>(0));
    case ElementType::i16:
      return function(short{});
    case ElementType::u16:
      return function(static_cast<unsigned short>(0));
    case ElementType::i32:
      return function(int32{});
    case ElementType::u32:
      return function(uint32{});
    case ElementType::i64:
      return function(int64{});
    case ElementType::u64:
      return function(uint64{});
    case ElementType::f16:
      return function(float16{});
    case ElementType::bf16:
      return function(bfloat16{});
    case ElementType::f32:
      return function(float{});
    case ElementType::f64:
      break;
  }
  return function(double{});
}

/// What holds every element of type T exactly.
template <class T>
using Exact =
    std::conditional_t<kIsFloating<Held<T>>, long double,
                       std::conditional_t<std::is_signed_v<Held<T>>, std::int64_t, std::uint64_t>>;

template <class T>
Exact<T> exact(T element) {
  return static_cast<Exact<T>>(load_number(element));
}

/// An element at any address.
template <class T>
T read(const void* address) {
  T element;
  std::memcpy(&element, address, sizeof(T));
  return element;
}

/// Half the distance from 1 to the next number, of a floating-point type.
inline long double unit_roundoff(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 0x1p-11L;
    case ElementType::bf16:
      return 0x1p-8L;
    case ElementType::f32:
      return 0x1p-24L;
    default:
      return 0x1p-53L;
  }
}

/// The least positive number of a floating-point type.
inline long double least_positive(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 0x1p-24L;
    case ElementType::bf16:
      return 0x1p-133L;
    case ElementType::f32:
      return 0x1p-149L;
    default:
      return 0x1p-1074L;
  }
}

/// What rounds to infinity in a floating-point type, and everything above it.
inline long double overflow_threshold(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 0x1p16L * (1 - 0x1p-12L);
    case ElementType::bf16:
      return 0x1p128L * (1 - 0x1p-9L);
    case ElementType::f32:
      return 0x1p128L * (1 - 0x1p-25L);
    default:
      return 0x1p1024L * (1 - 0x1p-54L);
  }
}

/// How many threads share the work on `count` elements: one per core, unless they would cost more
/// than they save.
inline std::size_t part_count(std::uint64_t count) {
  constexpr std::uint64_t kMinElementsPerThread = 1 << 16;
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(count / kMinElementsPerThread, 1, cores));
}

/// Splits [0, count) over threads: `work(begin, end, part)` for each part, in ascending order of
/// the elements.
template <class Work>
void for_each_part(std::uint64_t count, std::size_t parts, const Work& work) {
  std::vector<std::jthread> threads;
  for (std::size_t part = 1; part < parts; ++part) {
    const auto work_on_part = [=, &work] {
      work(count * part / parts, count * (part + 1) / parts, part);
    };
    try {
      threads.emplace_back(work_on_part);
    } catch (const std::system_error&) {  // The system gives no more threads.
      work_on_part();
    }
  }
  work(0, count / parts, 0);
}

}  // namespace foldtune
