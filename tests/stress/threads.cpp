#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "foldtune/foldtune.hpp"
#include "foldtune/workload.h"
#include "runtime/device/device.h"
#include "tests/stress/streams.h"
#include "tests/stress/stress.h"

namespace foldtune::stress {
namespace {

/// Room for any result.
struct alignas(16) Result {
  std::byte bytes[16];
};

/// A reducer with what its results must be.
struct Case {
  std::string name;
  Reducer reducer;
  std::size_t element_bytes;
  const void* input;
  /// The result of input[first, first + count).
  std::function<Result(std::uint64_t first, std::uint64_t count)> expected;
  std::size_t result_bytes;
};

/// Small whole numbers, whose sums are exact in any type and any order.
template <class T>
T element(std::uint64_t i) {
  const auto number = static_cast<int>(i * 7 % 13);
  return static_cast<T>(std::is_signed_v<T> ? number - 6 : number);
}

template <class R>
Result pack(const R& value) {
  Result result{};
  std::memcpy(result.bytes, &value, sizeof(value));
  return result;
}

/// Elements of one type on the device, and prefixes from which results follow.
template <class T>
class Elements {
 public:
  using Sum = SumResultOf<T>;

  Elements(Device& device, std::uint64_t count) : memory_(device, count * sizeof(T)) {
    std::vector<T> values(count);
    sums_.push_back(0);
    squares_.push_back(0);
    zeros_.push_back(0);
    for (std::uint64_t i = 0; i < count; ++i) {
      values[i] = element<T>(i);
      sums_.push_back(static_cast<Sum>(sums_.back() + static_cast<Sum>(values[i])));
      squares_.push_back(static_cast<Sum>(squares_.back() + static_cast<Sum>(values[i]) *
                                                                static_cast<Sum>(values[i])));
      zeros_.push_back(zeros_.back() + (values[i] == 0));
    }
    device.copy(memory_.data(), values.data(), count * sizeof(T));
  }

  void add_cases(Context& context, const std::string& type, std::vector<Case>& cases) {
    const auto add = [&](Operator op, std::size_t bytes, auto expected) {
      cases.push_back({.name = fmt::format("{} {}", name(op), type),
                       .reducer = context.reducer({.op = op, .type = element_type_of<T>()}),
                       .element_bytes = sizeof(T),
                       .input = memory_.data(),
                       .expected = expected,
                       .result_bytes = bytes});
    };
    const auto difference = [](const auto& prefixes) {
      return [&prefixes](std::uint64_t first, std::uint64_t count) {
        return pack(static_cast<typename std::decay_t<decltype(prefixes)>::value_type>(
            prefixes[first + count] - prefixes[first]));
      };
    };
    add(Operator::sum, sizeof(Sum), difference(sums_));
    add(Operator::sum_of_squares, sizeof(Sum), difference(squares_));
    add(Operator::count_nonzero, sizeof(std::uint64_t),
        [this](std::uint64_t first, std::uint64_t count) {
          return pack(count - (zeros_[first + count] - zeros_[first]));
        });
    // The elements repeat after a few, so that the first of them tell.
    add(Operator::max, sizeof(T), [](std::uint64_t first, std::uint64_t count) {
      return pack(element<T>(place_of_largest(first, count)));
    });
    add(Operator::argmax, sizeof(IndexedValue<T>), [](std::uint64_t first, std::uint64_t count) {
      const std::uint64_t place = place_of_largest(first, count);
      Result result{};  // without the bytes between value and index
      const T value = element<T>(place);
      const std::uint64_t index = place - first;
      std::memcpy(result.bytes, &value, sizeof(value));
      std::memcpy(result.bytes + 8, &index, sizeof(index));
      return result;
    });
  }

 private:
  static std::uint64_t place_of_largest(std::uint64_t first, std::uint64_t count) {
    std::uint64_t place = first;
    for (std::uint64_t i = first; i < first + std::min<std::uint64_t>(count, 13); ++i) {
      if (element<T>(i) > element<T>(place)) place = i;
    }
    return place;
  }

  DeviceBuffer memory_;
  std::vector<Sum> sums_;  // Of the elements before each.
  std::vector<Sum> squares_;
  std::vector<std::uint64_t> zeros_;
};

bool is_equal(const Case& one, const Result& result, const Result& expected,
              std::size_t value_bytes) {
  if (one.result_bytes != sizeof(Result)) {
    return std::memcmp(result.bytes, expected.bytes, one.result_bytes) == 0;
  }
  return std::memcmp(result.bytes, expected.bytes, value_bytes) == 0 &&
         std::memcmp(result.bytes + 8, expected.bytes + 8, 8) == 0;
}

/// One thread's calls, in batches: enqueued on any streams, some of them waited for one by one, the
/// others together, and looked at.
class Caller {
 public:
  Caller(Device& device, const std::vector<Case>& cases, const Streams& streams,
         const ThreadsOptions& options, int thread)
      : device_(device),
        cases_(cases),
        streams_(streams),
        options_(options),
        random_(options.seed * 1000 + static_cast<std::uint64_t>(thread)),
        on_device_(device, kBatch * sizeof(Result)),
        on_host_(static_cast<Result*>(device.allocate_host(kBatch * sizeof(Result)))) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() { device_.deallocate_host(on_host_); }

  void run(int calls) {
    while (calls > 0) {
      const int batch = std::min(calls, kBatch);
      run_batch(batch);
      calls -= batch;
    }
  }

 private:
  static constexpr int kBatch = 64;
  static constexpr int kWaitedShare = 16;  ///< one of so many is waited for

  struct Made {
    const Case* one;
    std::uint64_t first;
    std::uint64_t count;
  };

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  /// As many small counts as large ones, of every size class.
  std::uint64_t any_count() { return 1 + below(1 + (options_.largest >> below(12))); }

  void run_batch(int calls) {
    std::vector<Made> made;
    std::vector<Result> waited(kBatch);
    auto* const device_results = static_cast<Result*>(on_device_.data());
    for (int i = 0; i < calls; ++i) {
      const Case& one = cases_[below(cases_.size())];
      const std::uint64_t count = std::min(any_count(), options_.largest);
      const std::uint64_t first = below(2);  // aligned, or not
      made.push_back({&one, first, count});
      const auto* const input =
          static_cast<const std::byte*>(one.input) + first * one.element_bytes;
      const Stream stream = streams_[below(streams_.size())];
      if (i % kWaitedShare == 0) {
        one.reducer.read_value({input}, count, &waited[i], one.result_bytes, stream);
        continue;
      }
      // Every other result is written to the host's memory.
      Result* const output = (i % 2 == 0 ? device_results : on_host_) + i;
      one.reducer(input, count, output, stream);
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) device_.synchronize(streams_[i]);
    std::vector<Result> results(kBatch);
    device_.copy(results.data(), device_results, kBatch * sizeof(Result));
    for (int i = 1; i < calls; i += 2) results[i] = on_host_[i];
    for (int i = 0; i < calls; i += kWaitedShare) results[i] = waited[i];
    for (int i = 0; i < calls; ++i) {
      const auto& [one, first, count] = made[i];
      if (is_equal(*one, results[i], one->expected(first, count), one->element_bytes)) continue;
      throw std::runtime_error(
          fmt::format("{} of {} elements from {}: wrong result", one->name, count, first));
    }
  }

  Device& device_;
  const std::vector<Case>& cases_;
  const Streams& streams_;
  const ThreadsOptions& options_;
  std::mt19937_64 random_;
  DeviceBuffer on_device_;
  Result* on_host_;
};

/// Makes all that calls may need.
void prepare_all(const std::vector<Case>& cases, const Streams& streams, std::uint64_t largest) {
  // More than those after which a launch is kept ready for calls that are waited for.
  constexpr int kWaitedCalls = 10;
  for (const Case& one : cases) {
    for (int size = 0; size <= size_class(largest); ++size) {
      const std::uint64_t count = std::min(max_of_size_class(size), largest);
      for (const std::size_t first : {0, 1}) {
        const std::byte* const input =
            static_cast<const std::byte*>(one.input) + first * one.element_bytes;
        for (std::size_t stream = 0; stream < streams.size(); ++stream) {
          one.reducer.prepare(input, count, streams[stream]);
        }
        Result result{};
        for (int call = 0; call < kWaitedCalls; ++call) {
          one.reducer.read_value({input}, count, &result, one.result_bytes, streams[0]);
        }
      }
    }
  }
}

void call_from_threads(std::vector<std::unique_ptr<Caller>>& callers, const Device& device,
                       int calls) {
  std::mutex mutex;
  std::string fault;
  std::vector<std::jthread> threads;
  for (const auto& caller : callers) {
    threads.emplace_back([&] {
      try {
        use_in_this_thread(device);
        caller->run(calls);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        fault = error.what();
      }
    });
  }
  threads.clear();
  if (!fault.empty()) throw std::runtime_error(fault);
}

}  // namespace

void run_threads(const ThreadsOptions& options) {
  const std::shared_ptr<Device> device = open_device(options.device);
  use_in_this_thread(*device);
  const Streams streams(*device, options.streams);
  Context context(device, nullptr);
  const std::uint64_t count = options.largest + 1;
  Elements<std::int8_t> bytes(*device, count);
  Elements<std::uint16_t> words(*device, count);
  Elements<std::int32_t> integers(*device, count);
  Elements<float> floats(*device, count);
  Elements<double> doubles(*device, count);
  std::vector<Case> cases;
  bytes.add_cases(context, "i8", cases);
  words.add_cases(context, "u16", cases);
  integers.add_cases(context, "i32", cases);
  floats.add_cases(context, "f32", cases);
  doubles.add_cases(context, "f64", cases);

  std::vector<std::unique_ptr<Caller>> callers;
  for (int thread = 0; thread < options.threads; ++thread) {
    callers.push_back(std::make_unique<Caller>(*device, cases, streams, options, thread));
  }
  // First what is resolved while others call, then with all of it made.
  constexpr int kWarmUpShare = 20;
  call_from_threads(callers, *device, std::max(1, options.calls / kWarmUpShare));
  if (is_cuda(*device)) prepare_all(cases, streams, options.largest);
  const std::optional<std::uint64_t> before = free_memory(*device);
  const auto start = std::chrono::steady_clock::now();
  call_from_threads(callers, *device, options.calls);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const std::optional<std::uint64_t> after = free_memory(*device);
  // More than before is what tools like compute-sanitizer gave back.
  if (after < before) {
    throw std::runtime_error(
        fmt::format("the device had {} free bytes before and has {} now", *before, *after));
  }
  fmt::print("{} threads x {} calls on {} streams in {:.1f} s: every result right{}\n",
             options.threads, options.calls, options.streams, elapsed.count(),
             before ? ", and none of the device's memory lost" : "");
}

}  // namespace foldtune::stress
