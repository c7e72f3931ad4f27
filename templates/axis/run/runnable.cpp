#include "templates/axis/run/runnable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "foldtune/error.h"
#include "templates/axis/judge/judge.h"
#include "templates/axis/merge.h"
#include "templates/axis/space.h"
#include "templates/fold/run/array_of_results.h"
#include "templates/fold/run/check_laws.h"
#include "tuner/problem/count_list.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

class AxisTask final : public RunTask {
 public:
  AxisTask(const AxisReduction& reduction, const ArrayShape& array, std::vector<int> axes,
           bool keeps_dimensions, std::optional<std::string> path)
      : reduction_(reduction),
        workload_(reduction),
        layout_(std::span(array)),
        axes_(std::move(axes)),
        results_(axis_reduction_of(workload_).row.result_type(),
                 shape_of_results(reduction, array, axes_, keeps_dimensions), std::move(path)) {}

  const Workload& workload() const override { return workload_; }
  bool needs_c_order() const override { return true; }

  void prepare(const RunPlace& place) override {
    Reduction all = row_of(reduction_);
    all.count = result_count(workload_.shape) * row_count(workload_.shape);
    check_laws(place, all);
    results_.open(place.files);
    reducer_ = place.context.axis_reducer(reduction_);
    inputs_ = place.inputs;
    output_ = place.output;
    reducer_->prepare(inputs_, layout_, axes_);
  }
  void enqueue() const override { reducer_->reduce(inputs_, layout_, axes_, output_); }
  Explanation explain() const override { return reducer_->explain(layout_, axes_); }

  OrderedJson json(std::span<const std::byte> result, const ArrayShape&) const override {
    return results_.json(result);
  }
  std::string text(std::span<const std::byte> result, const ArrayShape&) const override {
    return results_.text(result);
  }
  std::string note(std::span<const std::byte>) const override { return {}; }
  void save(std::span<const std::byte> result) override { results_.save(result); }

 private:
  static ArrayShape shape_of_results(const AxisReduction& reduction, const ArrayShape& array,
                                     const std::vector<int>& axes, bool keeps_dimensions) {
    ArrayShape results;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const auto is_this = [&](int axis) {
        return axis == static_cast<int>(i) ||
               axis + static_cast<int>(array.size()) == static_cast<int>(i);
      };
      const bool is_reduced = std::ranges::any_of(axes, is_this);
      if (!is_reduced) results.push_back(array[i]);
      if (is_reduced && keeps_dimensions) results.push_back(1);
    }
    if (result_shape(reduction.row.op) == ResultShape::min_max) results.push_back(2);
    return results;
  }

  AxisReduction reduction_;
  Workload workload_;
  ArrayLayout layout_;
  std::vector<int> axes_;
  ArrayOfResults results_;
  std::optional<AxisReducer> reducer_;
  std::vector<const void*> inputs_;
  void* output_ = nullptr;
};

class RunnableAxis final : public RunnableFamily {
 public:
  const Family& family() const override { return axis_family(); }
  std::string_view type_field() const override { return "type"; }
  bool has_many_results() const override { return true; }

  void add_options(CLI::App& app) override {
    constexpr const char* kFamilyGroup = "Family axis";
    app.add_flag("--keepdims", keeps_dimensions_, "Keep the axes that are reduced, as extents of 1")
        ->group(kFamilyGroup);
  }
  std::string first_given() const override { return keeps_dimensions_ ? "--keepdims" : ""; }

  std::string_view help() const override {
    return R"(With --axis an array is reduced along these axes, and there is a result for each place on the others.
An index counts along the axes that are reduced. bf16 is written as elements of 2 bytes.)";
  }
  std::string_view examples() const override {
    return R"(  foldtune run --op argmax --axis 1 logits.npy --output best.npy
  foldtune run --op variance --axis 0,2,3 images.npy --json)";
  }

  std::unique_ptr<RunTask> make_task(const RunRequest& request) const override {
    if (!request.options.axes) {
      throw InvalidArgument("--axis is required for the family axis: along which?");
    }
    const Problem problem = make_problem(request.options);
    AxisReduction reduction = axis_reduction_of(problem);
    std::vector<int> axes = parse_axes(*request.options.axes);
    std::string fault;
    reduction.shape = axis_family().merged_shape(problem, request.shape, axes, fault);
    if (fault.empty()) fault = find_fault(Workload(reduction));
    if (fault.empty()) fault = axis_family().find_call_fault(problem, reduction.shape);
    if (!fault.empty()) throw InvalidArgument(fault);
    return std::make_unique<AxisTask>(reduction, request.shape, std::move(axes), keeps_dimensions_,
                                      request.output);
  }

 private:
  bool keeps_dimensions_ = false;
};

}  // namespace

std::unique_ptr<RunnableFamily> make_axis_runnable() { return std::make_unique<RunnableAxis>(); }

}  // namespace foldtune
