#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "foldtune/foldtune.h"
#include "foldtune/foldtune.hpp"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/fakes/graph_device.h"

// As c_api.cpp has them. NOLINTBEGIN(readability-identifier-naming)
struct foldtune_reducer {
  foldtune::Reducer reducer;
};
struct foldtune_plan {
  foldtune::ReducePlan plan;
};
struct foldtune_histogram {
  foldtune::Histogram histogram;
};
// NOLINTEND(readability-identifier-naming)

namespace foldtune::test {
namespace {

/// Several blocks of the smallest size.
constexpr std::uint64_t kCount = 2000;
/// Several chunks of a fixed order.
constexpr std::uint64_t kMany = 200'000;

constexpr std::uint32_t kBins = 16;

/// What is reduced, and by what.
struct Kind {
  Reduction reduction;
  Config params;
  std::optional<HistogramWorkload> histogram{};  ///< in the place of the reduction

  Workload workload() const { return histogram ? Workload(*histogram) : Workload(reduction); }
  std::uint64_t count() const { return histogram ? histogram->count : reduction.count; }
  ElementType type() const { return histogram ? histogram->type : reduction.type; }
};

std::vector<Kind> reductions() {
  std::vector<Kind> kinds;
  const Reduction sum{.count = kCount, .determinism = Determinism::any};
  for (const FinalStage stage : {FinalStage::last_block, FinalStage::two_pass, FinalStage::polling,
                                 FinalStage::cluster, FinalStage::atomic}) {
    kinds.push_back({sum, ReduceParams{.block_size = 32, .final_stage = stage}});
  }
  kinds.push_back({Reduction{.type = ElementType::u8, .count = kCount},
                   ReduceParams{.block_size = 32, .final_stage = FinalStage::counted}});
  for (const FinalStage stage : {FinalStage::last_block, FinalStage::two_pass}) {
    kinds.push_back(
        {Reduction{.count = kMany, .determinism = Determinism::config_independent},
         ReduceParams{.block_size = 128, .block_stage = BlockStage::tree, .final_stage = stage}});
  }
  kinds.push_back({Reduction{.op = Operator::argmax, .count = kCount},
                   ReduceParams{.block_size = 32, .final_stage = FinalStage::polling}});
  kinds.push_back({Reduction{.op = Operator::logsumexp, .count = kCount},
                   ReduceParams{.block_size = 32, .final_stage = FinalStage::two_pass}});
  return kinds;
}

std::vector<Kind> histograms() {
  const auto kind = [](ElementType type, std::uint32_t bins, Binning binning,
                       HistogramFinal finish) {
    return Kind{
        .reduction = {},
        .params =
            HistogramParams{.block_size = 32, .finish = finish, .blocks_per_multiprocessor = 1},
        .histogram =
            HistogramWorkload{.type = type, .bins = bins, .binning = binning, .count = kCount}};
  };
  return {kind(ElementType::f32, kBins, Binning::even, HistogramFinal::last_block),
          kind(ElementType::f32, kBins, Binning::custom, HistogramFinal::polling),
          kind(ElementType::u8, 256, Binning::key, HistogramFinal::last_block),
          kind(ElementType::f32, kBins, Binning::even, HistogramFinal::zero_first)};
}

/// Whole numbers, so that sums are exact; of another sum, and with another largest one, for every
/// `seed`.
std::vector<int> values_of(std::uint64_t count, std::size_t seed) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<int>((i * 7 + i * i % 5 + seed) % (kBins - 1));
  }
  values[100 + seed * 500] = kBins - 1;
  values[seed] = 0;
  return values;
}

/// The numbers of the result.
std::vector<double> expected_result(const Kind& kind, const std::vector<int>& values) {
  if (kind.histogram) {
    std::vector<double> counts(kind.histogram->bins);
    for (const int value : values) ++counts.at(static_cast<std::size_t>(value));
    return counts;
  }
  const auto largest = std::ranges::max_element(values);
  if (kind.reduction.op == Operator::argmax) {
    return {static_cast<double>(*largest), static_cast<double>(largest - values.begin())};
  }
  double sum = 0;
  const bool is_sum = kind.reduction.op == Operator::sum;
  for (const int value : values) sum += is_sum ? value : std::exp(value);
  return {is_sum ? sum : std::log(sum)};
}

template <class T>
std::vector<double> read(const void* memory, std::size_t count = 1) {
  const auto* const numbers = static_cast<const T*>(memory);
  return {numbers, numbers + count};
}

std::vector<double> read_result(const Kind& kind, const void* memory) {
  if (kind.histogram) return read<std::uint64_t>(memory, kind.histogram->bins);
  if (kind.reduction.op == Operator::argmax) {
    const auto& result = *static_cast<const IndexedValue<float>*>(memory);
    return {result.value, static_cast<double>(result.index)};
  }
  return kind.type() == ElementType::u8 ? read<std::uint64_t>(memory) : read<float>(memory);
}

bool is_near(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return std::fabs(x - y) <= 1e-6 * std::fabs(y); });
}

/// Calls on the CPU device, each with an input and an output of its own.
class GraphReplayTest {
 protected:
  struct Call {
    std::string name;
    Kind kind;
    std::function<void(void* output, Stream stream)> enqueue;
    std::vector<double> expected;
    bool has_scratch;
    void* output;        ///< of the call that is captured
    void* eager_output;  ///< of the same outside of graphs
  };

  GraphReplayTest() {
    for (const Kind& kind : reductions()) add_reduction(kind);
    for (const Kind& kind : histograms()) add_histogram(kind);
  }

  /// One of each call, captured on one stream.
  std::vector<std::unique_ptr<Graph>> capture_all(Stream stream) {
    std::vector<std::unique_ptr<Graph>> graphs;
    for (const Call& call : calls_) {
      device_->begin_capture(stream);
      call.enqueue(call.output, stream);
      graphs.push_back(device_->end_capture());
    }
    return graphs;
  }

  void forget_results() {
    for (const Call& call : calls_) {
      std::memset(call.output, 0xee, output_bytes(call.kind.workload()));
      std::memset(call.eager_output, 0xee, output_bytes(call.kind.workload()));
    }
  }

  static void check_result(const Call& call, const void* output) {
    INFO(call.name << " " << to_string(call.kind.workload()));
    CHECK(is_near(read_result(call.kind, output), call.expected));
  }

  std::shared_ptr<GraphDevice> device_ = std::make_shared<GraphDevice>();
  std::vector<Call> calls_;

 private:
  const void* upload(const void* data, std::size_t bytes) {
    buffers_.emplace_back(*device_, bytes);
    device_->copy(buffers_.back().data(), data, bytes);
    return buffers_.back().data();
  }
  template <class T>
  const void* upload_as(const std::vector<int>& values) {
    const std::vector<T> elements(values.begin(), values.end());
    return upload(elements.data(), elements.size() * sizeof(T));
  }
  void* make_output(std::size_t bytes) { return buffers_.emplace_back(*device_, bytes).data(); }

  /// A context of which every reduction has this configuration.
  Context context_of(const Kind& kind) {
    ContextOptions options;
    options.on_miss = {.action = OnMiss::tune,
                       .tune = [&](const Workload&) { return to_json(kind.params); }};
    return Context(device_, nullptr, options);
  }

  /// `enqueue` is given an input, too, another one for each call of a kind.
  void add(const std::string& name, const Kind& kind, bool has_scratch,
           const std::function<void(const void* input, void* output, Stream stream)>& enqueue) {
    const std::vector<int> values = values_of(kind.count(), calls_.size() % 4);
    const void* const input =
        kind.type() == ElementType::u8 ? upload_as<std::uint8_t>(values) : upload_as<float>(values);
    const std::size_t bytes = output_bytes(kind.workload());
    Call call{.name = name,
              .kind = kind,
              .enqueue = [=](void* output, Stream stream) { enqueue(input, output, stream); },
              .expected = expected_result(kind, values),
              .has_scratch = has_scratch,
              .output = make_output(bytes),
              .eager_output = make_output(bytes)};
    call.enqueue(call.output, nullptr);  // compiles
    check_result(call, call.output);
    calls_.push_back(std::move(call));
  }

  void add_reduction(const Kind& kind) {
    REQUIRE(Space(kind.workload()).contains(kind.params));
    const std::uint64_t count = kind.reduction.count;
    const Reducer reducer = context_of(kind).reducer(kind.reduction);
    const ReducePlan plan = reducer.plan(count);
    REQUIRE(reducer.explain(count).config == to_json(kind.params));
    const bool has_scratch = reduce_params(kind.params).final_stage != FinalStage::atomic;
    REQUIRE((plan.scratch_bytes() > 0) == has_scratch);
    add("reducer", kind, has_scratch, [=](const void* input, void* output, Stream stream) {
      reducer(input, count, output, stream);
    });
    add("plan", kind, has_scratch, [=](const void* input, void* output, Stream stream) {
      plan(input, count, output, stream);
    });
    add("reducer of C", kind, has_scratch, [=](const void* input, void* output, Stream stream) {
      const foldtune_reducer handle{reducer};
      CHECK(foldtune_reduce(&handle, &input, 1, count, output, stream) == FOLDTUNE_OK);
    });
    add("plan of C", kind, has_scratch, [=](const void* input, void* output, Stream stream) {
      const foldtune_plan handle{plan};
      CHECK(foldtune_plan_reduce(&handle, &input, 1, count, output, stream) == FOLDTUNE_OK);
    });
  }

  void add_histogram(const Kind& kind) {
    const HistogramWorkload shape = *kind.histogram;
    const Histogram histogram = context_of(kind).histogram(
        {.type = shape.type, .bins = shape.bins, .binning = shape.binning});
    std::vector<int> numbers(kBins + 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
    const void* const edges = upload_as<float>(numbers);
    const bool has_scratch = histogram_params(kind.params).finish != HistogramFinal::zero_first;
    add("histogram", kind, has_scratch, [=](const void* input, void* output, Stream stream) {
      if (shape.binning == Binning::even) histogram(input, kCount, 0, kBins, output, stream);
      if (shape.binning == Binning::custom) histogram(input, kCount, edges, output, stream);
      if (shape.binning == Binning::key) histogram.count_keys(input, kCount, output, stream);
    });
    add("histogram of C", kind, has_scratch, [=](const void* input, void* output, Stream stream) {
      const foldtune_histogram handle{histogram};
      foldtune_status status = FOLDTUNE_OK;
      if (shape.binning == Binning::even) {
        status = foldtune_histogram_even(&handle, input, kCount, 0, kBins, output, stream);
      } else if (shape.binning == Binning::custom) {
        status = foldtune_histogram_edges(&handle, input, kCount, edges, output, stream);
      } else {
        status = foldtune_histogram_keys(&handle, input, kCount, output, stream);
      }
      CHECK(status == FOLDTUNE_OK);
    });
  }

  std::vector<DeviceBuffer> buffers_;
};

TEST_CASE_METHOD(GraphReplayTest,
                 "Captured calls: every kind has scratch of its own, and is right however graphs "
                 "are replayed") {
  const Stream captured = fake_stream(1);
  forget_results();
  std::vector<std::unique_ptr<Graph>> graphs = capture_all(captured);
  std::set<const void*> scratch;
  std::size_t expected_pieces = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    INFO(calls_[i].name << " " << to_string(calls_[i].kind.workload()));
    // Calls that share scratch may wait for ever.
    REQUIRE(graphs[i]->scratch().size() == (calls_[i].has_scratch ? 1 : 0));
    expected_pieces += graphs[i]->scratch().size();
    for (const auto& piece : graphs[i]->scratch()) scratch.insert(piece.get());
  }
  REQUIRE(scratch.size() == expected_pieces);

  // A launch of each in turns, with the same calls outside of graphs in between.
  for (int replay = 0; replay < 2; ++replay) {
    forget_results();
    for (std::size_t launch = 0; launch < Launches::kMaxLaunches; ++launch) {
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        if (launch < graphs[i]->launches()) graphs[i]->replay(launch, fake_stream(2));
        if (launch == 0) calls_[i].enqueue(calls_[i].eager_output, captured);
      }
    }
    for (const Call& call : calls_) {
      check_result(call, call.output);
      check_result(call, call.eager_output);
    }
  }

  // On two streams at once, beside the same calls on the stream that was captured.
  forget_results();
  {
    std::vector<std::jthread> threads;
    for (const std::size_t first : {0, 1}) {
      threads.emplace_back([&, first] {
        for (std::size_t i = first; i < graphs.size(); i += 2) {
          for (int replay = 0; replay < 3; ++replay) {
            graphs[i]->replay(fake_stream(2 + static_cast<int>(first)));
          }
        }
      });
    }
    for (const Call& call : calls_) call.enqueue(call.eager_output, captured);
  }
  for (const Call& call : calls_) {
    check_result(call, call.output);
    check_result(call, call.eager_output);
  }
}

TEST_CASE_METHOD(GraphReplayTest,
                 "Captured calls: of every kind what a graph leaves is another's, and harms none") {
  const Stream captured = fake_stream(1);
  std::vector<std::unique_ptr<Graph>> graphs = capture_all(captured);
  for (std::size_t i = 0; i < graphs.size(); i += 2) {
    for (const auto& piece : graphs[i]->scratch()) std::memset(piece.get(), 0xff, 1);
    graphs[i].reset();
  }
  std::vector<std::unique_ptr<Graph>> others = capture_all(captured);
  for (const auto* const all : {&graphs, &others, &graphs}) {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if ((*all)[i] == nullptr) continue;
      forget_results();
      (*all)[i]->replay(fake_stream(2));
      check_result(calls_[i], calls_[i].output);
    }
  }
}

}  // namespace
}  // namespace foldtune::test
