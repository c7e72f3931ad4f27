#include "templates/reduce/run/runnable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "foldtune/error.h"
#include "templates/fold/judge/reference.h"
#include "templates/fold/run/check_laws.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Where the index of an indexed value is, in bytes.
constexpr std::size_t kIndexOffset = 8;

/// Passes addresses on as the reducer takes them.
template <class Function>
void with_list(const std::vector<const void*>& inputs, const Function& function) {
  switch (inputs.size()) {
    case 1:
      return function({inputs[0]});
    case 2:
      return function({inputs[0], inputs[1]});
    case 3:
      return function({inputs[0], inputs[1], inputs[2]});
    default:
      return function({inputs[0], inputs[1], inputs[2], inputs[3]});
  }
}

using List = std::initializer_list<const void*>;

class ReductionTask final : public RunTask {
 public:
  explicit ReductionTask(const Reduction& reduction)
      : reduction_(reduction), workload_(reduction) {}

  const Workload& workload() const override { return workload_; }

  bool needs_c_order() const override {
    return reduction_.input_types().size() > 1 || reduction_.op == Operator::custom || is_indexed();
  }

  void prepare(const RunPlace& place) override {
    check_laws(place, reduction_);
    reducer_ = place.context.reducer(reduction_);
    inputs_ = place.inputs;
    output_ = place.output;
    with_list(inputs_, [&](List list) { reducer_->prepare(list, reduction_.count); });
  }

  void enqueue() const override {
    with_list(inputs_, [&](List list) { (*reducer_)(list, reduction_.count, output_); });
  }

  Explanation explain() const override { return reducer_->explain(reduction_.count); }

  OrderedJson json(std::span<const std::byte> result, const ArrayShape& shape) const override {
    const ElementType type = reduction_.result_type();
    OrderedJson first = number_json(type, result.data());
    switch (result_shape(reduction_.op)) {
      case ResultShape::indexed_value: {
        OrderedJson json{{"value", first}, {"index", index_of(result)}};
        if (const auto indices = indices_of(result, shape)) json["indices"] = *indices;
        return json;
      }
      case ResultShape::min_max:
        return {{"min", first}, {"max", number_json(type, result.data() + size_of(type))}};
      case ResultShape::value:
        break;
    }
    return first;
  }

  std::string text(std::span<const std::byte> result, const ArrayShape& shape) const override {
    std::string text = format_result(reduction_, result.data());
    if (const auto indices = indices_of(result, shape)) {
      text += fmt::format(", [{}] of {}", fmt::join(*indices, ", "), format_shape(shape));
    }
    return text;
  }

  /// Of what NaN alone was in, and NaN is ignored, the result is no element's.
  std::string note(std::span<const std::byte> result) const override {
    if (!is_indexed() || index_of(result) >= 0) return {};
    return fmt::format(
        "no element counted, so there is no index: all {} are NaN, which --nan ignore drops",
        reduction_.count);
  }

 private:
  bool is_indexed() const { return result_shape(reduction_.op) == ResultShape::indexed_value; }

  /// kNoIndex is -1.
  static std::int64_t index_of(std::span<const std::byte> result) {
    std::int64_t index = 0;
    std::memcpy(&index, result.data() + kIndexOffset, sizeof(index));
    return index;
  }

  /// The indices along the axes of what was found in an array that has several.
  std::optional<ArrayShape> indices_of(std::span<const std::byte> result,
                                       const ArrayShape& shape) const {
    if (!is_indexed() || shape.size() < 2 || index_of(result) < 0) return std::nullopt;
    return to_indices(shape, static_cast<std::uint64_t>(index_of(result)));
  }

  Reduction reduction_;
  Workload workload_;
  std::optional<Reducer> reducer_;
  std::vector<const void*> inputs_;
  void* output_ = nullptr;
};

class RunnableReduce final : public RunnableFamily {
 public:
  const Family& family() const override { return reduce_family(); }
  std::string_view type_field() const override { return "type"; }

  std::string_view help() const override {
    return R"(An array of any shape is reduced as a whole, and indices are those of the flattened array in C
order, as in NumPy. Determinism is what the result's bits are promised to depend on; results are
looked up by it: any (nothing is promised), run_to_run (device and configuration),
config_independent (neither).)";
  }
  std::string_view examples() const override {
    return R"(  foldtune run --op argmax data.npy
  foldtune run data.npz:x
  zcat data.npy.gz | foldtune run --op max -
  foldtune run --op dot --type bf16 --accumulator f64 x.bin y.bin
  foldtune run --op max --type i32 --device cpu data.bin --json
  foldtune run --op custom --inputs f32,f32 --map '(x - y) * (x - y)' --finish 'sqrt(a)' x.npy y.npy
  foldtune run --custom distance.json x.npy y.npy)";
  }

  std::unique_ptr<RunTask> make_task(const RunRequest& request) const override {
    Reduction reduction = reduction_of(make_problem(request.options));
    reduction.count = request.count;
    if (const std::string fault = find_fault(reduction); !fault.empty()) {
      throw InvalidArgument(fault);
    }
    return std::make_unique<ReductionTask>(reduction);
  }
};

}  // namespace

std::unique_ptr<RunnableFamily> make_reduce_runnable() {
  return std::make_unique<RunnableReduce>();
}

}  // namespace foldtune
