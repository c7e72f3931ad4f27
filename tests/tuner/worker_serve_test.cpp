#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "runtime/support/child_process.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/serve.h"

namespace foldtune {
namespace {

using test::FakeDevice;
using test::Fault;

/// Both ends of a pipe. What the tests write fits into it.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
  Descriptor read_end;
  Descriptor write_end;
};

/// Serves the requests, and returns the replies.
template <class Server>
std::vector<Reply> replies_of(Server& server, const std::string& requests) {
  Pipe in;
  Pipe out;
  REQUIRE(::write(in.write_end.number(), requests.data(), requests.size()) ==
          static_cast<ssize_t>(requests.size()));
  in.write_end = Descriptor();
  serve(server, {.requests = in.read_end.number(), .replies = out.write_end.number()});
  out.write_end = Descriptor();

  MessageBuffer buffer;
  std::array<char, 4096> bytes;
  for (ssize_t size = 0; (size = ::read(out.read_end.number(), bytes.data(), bytes.size())) > 0;) {
    buffer.append({bytes.data(), static_cast<std::size_t>(size)});
  }
  std::vector<Reply> replies;
  while (auto reply = take_reply(buffer)) replies.push_back(std::move(*reply));
  CHECK(buffer.is_empty());
  return replies;
}

std::string problem_request() {
  return encode(
      SetWorkload{.workload = Reduction{.count = 1000}, .largest = Reduction{.count = 1000}});
}

std::string trial_request(const ReduceParams& params) {
  FakeDevice device;
  const Program program = make_program({.workload = Reduction{.count = 1000}, .params = params});
  return encode(
      Trial{.params = params,
            .compiled = std::make_shared<CompiledKernel>(device.compiler().compile(program))});
}

/// A device that a block size harms.
FakeDevice device_with(Fault fault) {
  return FakeDevice({.fault = [=](const ReduceParams& params) {
    return params.block_size == 64 ? fault : Fault::none;
  }});
}

}  // namespace

TEST_CASE("A worker answers until its requests end, or until it is asked to quit") {
  FakeDevice device;
  DeviceEvaluator evaluator(device, 1);
  const std::string trial = trial_request({.block_size = 128});
  for (const std::string& end : {std::string(), encode(Quit{}) + trial}) {
    const auto replies = replies_of(evaluator, problem_request() + trial + trial + end);
    REQUIRE(replies.size() == 6);
    CHECK(std::get<Hello>(replies[0]).info.id == "fake");
    CHECK(std::holds_alternative<WorkloadReady>(replies[1]));
    CHECK(std::holds_alternative<Begun>(replies[2]));
    CHECK(std::get<MeasurementRecord>(replies[3]).outcome == Outcome::ok);
    CHECK(std::get<MeasurementRecord>(replies[5]).outcome == Outcome::ok);
  }
}

TEST_CASE("A worker answers no announcement, and is right about the problem that was announced") {
  FakeDevice device;
  DeviceEvaluator evaluator(device, 1);
  const std::string trial = trial_request({.block_size = 128});
  const auto replies = replies_of(
      evaluator, encode(SetWorkload{.workload = Reduction{.op = Operator::max, .count = 2000},
                                    .largest = Reduction{.count = 2000}}) +
                     encode(Announce{Reduction{.count = 1000}}) + problem_request() + trial);
  REQUIRE(replies.size() == 5);
  CHECK(std::holds_alternative<WorkloadReady>(replies[1]));
  CHECK(std::holds_alternative<WorkloadReady>(replies[2]));
  CHECK(std::get<MeasurementRecord>(replies[4]).outcome == Outcome::ok);
}

TEST_CASE("A worker goes on after a failure of one configuration") {
  const auto [fault, outcome] = GENERATE(std::pair(Fault::load_error, Outcome::load_error),
                                         std::pair(Fault::launch_error, Outcome::launch_error),
                                         std::pair(Fault::run_error, Outcome::launch_error),
                                         std::pair(Fault::out_of_memory, Outcome::out_of_memory),
                                         std::pair(Fault::wrong_result, Outcome::wrong_result));
  FakeDevice device = device_with(fault);
  DeviceEvaluator evaluator(device, 1);
  const auto replies = replies_of(evaluator, problem_request() + trial_request({.block_size = 64}) +
                                                 trial_request({.block_size = 128}));
  REQUIRE(replies.size() == 6);
  CHECK(std::get<MeasurementRecord>(replies[3]).outcome == outcome);
  CHECK(std::get<MeasurementRecord>(replies[5]).outcome == Outcome::ok);
}

TEST_CASE("A worker whose device is lost says so, and ends") {
  FakeDevice device = device_with(Fault::lost);
  DeviceEvaluator evaluator(device, 1);
  const auto replies = replies_of(evaluator, problem_request() + trial_request({.block_size = 64}) +
                                                 trial_request({.block_size = 128}));
  REQUIRE(replies.size() == 4);
  const auto& record = std::get<MeasurementRecord>(replies[3]);
  CHECK(record.outcome == Outcome::crashed);
  CHECK(record.failure == "fake: the launch broke the device");
  CHECK_THROWS_AS(evaluator.set_workload(Reduction{.count = 1000}, Reduction{.count = 1000}),
                  DeviceError);
}

TEST_CASE("A worker that compiles goes on after a program that does not compile") {
  FakeDevice device({.fault = [](const ReduceParams& params) {
    return params.block_size == 64 ? Fault::compile_error : Fault::none;
  }});
  const Compiler& compiler = device.compiler();
  const auto program = [](int block_size) {
    return make_program(
        {.workload = Reduction{}, .params = ReduceParams{.block_size = block_size}});
  };
  const auto replies =
      replies_of(compiler, encode(program(64)) + encode(program(128)) + encode(Quit{}));
  REQUIRE(replies.size() == 3);
  CHECK(std::get<CompilerHello>(replies[0]).compiler_version == compiler.version());
  CHECK(std::get<Failure>(replies[1]).kind == Failure::Kind::compile);
  const CompiledKernel expected = compiler.compile(program(128));
  CHECK(std::get<CompiledKernel>(replies[2]).image == expected.image);
  CHECK(std::get<CompiledKernel>(replies[2]).lowered_names == expected.lowered_names);
}

TEST_CASE("A request for a worker of the other kind is an error") {
  FakeDevice device;
  DeviceEvaluator evaluator(device, 1);
  CHECK_THROWS_AS(replies_of(evaluator, encode(Program{})), ProtocolError);
  CHECK_THROWS_AS(replies_of(device.compiler(), problem_request()), ProtocolError);
}

TEST_CASE("Requests that end in the middle of one, or are none, are errors") {
  FakeDevice device;
  DeviceEvaluator evaluator(device, 1);
  const std::string trial = trial_request({.block_size = 128});
  CHECK_THROWS_AS(replies_of(evaluator, problem_request() + trial.substr(0, 20)), ProtocolError);
  CHECK_THROWS_AS(replies_of(evaluator, problem_request() + trial.substr(0, trial.size() - 1)),
                  ProtocolError);
  CHECK_THROWS_AS(replies_of(evaluator, "garbage\n"), ProtocolError);
}

}  // namespace foldtune
