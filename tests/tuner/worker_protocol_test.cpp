#include <limits>
#include <new>
#include <nlohmann/json.hpp>

#include "templates/histogram/space.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tuner/worker/protocol.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

MessageBuffer buffer_of(const std::string& bytes) {
  MessageBuffer buffer;
  buffer.append(bytes);
  return buffer;
}

template <class T>
T reply_through_text(const T& reply) {
  MessageBuffer buffer = buffer_of(encode(Reply(reply)));
  const auto taken = take_reply(buffer);
  CHECK(buffer.is_empty());
  return std::get<T>(taken.value());
}

/// Its image has every byte.
CompiledKernel some_kernel() {
  CompiledKernel compiled{.image = {}, .lowered_names = {"main", "helper"}, .compile_ms = 0.1};
  for (int i = 0; i < 1000; ++i) compiled.image.push_back(static_cast<char>(i));
  return compiled;
}

void check_is_some_kernel(const CompiledKernel& compiled) {
  CHECK(compiled.image == some_kernel().image);
  CHECK(compiled.lowered_names == some_kernel().lowered_names);
  CHECK(compiled.compile_ms == some_kernel().compile_ms);
}

Program some_program() {
  return {.source = "#include \"a.cuh\"\n// \xc3\xa9 \xff",
          .name_expressions = {"f<1>", "f<2>"},
          .needs_toolkit = true,
          .fuses_multiply_add = false};
}

Trial some_trial() {
  return {.params = HistogramParams{},
          .compiled = std::make_shared<const CompiledKernel>(some_kernel()),
          .timing = Timing::comparison,
          .samples = 7};
}

MeasurementRecord some_record() {
  return {.problem = {.family = "reduce",
                      .problem = "op=sum type=f32 accumulator=f64 result=f64",
                      .layout = "vector",
                      .bucket = "20"},
          .shape = "18446744073709551615",
          .bytes = 4,
          .params = "{\"block_size\":256}",
          .is_default = true,
          .round = 1,
          .outcome = Outcome::timeout,
          .failure = "line 1\nline \"2\" \xc3\xa9 \xff",
          .samples_us = {0.1, 1e-300, std::numeric_limits<double>::infinity()},
          .median_us = 1.0 / 3,
          .mad_us = 2,
          .discarded_samples = 3,
          .hot_us = 4,
          .stream_us = 5,
          .latency_us = 6,
          .registers = 7,
          .shared_bytes = 8,
          .local_bytes = 9,
          .occupancy = 0.7,
          .compile_ms = 11,
          .sm_clock_mhz = 12,
          .memory_clock_mhz = 13};
}

}  // namespace

TEST_CASE("Every field of a record survives the way") {
  CHECK(reply_through_text(some_record()) == some_record());
  CHECK(reply_through_text(MeasurementRecord{}) == MeasurementRecord{});
}

TEST_CASE("A field more in a record must be one more in the message") {
  // This line does not compile with another number of fields.
  [[maybe_unused]] const auto& [problem, template_fingerprint, shape, bytes, params, is_default,
                                round, outcome, failure, samples_us, median_us, mad_us,
                                discarded_samples, hot_us, stream_us, latency_us, registers,
                                shared_bytes, local_bytes, occupancy, compile_ms, sm_clock_mhz,
                                memory_clock_mhz] = some_record();
  const auto json = nlohmann::json::parse(encode(Reply(some_record())));
  constexpr std::size_t kProblemColumns = 5;
  CHECK(json["body"].size() == 22 + kProblemColumns);
}

TEST_CASE("Every outcome survives the way") {
  int outcomes = 0;
  for (int i = 0; i <= static_cast<int>(Outcome::timeout); ++i) {
    MeasurementRecord record;
    record.outcome = static_cast<Outcome>(i);
    CHECK(reply_through_text(record).outcome == record.outcome);
    ++outcomes;
  }
  CHECK(outcomes == 9);
}

TEST_CASE("The other replies survive the way") {
  Hello hello;
  hello.info = {.id = "cuda:3",
                .record = {.kind = "cuda",
                           .name = "NVIDIA H200",
                           .architecture = "sm_90",
                           .multiprocessor_count = 132,
                           .memory_clock_khz = 3'201'000,
                           .memory_bus_bits = 6144,
                           .l2_bytes = 62'914'560,
                           .driver = "580.95.05"},
                .memory_bytes = std::uint64_t{1} << 37};
  hello.compiler_version = "nvrtc 13.0";
  const Hello copy = reply_through_text(hello);
  CHECK(copy.info.id == hello.info.id);
  CHECK(copy.info.record == hello.info.record);
  CHECK(copy.info.memory_bytes == hello.info.memory_bytes);
  CHECK(copy.compiler_version == hello.compiler_version);
  CHECK(reply_through_text(CompilerHello{"nvrtc 13.0"}).compiler_version == "nvrtc 13.0");
  check_is_some_kernel(reply_through_text(some_kernel()));
  CHECK(reply_through_text(WorkloadReady{4123.25}).read_bandwidth_gbps == 4123.25);
  reply_through_text(Begun{});
  const Failure failure = reply_through_text(Failure{Failure::Kind::compile, "a\nb"});
  CHECK(failure.kind == Failure::Kind::compile);
  CHECK(failure.text == "a\nb");
}

TEST_CASE("Requests survive the way, one after the other, in pieces of any size") {
  const std::string bytes =
      encode(SetWorkload{.workload = Reduction{.op = Operator::max, .count = 77},
                         .largest = Reduction{.count = 99}}) +
      encode(some_trial()) +
      encode(Trial{.params = ReduceParams{.block_size = 64}, .compiled = nullptr}) +
      encode(some_program()) + encode(Program{}) + encode(Announce{Reduction{.count = 55}}) +
      encode(Quit{});
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, bytes.size()}) {
    MessageBuffer buffer;
    std::vector<Request> requests;
    for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
      buffer.append(std::string_view(bytes).substr(begin, piece));
      while (auto request = take_request(buffer)) requests.push_back(std::move(*request));
    }
    CHECK(buffer.is_empty());
    REQUIRE(requests.size() == 7);
    CHECK(reduction_of(std::get<SetWorkload>(requests[0]).workload).op == Operator::max);
    CHECK(std::get<SetWorkload>(requests[0]).workload.shape[0] == 77);
    CHECK(std::get<SetWorkload>(requests[0]).largest.shape[0] == 99);
    const auto& trial = std::get<Trial>(requests[1]);
    CHECK(trial.params == some_trial().params);
    CHECK(trial.timing == Timing::comparison);
    CHECK(trial.samples == 7);
    REQUIRE(trial.compiled != nullptr);
    check_is_some_kernel(*trial.compiled);
    CHECK(std::get<Trial>(requests[2]).compiled == nullptr);
    CHECK(reduce_params(std::get<Trial>(requests[2]).params).block_size == 64);
    CHECK(std::get<Program>(requests[3]) == some_program());
    CHECK(std::get<Program>(requests[4]) == Program{});
    CHECK(std::get<Announce>(requests[5]).workload.shape[0] == 55);
    CHECK(std::holds_alternative<Quit>(requests[6]));
  }
}

TEST_CASE("A kernel is complete with the last byte of its image") {
  const std::string bytes = encode(Reply(some_kernel()));
  MessageBuffer buffer = buffer_of(bytes.substr(0, bytes.size() - 1));
  CHECK_FALSE(take_reply(buffer));
  buffer.append(bytes.substr(bytes.size() - 1) + encode(Reply(Begun{})));
  check_is_some_kernel(std::get<CompiledKernel>(take_reply(buffer).value()));
  CHECK(std::holds_alternative<Begun>(take_reply(buffer).value()));
}

TEST_CASE("What is no message is an error that shows it") {
  for (const char* text : {
           "garbage\n",
           "\n",
           "{}\n",
           "[1]\n",
           R"({"kind":"dance","body":null})"
           "\n",
           R"({"kind":"trial","body":{"family":"reduce"}})"
           "\n",
           R"({"kind":"record","body":{"count":1}})"
           "\n",
           R"({"kind":"compile","body":{"source":""}})"
           "\n",
           R"({"kind":"compiled","body":{"image_bytes":0}})"
           "\n",
           R"({"kind":"set_problem","body":{"problem":{},"largest_count":1}})"
           "\n",
       }) {
    INFO(text);
    MessageBuffer buffer = buffer_of(text);
    CHECK_THROWS_AS(take_request(buffer), ProtocolError);
    CHECK_THROWS_AS(take_reply(buffer), ProtocolError);
  }
  MessageBuffer buffer = buffer_of("garbage\n");
  CHECK_THROWS_WITH(take_reply(buffer), ContainsSubstring("garbage"));
}

TEST_CASE("Neither a line without an end nor an image of any length is waited for") {
  MessageBuffer endless = buffer_of(std::string(std::size_t{16} << 20, 'x'));
  CHECK_THROWS_WITH(take_reply(endless), ContainsSubstring("it has no end"));

  std::string line = encode(some_trial());
  line = line.substr(0, line.find('\n') + 1);
  const std::string field = "\"image_bytes\":";
  line.insert(line.find(field) + field.size(), "999999999");
  MessageBuffer huge = buffer_of(line);
  CHECK_THROWS_WITH(take_request(huge), ContainsSubstring("too large"));
}

TEST_CASE("An exception keeps its class on the way") {
  const auto through = [](const auto& error) {
    try {
      throw error;
    } catch (...) {
      throw_failure(reply_through_text(describe_current_exception()));
    }
  };
  CHECK_THROWS_AS(through(InvalidArgument("a")), InvalidArgument);
  CHECK_THROWS_AS(through(Unavailable("a")), Unavailable);
  CHECK_THROWS_AS(through(CompileError("a")), CompileError);
  CHECK_THROWS_AS(through(MissingToolkit("a")), MissingToolkit);
  CHECK_THROWS_AS(through(OutOfMemory("a")), OutOfMemory);
  CHECK_THROWS_AS(through(std::bad_alloc()), OutOfMemory);
  CHECK_THROWS_AS(through(DeviceError("a")), DeviceError);
  CHECK_THROWS_WITH(through(std::runtime_error("why")), "why");
}

}  // namespace foldtune
