#include "templates/reduce/judge/judge.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "runtime/device/device.h"
#include "templates/fold/judge/operator_laws.h"
#include "templates/fold/judge/reference.h"
#include "templates/reduce/judge/error_bound.h"
#include "templates/reduce/space.h"
#include "tuner/verify/number.h"

namespace foldtune {
namespace {

/// The place of the first input among the arguments, after the output.
constexpr std::size_t kFirstInput = 1;

/// What another library does is not known. It lets more threads share the work than these, so its
/// chains of operations are no longer.
constexpr ReduceParams kLibraryParams{
    .block_size = 64, .vector_width = 1, .unroll = 1, .final_stage = FinalStage::two_pass};
constexpr std::uint64_t kLibraryBlocks = 256;

class ReferenceResult final : public Expectation {
 public:
  ReferenceResult(const Reduction& reduction, std::span<const void* const> inputs)
      : reduction_(reduction), reference_(compute_reference(reduction, inputs)) {}

  std::string find_difference(std::span<const std::byte> result,
                              const Origin& origin) const override {
    const bool is_known = origin.config != nullptr;
    const long double bound =
        error_bound(reduction_, is_known ? *origin.config : Config(kLibraryParams),
                    is_known ? origin.grid_size : kLibraryBlocks, reference_);
    return foldtune::find_difference(reduction_, result.data(), reference_, bound);
  }

 private:
  Reduction reduction_;
  Reference reference_;
};

/// Of a custom operator, which has no reference on the host: results must agree with each other.
class PlainestResult final : public Expectation {
 public:
  PlainestResult(std::shared_ptr<const CustomOperator> op, std::vector<std::byte> result)
      : op_(std::move(op)), result_(std::move(result)) {}

  std::string find_difference(std::span<const std::byte> result, const Origin&) const override {
    const ElementType type = op_->result;
    if (std::memcmp(result.data(), result_.data(), size_of(type)) == 0) return {};
    const Number value = read_number(type, result.data());
    const Number plain = read_number(type, result_.data());
    if (!value.is_integer && is_near(value.floating, plain.floating, op_->tolerance)) return {};
    return fmt::format("the plainest variant gives {}, this one {}",
                       format_number_of(type, result_.data()),
                       format_number_of(type, result.data()));
  }

 private:
  std::shared_ptr<const CustomOperator> op_;
  std::vector<std::byte> result_;
};

class ReduceJudge final : public Judge {
 public:
  const Family& family() const override { return reduce_family(); }

  void fill(const Problem& problem, std::size_t argument, std::span<std::byte> elements,
            std::uint64_t seed) const override {
    fill_input(reduction_of(problem), argument - kFirstInput, elements, seed);
  }
  bool has_same_inputs(const Problem& a, const Problem& b) const override {
    const Reduction one = reduction_of(a);
    const Reduction other = reduction_of(b);
    return one.input_types() == other.input_types() && element_rule(one) == element_rule(other);
  }

  std::unique_ptr<Expectation> expect(const Workload& workload,
                                      std::span<const void* const> arguments) const override {
    const Reduction reduction = reduction_of(workload);
    if (reduction.op == Operator::custom) return nullptr;
    return std::make_unique<ReferenceResult>(reduction, arguments.subspan(kFirstInput));
  }
  std::unique_ptr<Expectation> expect_same(const Workload& workload,
                                           std::vector<std::byte> result) const override {
    return std::make_unique<PlainestResult>(workload.problem.custom(), std::move(result));
  }

  /// No vectors, no shuffles, nothing asynchronous.
  Config plainest(const Workload&) const override {
    return ReduceParams{.block_size = 256,
                        .vector_width = 1,
                        .unroll = 1,
                        .block_stage = BlockStage::tree,
                        .final_stage = FinalStage::two_pass,
                        .waves = 1};
  }

  /// What all variants would agree on may be wrong all the same: with an identity that is not
  /// neutral.
  std::string find_promise_fault(Device& device, const CompileProgram& compile,
                                 const Workload& workload,
                                 std::span<void* const> arguments) const override {
    const Reduction reduction = reduction_of(workload);
    if (reduction.op != Operator::custom) return {};
    const std::vector<const void*> inputs(
        arguments.begin() + kFirstInput,
        arguments.begin() + kFirstInput +
            static_cast<std::ptrdiff_t>(reduction.input_types().size()));
    return find_law_fault(device, reduction, inputs, *compile(make_law_program(reduction)));
  }

  bool is_reproducible(const Problem& problem) const override {
    return reduction_of(problem).determinism != Determinism::any;
  }
  std::string format(const Problem& problem, std::span<const std::byte> result) const override {
    return format_result(reduction_of(problem), result.data());
  }
};

}  // namespace

const Judge& reduce_judge() {
  static const ReduceJudge judge;
  return judge;
}

}  // namespace foldtune
