#include "runtime/lookup/lookup.h"

#include "foldtune/error.h"
#include "templates/fingerprint.h"
#include "templates/histogram/workload.h"
#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/broken_store.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Reduction kProblem{.op = Operator::sum, .type = ElementType::f32, .count = 1 << 20};
const Config kTuned = ReduceParams{.block_size = 512, .unroll = 8};

class LookupTest {
 protected:
  Choice choose(const Workload& workload) {
    return choose_config(store_.get(), device_.info().record, device_.compiler().version(),
                         workload);
  }
  Config default_of(const Workload& workload) {
    return Space(workload).default_params(device_.info().record.multiprocessor_count);
  }
  void put(const Workload& workload, const Config& params) {
    put_success(*store_, device_, workload, params);
  }
  /// `run` with a success of `kTuned` for `kProblem`.
  void put_of(const RunRecord& run) { put_of(run, success(kProblem, to_json(kTuned))); }
  void put_of(const RunRecord& run, const MeasurementRecord& measurement) {
    store_->put(store_->begin_run(run), measurement);
  }

  FakeDevice device_;
  std::unique_ptr<ConfigStore> store_ = open_memory_store();
};

Reduction with_count(std::uint64_t count) {
  Reduction problem = kProblem;
  problem.count = count;
  return problem;
}

TEST_CASE_METHOD(LookupTest, "Look-up: without a store the default is chosen") {
  const Choice choice = choose_config(nullptr, device_.info().record, "fake 1.0", kProblem);
  CHECK_FALSE(choice.match);
  CHECK(choice.params == default_of(kProblem));
  CHECK_THAT(choice.reason, ContainsSubstring("no tuning database"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: with nothing tuned the default is chosen") {
  const Choice choice = choose(kProblem);
  CHECK_FALSE(choice.match);
  CHECK(choice.params == default_of(kProblem));
  CHECK_THAT(choice.reason, ContainsSubstring("sum f32 2^20") && ContainsSubstring("fake 1.0"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: what was tuned for the size class is exact") {
  put(kProblem, kTuned);
  for (const std::uint64_t count : {1u << 20, (1u << 20) - 100'000, 881'744u}) {
    const Choice choice = choose(with_count(count));
    REQUIRE(choice.match);
    CHECK(choice.match->quality == MatchQuality::exact);
    CHECK(choice.params == kTuned);
    CHECK_THAT(choice.reason, ContainsSubstring("n = 1048576"));
  }
}

TEST_CASE_METHOD(LookupTest, "Look-up: what was tuned at most an octave away is near") {
  put(kProblem, kTuned);
  for (const std::uint64_t count : {1u << 19, 700'000u, 881'743u, (1u << 20) + 1, 1u << 21}) {
    const Choice choice = choose(with_count(count));
    REQUIRE(choice.match);
    CHECK(choice.match->quality == MatchQuality::near_size);
    CHECK(choice.params == kTuned);
  }
  for (const std::uint64_t count : {400'000u, (1u << 21) + 1}) {
    CHECK_FALSE(choose(with_count(count)).match);
  }
}

TEST_CASE_METHOD(LookupTest, "Look-up: in the L2, what was tuned an octave below is not used") {
  device_.mutable_info().record.l2_bytes = 64 << 20;
  put(kProblem, kTuned);
  for (const std::uint64_t count : {1u << 19, 1'700'000u}) {
    CHECK(choose(with_count(count)).params == kTuned);
  }
  const Choice far = choose(with_count(1 << 21));
  CHECK_FALSE(far.match);
  CHECK_THAT(far.reason, ContainsSubstring("tuned at n = 1048576 is expected to lose more"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: what is known to be slow for the size is not used as near") {
  // Tiles of 2048: two at 4096, one at 2048, and more than a cluster has blocks at 64K.
  const Config cluster =
      ReduceParams{.block_size = 128, .unroll = 4, .final_stage = FinalStage::cluster};
  put(with_count(4096), cluster);
  const Choice smaller = choose(with_count(2048));
  REQUIRE(smaller.match);
  CHECK(smaller.match->quality == MatchQuality::near_size);
  CHECK(smaller.params == cluster);  // one block needs no final stage, whichever it has
  put(with_count(32'768), cluster);
  const Choice larger = choose(with_count(65'536));
  CHECK_FALSE(larger.match);
  CHECK(larger.params == default_of(with_count(65'536)));
  CHECK_THAT(larger.reason, ContainsSubstring("known to be slow for this one"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: a row whose shape is not of its bucket is not used") {
  RunRecord run = run_on(device_);
  MeasurementRecord changed = success(kProblem, to_json(kTuned));
  for (const char* shape : {"4096", "2097152"}) {
    changed.shape = shape;
    put_of(run, changed);
    const Choice choice = choose(kProblem);
    CAPTURE(shape);
    CHECK_FALSE(choice.match);
    CHECK(choice.params == default_of(kProblem));
    CHECK_THAT(choice.reason, ContainsSubstring("is damaged"));
  }
}

TEST_CASE_METHOD(LookupTest, "Look-up: what the reason quotes does nothing to a terminal") {
  RunRecord run = run_on(device_);
  run.device.driver = "\x1b[31m" + std::string(5000, 'x');
  put_of(run);
  const Choice choice = choose(kProblem);
  REQUIRE(choice.match);
  CHECK_THAT(choice.reason, ContainsSubstring("\\x1b[31mxxx"));
  CHECK(choice.reason.size() < 1000);
}

TEST_CASE_METHOD(LookupTest, "Look-up: the expected loss is that of where a result comes from") {
  device_.mutable_info().record.l2_bytes = 64 << 20;
  put(kProblem, kTuned);
  CHECK(choose(kProblem).expected_loss == 0);
  CHECK(choose(with_count(1'000'000)).expected_loss == 0);  // of the class
  const double from_larger = choose(with_count(600'000)).expected_loss;
  CHECK(from_larger > 0);
  // Larger sizes' results carry further down than smaller ones' up.
  CHECK(choose(with_count(1'700'000)).expected_loss > from_larger);
  CHECK(choose(with_count(1 << 10)).expected_loss > 0);  // the default
  // It is known of GPUs alone.
  device_.mutable_info().record.kind = "cpu";
  put(kProblem, kTuned);
  CHECK(choose(with_count(1 << 19)).match);
  CHECK(choose(with_count(1 << 19)).expected_loss == 0);
  CHECK(choose(with_count(1 << 10)).expected_loss == 0);
}

TEST_CASE_METHOD(LookupTest,
                 "Look-up: what another driver or compiler made is used, and said to be stale") {
  RunRecord run = run_on(device_);
  SECTION("another driver") { run.device.driver = "2"; }
  SECTION("another compiler") { run.compiler = "fake 2.0"; }
  put_of(run);
  const Choice choice = choose(kProblem);
  REQUIRE(choice.match);
  CHECK(choice.match->is_stale);
  CHECK_THAT(choice.reason, ContainsSubstring(" with driver ") &&
                                ContainsSubstring(": `foldtune revalidate` times it again"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: what another device or template made is not used") {
  RunRecord run = run_on(device_);
  MeasurementRecord measurement = success(kProblem, to_json(kTuned));
  const bool is_of_other_device = GENERATE(true, false);
  if (is_of_other_device) {
    run.device.name = "Other GPU";
  } else {
    measurement.template_fingerprint = "0";
  }
  put_of(run, measurement);
  // Other devices' results are said to be there, also those of a size nearby.
  for (const std::uint64_t count : {1 << 20, 1 << 19}) {
    const Choice choice = choose(with_count(count));
    CHECK_FALSE(choice.match);
    CHECK(choice.params == default_of(with_count(count)));
    const auto says = ContainsSubstring("but at n = 1048576 on Other GPU");
    CHECK(says.match(choice.reason) == is_of_other_device);
  }
  // What this one has goes without it.
  put(kProblem, kTuned);
  CHECK(choose(kProblem).match);
  CHECK_THAT(choose(kProblem).reason, !ContainsSubstring("Other GPU"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: what another problem was tuned with is not used") {
  Reduction other = kProblem;
  SECTION("another operator") { other.op = Operator::max; }
  SECTION("another type") { other.type = ElementType::f64; }
  SECTION("another accumulator") { other.accumulator = ElementType::f64; }
  SECTION("another promise") { other.determinism = Determinism::any; }
  put(other, ReduceParams{.block_size = 512, .vector_width = 2});
  CHECK_FALSE(choose(kProblem).match);
}

TEST_CASE_METHOD(LookupTest, "Look-up: what another NaN policy was tuned with is not used") {
  Reduction max = kProblem;
  max.op = Operator::max;
  Reduction other = max;
  other.nan_policy = NanPolicy::ignore;
  put(other, kTuned);
  CHECK_FALSE(choose(max).match);
  CHECK(choose(other).match);
}

TEST_CASE_METHOD(LookupTest, "Look-up: what was tuned for an alike problem is its default") {
  Reduction max = kProblem;
  max.op = Operator::max;
  Reduction min = kProblem;
  min.op = Operator::min;
  put(min, kTuned);
  const Choice choice = choose(max);
  CHECK_FALSE(choice.match);  // so that it counts as untuned
  CHECK(choice.is_learnt);
  CHECK(choice.source() == ConfigSource::untuned_default);
  CHECK(choice.params == kTuned);
  CHECK(choice.expected_loss > 0);
  CHECK_THAT(choice.reason,
             ContainsSubstring("max f32 2^20 was not tuned") &&
                 ContainsSubstring("min f32, which is alike, was tuned at n = 1048576"));
  max.alignment = Alignment::element;
  CHECK(choose(max).params == kTuned);
  max.count = 700'000;
  CHECK(choose(max).params == kTuned);
  max.count = 4096;
  CHECK(choose(max).params == default_of(max));
  put(max, ReduceParams{.block_size = 128});
  CHECK(choose(max).match);
}

TEST_CASE_METHOD(LookupTest, "Look-up: of alike problems the one nearest in size goes first") {
  const auto of = [](Operator op, std::uint64_t count) {
    return Reduction{.op = op, .type = ElementType::f32, .count = count};
  };
  put(of(Operator::asum, 1 << 20), ReduceParams{.block_size = 128});
  put(of(Operator::nansum, 800'000), kTuned);
  CHECK(choose(of(Operator::sum, 850'000)).params == kTuned);
  CHECK(choose(of(Operator::sum, 700'000)).params == kTuned);
  CHECK(choose(of(Operator::sum, 1 << 20)).params == Config(ReduceParams{.block_size = 128}));
}

TEST_CASE_METHOD(LookupTest, "Look-up: no default is learnt from what is unlike or not valid") {
  Reduction other = kProblem;
  SECTION("two inputs") { other.op = Operator::dot; }
  SECTION("an index") { other.op = Operator::argmax; }
  SECTION("another size") { other.type = ElementType::f64; }
  SECTION("no floating point") { other.type = ElementType::i32; }
  SECTION("another order") { other.determinism = Determinism::config_independent; }
  SECTION("other kernels") {
    other.op = Operator::asum;
    MeasurementRecord old = success(other, to_json(kTuned));
    old.template_fingerprint = "older";
    put_of(run_on(device_), old);
    CHECK_FALSE(choose(kProblem).is_learnt);
  }
  SECTION("not valid") {
    other.op = Operator::asum;
    put_of(run_on(device_), success(other, R"({"block_size":256})"));
    CHECK_FALSE(choose(kProblem).is_learnt);
  }
  SECTION("no problem") {
    MeasurementRecord strange = success(other, to_json(kTuned));
    strange.problem.problem = "op=bit_and type=f32 accumulator=f32 result=f32";
    put_of(run_on(device_), strange);
  }
  if (other.op != Operator::asum && Problem(other) != Problem(kProblem)) put(other, kTuned);
  CHECK(choose(kProblem).params == default_of(kProblem));
}

TEST_CASE_METHOD(LookupTest, "Look-up: results are those of the conditions") {
  Workload warm = kProblem;
  warm.conditions = Conditions::warm_graph;
  put(kProblem, kTuned);
  const Choice usual = choose(warm);
  REQUIRE(usual.match);
  CHECK(usual.match->quality == MatchQuality::near_size);
  CHECK(usual.params == kTuned);
  CHECK_THAT(usual.reason, ContainsSubstring("for cold_graph"));
  const Config own = ReduceParams{.block_size = 128};
  put(warm, own);
  CHECK(choose(warm).params == own);
  CHECK(choose(warm).source() == ConfigSource::exact);
  CHECK(choose(kProblem).params == kTuned);
  Workload stream = kProblem;
  stream.conditions = Conditions::cold_stream;
  CHECK(choose(stream).params == kTuned);
  store_ = open_memory_store();
  put(warm, own);
  CHECK_FALSE(choose(kProblem).match);  // the usual ones take no others
}

TEST_CASE_METHOD(LookupTest, "Look-up: a custom operator is found by its expressions") {
  CustomOperator op{.name = "squares", .map = "x * x"};
  const auto problem_of = [](const CustomOperator& custom) {
    Reduction problem = make_reduction(custom);
    problem.count = kProblem.count;
    return problem;
  };
  put(problem_of(op), kTuned);
  CHECK(choose(problem_of(op)).params == kTuned);
  CHECK_THAT(choose(problem_of(op)).reason, ContainsSubstring("tuned at n = 1048576"));
  CustomOperator other = op;
  other.map = "x * x * x";
  const Choice choice = choose(problem_of(other));
  CHECK_FALSE(choice.match);
  CHECK(choice.params == kTuned);  // of what it was before it was changed
  CHECK_THAT(choice.reason, ContainsSubstring("squares f32 2^20 was not tuned"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: an unaligned input takes an aligned one's result, as near") {
  put(kProblem, kTuned);
  Reduction unaligned = kProblem;
  unaligned.alignment = Alignment::element;
  const Choice choice = choose(unaligned);
  REQUIRE(choice.match);
  CHECK(choice.match->quality == MatchQuality::near_size);
  CHECK(choice.params == kTuned);
  CHECK_THAT(choice.reason, ContainsSubstring("for the layout vector"));

  const Config own = ReduceParams{.block_size = 128};
  put(unaligned, own);
  CHECK(choose(unaligned).params == own);
  CHECK(choose(unaligned).match->quality == MatchQuality::exact);
}

TEST_CASE_METHOD(LookupTest, "Look-up: an aligned input does not take an unaligned one's result") {
  Reduction unaligned = kProblem;
  unaligned.alignment = Alignment::element;
  put(unaligned, kTuned);
  CHECK_FALSE(choose(kProblem).match);
}

TEST_CASE_METHOD(LookupTest,
                 "Look-up: a stored configuration that cannot be read gives the default") {
  store_->put(store_->begin_run(run_on(device_)), success(kProblem, R"({"block_size":256})"));
  const Choice choice = choose(kProblem);
  CHECK_FALSE(choice.match);
  CHECK(choice.params == default_of(kProblem));
  CHECK_THAT(choice.reason, ContainsSubstring("cannot be read") && ContainsSubstring("missing"));
}

TEST_CASE_METHOD(LookupTest,
                 "Look-up: a stored configuration outside the space gives the default") {
  put(kProblem, ReduceParams{.final_stage = FinalStage::atomic});
  const Choice choice = choose(kProblem);
  CHECK_FALSE(choice.match);
  CHECK(choice.params == default_of(kProblem));
  CHECK_THAT(choice.reason, ContainsSubstring("not valid"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: a cluster is not used for a size that would overfill it") {
  const ReduceParams cluster{.block_size = 512, .final_stage = FinalStage::cluster};
  put(with_count(8 * 512 * 16), cluster);                       // 2^16 in 8 tiles
  CHECK(choose(with_count(60'000)).params == Config(cluster));  // of the size class
  CHECK(choose(with_count(1 << 15)).params == Config(cluster));
  const Choice choice = choose(with_count(1 << 17));
  CHECK_FALSE(choice.match);
  CHECK(choice.params == default_of(with_count(1 << 17)));
  CHECK_THAT(choice.reason, ContainsSubstring("size nearby"));
}

TEST_CASE_METHOD(LookupTest, "Look-up: a store that fails is a DatabaseError, not a default") {
  store_ = std::make_unique<BrokenStore>();
  CHECK_THROWS_AS(choose(kProblem), DatabaseError);
}

TEST_CASE_METHOD(LookupTest, "Look-up: a key holds the problem by its names") {
  const TuningKey key = make_tuning_key(device_.info().record, "fake 1.0", kProblem);
  CHECK(key.device_fingerprint == device_.info().record.fingerprint());
  CHECK(key.template_fingerprint == kernel_fingerprint(Problem(kProblem)));
  CHECK(key.compiler == "fake 1.0");
  CHECK(key.problem == ProblemKey{.family = "reduce",
                                  .problem = "op=sum type=f32 accumulator=f32 result=f32",
                                  .layout = "vector",
                                  .bucket = "80"});
}

TEST_CASE("Look-up: a key has what is unusual of a problem") {
  Reduction problem{.op = Operator::min, .type = ElementType::bf16};
  const std::string usual = "op=min type=bf16 accumulator=bf16 result=bf16";
  CHECK(make_problem_key(problem).problem == usual);
  problem.nan_policy = NanPolicy::ignore;
  CHECK(make_problem_key(problem).problem == usual + " nan=ignore");
  problem.alignment = Alignment::element;
  CHECK(make_problem_key(problem).layout == "element");

  const ProblemKey histogram = make_problem_key(
      HistogramWorkload{.type = ElementType::u16, .bins = 100, .distribution = Distribution::zipf});
  CHECK(histogram.family == "histogram");
  CHECK(histogram.problem ==
        "op=histogram type=u16 counter=u64 bins=100 binning=even distribution=zipf");
  CHECK(histogram.bucket == "0");
}

TEST_CASE("Look-up: a custom operator's key has its name, its hash and its types") {
  const CustomOperator op{.name = "weighted_mean",
                          .inputs = {ElementType::f32, ElementType::u8},
                          .accumulator = {{.name = "total", .type = ElementType::f64},
                                          {.name = "weight", .type = ElementType::u32}}};
  const ProblemKey key = make_problem_key(make_reduction(op));
  CHECK(key.family == "reduce");
  CHECK(key.problem ==
        "op=weighted_mean:" + op.hash() + " type=f32,u8 accumulator=f64,u32 result=f32");
}

}  // namespace
}  // namespace foldtune::test
