#include "runtime/api/c_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "foldtune/error.h"

namespace foldtune {
namespace {

void set_text(std::string& value, const char* text) {
  if (text != nullptr) value = text;
}

template <class T>
std::string list_names(const T& values) {
  std::string names;
  for (const auto value : values) names += fmt::format(" {}", name(value));
  return names;
}

constexpr std::array kDeterminisms{Determinism::any, Determinism::run_to_run,
                                   Determinism::config_independent};
constexpr std::array kNanPolicies{NanPolicy::propagate, NanPolicy::ignore};
constexpr std::array kConditions{Conditions::cold_graph, Conditions::warm_graph,
                                 Conditions::cold_stream, Conditions::warm_stream};
constexpr std::array kBinnings{Binning::even, Binning::custom, Binning::key};
constexpr std::array kDistributions{Distribution::uniform, Distribution::zipf,
                                    Distribution::constant};

/// Sets `value` to what `text` names; `parse` gives it, and `all` are the values there are. A NULL
/// text leaves it.
template <class Value, class Parse, class All>
void set_named(Value& value, std::string_view what, const char* text, const Parse& parse,
               const All& all) {
  if (text == nullptr) return;
  const auto parsed = parse(text);
  if (!parsed) {
    throw InvalidArgument(fmt::format("reading the arguments: there is no {} '{}'; there are{}",
                                      what, text, list_names(all)));
  }
  value = *parsed;
}

template <class Value>
void set_type(Value& value, std::string_view what, const char* text) {
  set_named(value, what, text, parse_element_type, element_types());
}

/// A list that is not there, or too long to be one, is not read.
void check_list(std::string_view what, const void* list, std::size_t count, std::size_t most) {
  if (list == nullptr && count > 0) {
    throw InvalidArgument(fmt::format(
        "reading the arguments: the list of {} is NULL, and said to have {}", what, count));
  }
  if (count > most) {
    throw InvalidArgument(fmt::format(
        "reading the arguments: a custom operator has {} {}: {} are the most", count, what, most));
  }
}

CustomOperator read(const foldtune_custom_operator& custom) {
  check_list("inputs", custom.inputs, custom.input_count, kMaxInputs);
  check_list("fields", custom.fields, custom.field_count, kMaxAccumulatorFields);
  CustomOperator op;
  op.name = "unnamed";
  set_text(op.name, custom.name);
  if (custom.inputs != nullptr) {
    op.inputs.assign(custom.input_count, ElementType::f32);
    for (std::size_t i = 0; i < custom.input_count; ++i) {
      set_type(op.inputs[i], "input type", custom.inputs[i]);
    }
  }
  if (custom.fields != nullptr) {
    op.accumulator.clear();
    for (std::size_t i = 0; i < custom.field_count; ++i) {
      AccumulatorField& field = op.accumulator.emplace_back();
      set_text(field.name, custom.fields[i].name);
      set_type(field.type, "accumulator type", custom.fields[i].type);
    }
  }
  set_text(op.identity, custom.identity);
  set_text(op.map, custom.map);
  set_text(op.combine, custom.combine);
  set_text(op.finish, custom.finish);
  set_type(op.result, "result type", custom.result);
  if (custom.tolerance != 0) op.tolerance = custom.tolerance;
  return op;
}

}  // namespace

ContextOptions read(const foldtune_context_options& options) {
  ContextOptions result;
  set_text(result.device, options.device);
  set_text(result.database, options.database);
  if (options.fail_untuned != 0) result.on_miss.action = OnMiss::fail;
  if (options.tune_untuned_s != 0) {
    if (options.fail_untuned != 0) {
      throw InvalidArgument(
          "reading the arguments: a problem that was not tuned cannot both fail and be tuned; "
          "leave "
          "fail_untuned or tune_untuned_s out");
    }
    result.on_miss = {.action = OnMiss::tune, .budget_s = options.tune_untuned_s};
  }
  result.check_pointers = options.check_pointers != 0;
  result.only_pinned = options.only_pinned != 0;
  set_named(result.conditions, "conditions", options.conditions, parse_conditions, kConditions);
  if (options.notify != nullptr) {
    result.notify = [notify = options.notify, data = options.notify_data](const std::string& text) {
      notify(text.c_str(), data);
    };
  }
  return result;
}

Reduction read(const foldtune_problem& problem) {
  Reduction result;
  if (problem.custom != nullptr) {
    if (problem.op != nullptr && problem.op != name(Operator::custom)) {
      throw InvalidArgument(fmt::format(
          "reading the arguments: the operator is '{}', and a custom operator is given, too; leave "
          "one of them out",
          problem.op));
    }
    result = make_reduction(read(*problem.custom));
  } else if (problem.op == nullptr) {
    throw InvalidArgument(
        "reading the arguments: the problem has no operator; set op, \"sum\", or custom");
  }
  set_named(result.op, "operator", problem.op, parse_operator, operators());
  set_type(result.type, "element type", problem.type);
  set_type(result.accumulator, "accumulator type", problem.accumulator);
  set_type(result.result, "result type", problem.result);
  set_named(result.determinism, "determinism", problem.determinism, parse_determinism,
            kDeterminisms);
  set_named(result.nan_policy, "NaN policy", problem.nan_policy, parse_nan_policy, kNanPolicies);
  result.ddof = problem.ddof;
  return result;
}

SegmentReduction read_segments(const foldtune_problem& problem, const char* offsets) {
  SegmentReduction result{.segment = read(problem)};
  set_type(result.offsets, "type of the offsets", offsets);
  return result;
}

HistogramOptions read(const foldtune_histogram_options& options) {
  HistogramOptions result;
  set_type(result.type, "element type", options.type);
  if (options.bins != 0) result.bins = options.bins;
  set_named(result.binning, "binning", options.binning, parse_binning, kBinnings);
  set_type(result.counter, "counter type", options.counter);
  set_named(result.distribution, "distribution", options.distribution, parse_distribution,
            kDistributions);
  return result;
}

ArrayLayout read(const foldtune_array_layout& layout) {
  if (layout.rank == 0) return {};
  if (layout.extents == nullptr) {
    throw InvalidArgument("reading the arguments: the layout has a rank, and no extents");
  }
  // One too many says as much as all of them, which may not be there.
  const std::size_t rank = std::min(layout.rank, ArrayLayout::kMaxRank + 1);
  const std::span extents(layout.extents, rank);
  return layout.strides == nullptr ? ArrayLayout(extents)
                                   : ArrayLayout(extents, std::span(layout.strides, rank));
}

}  // namespace foldtune
