// Reductions along axes: every operator and type, by every method, over extents at the edges of the
// kernels' loops, in dense, pitched and strided arrays.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <optional>
#include <random>

#include "runtime/launch/plan.h"
#include "runtime/support/sanitizer.h"
#include "templates/axis/judge/judge.h"
#include "templates/axis/space.h"
#include "templates/axis/strides.h"
#include "templates/fold/fields.h"
#include "templates/fold/judge/many_results.h"
#include "templates/hardware.h"
#include "tests/catch.h"
#include "tests/conformance/checker.h"
#include "tests/conformance/environment.h"
#include "tests/conformance/input.h"
#include "tests/support/axis_variants.h"
#include "tests/support/batch_compiler.h"

namespace foldtune::test {
namespace {

/// Elements of each input.
constexpr std::uint64_t kInputElements = 40'000;

/// Results of one call at most, with the gaps between them.
constexpr std::uint64_t kResults = 12'000;

/// A part of the inputs, and the results of it.
struct View {
  std::int64_t start = 0;  ///< the element of all indices 0
  Shape shape{};
  AxisStrides strides{};
};

/// "3x1x5x33 from 7 by (165, 165, 33, 1)".
std::string to_text(const View& view) {
  return fmt::format("{} from {} by ({}) to ({})", fmt::join(view.shape.extents, "x"), view.start,
                     fmt::join(view.strides.input, ", "), fmt::join(view.strides.output, ", "));
}

/// Every element within the inputs?
bool is_inside(const View& view) {
  std::int64_t least = view.start;
  std::int64_t most = view.start;
  for (std::size_t i = 0; i < Shape::kMaxExtents; ++i) {
    if (view.shape[i] == 0) return true;
    const std::int64_t reach = static_cast<std::int64_t>(view.shape[i] - 1) * view.strides.input[i];
    (reach < 0 ? least : most) += reach;
  }
  return least >= 0 && most < static_cast<std::int64_t>(kInputElements);
}

/// Extents at which kernels change their way, up to `most`.
std::uint64_t draw_extent(std::mt19937& random, std::uint64_t most) {
  constexpr std::array<std::uint64_t, 24> kEdges{1,  2,  3,   4,   5,   7,   8,   9,
                                                 15, 16, 17,  31,  32,  33,  63,  64,
                                                 65, 96, 100, 127, 129, 257, 511, 1025};
  const std::uint64_t drawn = random() % 2 == 0 ? kEdges[random() % kEdges.size()]
                                                : 1 + random() % std::max<std::uint64_t>(most, 1);
  return std::min(drawn, most);
}

/// A view that a kernel for the layout may be called with; empty if this try gave none.
std::optional<View> draw_view(std::mt19937& random, const AxisReduction& reduction) {
  const std::vector<ElementType> types = reduction.row.input_types();
  const std::uint64_t narrowest = size_of(*std::ranges::min_element(types, {}, size_of));
  const std::uint64_t vector = 16 / narrowest;
  const bool is_aligned = device_layout(reduction.alignment) == AxisLayout::vector;
  const std::size_t line = has_rows(reduction.shape) ? 3 : 2;  // the innermost extent
  View view;
  for (std::size_t i = 0; i < Shape::kMaxExtents; ++i) {
    view.shape[i] = draw_extent(random, reduction.shape[i]);
  }
  const bool is_empty = random() % 16 == 0 && has_empty_result(reduction.row.op);
  if (is_empty) view.shape[random() % 2 == 0 ? 1 : 3] = 0;
  if (random() % 32 == 0) view.shape[random() % 2 == 0 ? 0 : 2] = 0;
  if (is_aligned) {
    view.shape[line] = (view.shape[line] + vector - 1) / vector * vector;
    if (view.shape[line] > reduction.shape[line]) return std::nullopt;
  }
  // Few enough elements and results.
  while (result_count(view.shape) * row_count(view.shape) > kInputElements / 4 ||
         result_count(view.shape) > 600) {
    std::size_t largest = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const bool is_kept = i % 2 == 0;
      if (result_count(view.shape) > 600 && !is_kept) continue;
      if (view.shape[i] > view.shape[largest] || (largest == 0 && view.shape[0] == 1)) largest = i;
    }
    if (view.shape[largest] <= 1) return std::nullopt;
    view.shape[largest] /= 2;
    if (is_aligned && largest == line) {
      view.shape[line] = std::max(vector, view.shape[line] / vector * vector);
      if (view.shape[line] == vector) return std::nullopt;
    }
  }
  // Of rows of one element, neighbours are columns: plans for rows are not called with them.
  if (line == 3 && view.shape[3] == 1) return std::nullopt;
  view.strides = dense_strides(view.shape);
  const bool is_pitched = !is_dense(reduction.alignment);
  if (is_pitched && reduction.alignment != AxisAlignment::strided) {
    std::int64_t step = 1;
    for (std::size_t i = Shape::kMaxExtents; i-- > 0;) {
      view.strides.input[i] = step;
      step *= static_cast<std::int64_t>(view.shape[i]);
      if (i <= line && random() % 2 == 0) step += static_cast<std::int64_t>(random() % 5);
      if (is_aligned && i <= line) {
        const auto unit = static_cast<std::int64_t>(vector);
        step = (step + unit - 1) / unit * unit;
      }
    }
  }
  if (reduction.alignment == AxisAlignment::strided) {
    // In any order of the extents, with gaps; some run backwards, some stand still.
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    std::ranges::shuffle(order, random);
    std::int64_t step = 1 + static_cast<std::int64_t>(random() % 3);
    for (const std::size_t i : order) {
      view.strides.input[i] = step;
      step *= static_cast<std::int64_t>(std::max<std::uint64_t>(1, view.shape[i]));
      step += static_cast<std::int64_t>(random() % 2);
      if (random() % 8 == 0) view.strides.input[i] = 0;
      if (random() % 4 == 0) {
        view.strides.input[i] *= -1;
        view.start -= view.strides.input[i] *
                      static_cast<std::int64_t>(std::max<std::uint64_t>(1, view.shape[i]) - 1);
      }
    }
  }
  view.start += static_cast<std::int64_t>(random() % 64);
  if (is_aligned)
    view.start = view.start / static_cast<std::int64_t>(vector) * static_cast<std::int64_t>(vector);
  if (!is_inside(view)) return std::nullopt;
  // Results lie one after another, the other way round, or with gaps.
  const auto results = [&](std::size_t i) { return static_cast<std::int64_t>(view.shape[i]); };
  switch (random() % 4) {
    case 0:
      view.strides.output = {1, results(0)};
      break;
    case 1:
      view.strides.output = {3 * results(2) + 1, 3};
      break;
    default:
      break;
  }
  return view;
}

/// Calls the plans of one problem, one call after another, and compares.
class AxisChecker {
 public:
  AxisChecker(Device& device, AxisReduction problem, Tally& tally)
      : device_(device),
        problem_(std::move(problem)),
        tally_(tally),
        bytes_(axis_family().arguments(problem_).front().element_bytes),
        poison_(kResults * bytes_ + 2 * kGuardBytes, kPoison),
        output_(device, poison_.size()),
        found_(poison_.size()) {
    const Reduction row = row_of(problem_);
    inputs_ = make_telling_inputs(device, row, kInputElements);
    if (overflows(row)) return;
    for (Input& special : make_special_inputs(device, row, 37))
      special_.push_back(std::move(special));
  }

  void run(const Variant& variant, const CompiledKernel& compiled, unsigned seed,
           std::size_t calls) {
    const Plan plan(device_, variant, compiled);
    ++tally_.variants;
    std::mt19937 random(seed);
    const AxisReduction reduction = axis_reduction_of(variant.workload);
    std::vector<View> views;
    for (int tries = 0; views.size() < calls && tries < 10'000; ++tries) {
      const auto view = draw_view(random, reduction);
      if (view) views.push_back(*view);
    }
    if (views.size() < calls) return fail(plan, "no views of the layout");
    std::size_t scratch_bytes = 0;
    for (const View& view : views) {
      scratch_bytes = std::max(scratch_bytes, plan.scratch_bytes(view.shape));
    }
    CHECK(scratch_bytes <=
          plan.max_scratch_bytes(axis_family().max_shape(bucket_of(variant.workload))));
    const DeviceBuffer scratch(device_, scratch_bytes + kGuardBytes);
    for (std::size_t i = 0; i < 2 * views.size(); ++i) {  // each twice, with others in between
      const View& view = views[i % views.size()];
      call(plan, inputs_[random() % inputs_.size()], view, scratch.data());
      ++tally_.calls;
    }
    tally_.cases += views.size();
    std::vector<std::byte> left(scratch.size());
    device_.copy(left.data(), scratch.data(), left.size());
    if (std::ranges::any_of(left, [](std::byte byte) { return byte != std::byte{}; })) {
      fail(plan, "left its scratch, or what follows it, not zero");
    }
  }

  /// Special values, in rows or columns of as many elements as the variant's calls may have.
  void run_specials(const Variant& variant, const CompiledKernel& compiled) {
    const Plan plan(device_, variant, compiled);
    const AxisReduction reduction = axis_reduction_of(variant.workload);
    const DeviceBuffer scratch(device_, plan.max_scratch_bytes(reduction.shape) + kGuardBytes);
    for (const Input& special : special_) {
      const std::uint64_t most = row_count(reduction.shape);
      const bool is_aligned = device_layout(reduction.alignment) == AxisLayout::vector;
      for (const std::uint64_t length :
           {std::uint64_t{37}, std::uint64_t{32}, std::uint64_t{16}, std::uint64_t{12}, most}) {
        if (length > std::min<std::uint64_t>(most, 37)) continue;
        View view;
        const std::uint64_t others = 37 / length;
        const bool is_of_two = others >= 2 && reduction.shape[1] >= 2;
        view.shape = !has_rows(reduction.shape) ? Shape{{1, length, others, 1}}
                     : is_of_two                ? Shape{{1, 2, 1, length}}
                                                : Shape{{1, 1, others, length}};
        // Lines that end at vectors, of the narrowest elements.
        if (is_aligned && view.shape[has_rows(reduction.shape) ? 3 : 2] % kMaxLoadBytes != 0) {
          continue;
        }
        view.strides = dense_strides(view.shape);
        call(plan, special, view, scratch.data());
        ++tally_.calls;
      }
    }
  }

  /// What was wrong, the first few in words: empty if nothing was.
  std::string faults() const {
    return failures_ == 0 ? "" : fmt::format("{} faults:\n{}", failures_, messages_);
  }

 private:
  void call(const Plan& plan, const Input& input, const View& view, void* scratch) {
    AxisReduction reduction = axis_reduction_of(plan.variant().workload);
    reduction.shape = view.shape;
    const Reduction row = row_of(reduction);
    const std::vector<ElementType> types = row.input_types();
    Call call{.shape = view.shape, .arguments = {}, .inputs_ready = calls_++ % 2 == 1};
    call.arguments[0] = static_cast<std::byte*>(output_.data()) + kGuardBytes;
    for (std::size_t i = 0; i < types.size(); ++i) {
      call.arguments[1 + i] = static_cast<std::byte*>(input.device(i)) +
                              view.start * static_cast<std::int64_t>(size_of(types[i]));
    }
    call.arguments[1 + types.size()] = Launches::address(view.strides);
    const bool has_elements =
        result_count(view.shape) * row_count(view.shape) > 0;  // else addresses do not matter
    if (has_elements && !axis_family().serves(plan.variant().workload.layout, problem_, call)) {
      const auto own = axis_family().layout(problem_, call);
      // Kernels for other addresses of dense arrays are right for these, too.
      const bool is_better =
          own == static_cast<int>(AxisAlignment::vector) &&
          plan.variant().workload.layout == static_cast<int>(AxisAlignment::element);
      if (!is_better) return fail(plan, to_text(view) + " is of another layout");
    }
    device_.copy(output_.data(), poison_.data(), poison_.size());
    plan.enqueue(call, scratch, nullptr);
    device_.synchronize(nullptr);
    device_.copy(found_.data(), output_.data(), found_.size());
    compare(plan, input, view, reduction, row, types);
  }

  void compare(const Plan& plan, const Input& input, const View& view,
               const AxisReduction& reduction, const Reduction& row,
               const std::vector<ElementType>& types) {
    std::vector<bool> is_result(kResults);
    std::vector<std::vector<std::byte>> arrays;
    std::vector<const void*> addresses;
    for (const ElementType type : types) {
      arrays.emplace_back(row.count * size_of(type));
      addresses.push_back(arrays.back().data());
    }
    const FoldShape shape = axis_fold_shape(reduction, axis_params(plan.variant().params));
    for (std::uint64_t o = 0; o < view.shape[0]; ++o) {
      for (std::uint64_t l = 0; l < view.shape[2]; ++l) {
        for (std::size_t k = 0; k < types.size(); ++k) {
          std::byte* to = arrays[k].data();
          for (std::uint64_t r = 0; r < view.shape[1]; ++r) {
            for (std::uint64_t s = 0; s < view.shape[3]; ++s) {
              const std::int64_t at = view.start + offset(view.strides.input, {o, r, l, s});
              const std::size_t bytes = size_of(types[k]);
              std::memcpy(to,
                          static_cast<const std::byte*>(input.host(k)) +
                              at * static_cast<std::int64_t>(bytes),
                          bytes);
              to += bytes;
            }
          }
        }
        const auto place =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(o) * view.strides.output[0] +
                                       static_cast<std::int64_t>(l) * view.strides.output[1]);
        is_result[place] = true;
        const Reference reference = compute_reference(row, addresses);
        if (!stays_in_range(row, reference)) continue;
        const std::string difference =
            find_one_difference(reduction.row, found_.data() + kGuardBytes + place * bytes_,
                                reference, error_bound(row, shape, reference));
        if (!difference.empty()) {
          fail(plan, fmt::format("{} of input \"{}\", result [{}, {}]: {}", to_text(view),
                                 input.name(), o, l, difference));
          return;
        }
      }
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const bool is_guard = i < kGuardBytes || i >= found_.size() - kGuardBytes;
      if ((is_guard || !is_result[(i - kGuardBytes) / bytes_]) && found_[i] != kPoison) {
        return fail(plan, to_text(view) + ": wrote beside its results");
      }
    }
  }

  static std::int64_t offset(const std::array<std::int64_t, 4>& strides,
                             const std::array<std::uint64_t, 4>& indices) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += static_cast<std::int64_t>(indices[i]) * strides[i];
    return sum;
  }

  void fail(const Plan& plan, const std::string& what) {
    if (++failures_ > kMessages) return;
    messages_ += fmt::format(
        "  {}, {}, {}: {}\n", to_string(plan.variant().workload),
        axis_family().layouts()[static_cast<std::size_t>(plan.variant().workload.layout)],
        to_json(plan.variant().params), what);
  }

  Device& device_;
  AxisReduction problem_;
  Tally& tally_;
  std::size_t bytes_;  ///< of a result
  std::vector<std::byte> poison_;
  DeviceBuffer output_;
  std::vector<std::byte> found_;
  std::vector<Input> inputs_;
  std::vector<Input> special_;
  std::uint64_t calls_ = 0;
  std::uint64_t failures_ = 0;
  std::string messages_;
};

/// Configurations of each problem.
std::size_t variant_count(const Reduction& row) {
  const Environment& environment = Environment::get();
  if (kThreadSanitizer) return is_representative(row) ? 4 : 1;
  if (environment.options().all) return 48;
  if (environment.is_cuda()) return environment.options().quick ? 2 : 8;
  if (is_representative(row)) return environment.options().quick ? 4 : 8;
  return is_plain(row) ? 1 : 0;
}

/// The reductions that the options ask for, of each row.
std::vector<AxisReduction> chosen_axis_reductions() {
  std::vector<AxisReduction> all;
  for (const Reduction& row : chosen_reductions())
    all.push_back(along_axis(row, all.size() % 2 == 1));
  return all;
}

TEST_CASE("Results along axes are right in every layout, by every method", "[axis]") {
  constexpr std::size_t kCalls = 8;
  constexpr int kSmallBlock = 64;
  constexpr int kLargestBlock = 1024;
  Environment& environment = Environment::get();
  const std::vector<AxisReduction> problems = chosen_axis_reductions();
  std::vector<std::vector<Variant>> variants;
  std::vector<ProgramGroup> groups;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    INFO(to_string(Problem(problems[i])));
    CHECK(find_fault(Problem(problems[i])).empty());
    Reduction listed = problems[i].row;
    listed.determinism = Determinism::any;
    listed.result = result_shape(listed.op) == ResultShape::indexed_value ? std::nullopt
                                                                          : problems[i].row.result;
    const std::size_t count = variant_count(listed);
    variants.push_back(random_variants(problems[i], count, static_cast<unsigned>(i),
                                       kThreadSanitizer ? kSmallBlock : kLargestBlock));
    CHECK(variants.back().size() == count);
    std::ranges::move(group_by_program(variants.back()), std::back_inserter(groups));
  }
  const BatchCompiler compiler(environment.device().compiler(), std::move(groups));
  std::size_t program = 0;
  std::size_t done = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (variants[i].empty()) continue;
    const auto begin = std::chrono::steady_clock::now();
    Tally& tally = environment.tally("axis " + describe_fold(row_of(problems[i])));
    AxisChecker checker(environment.device(), problems[i], tally);
    for (std::size_t called = 0; called < variants[i].size(); ++program) {
      const CompiledKernel compiled = compiler.get(program);
      ++tally.programs;
      for (const Variant& variant : compiler.groups()[program].variants) {
        checker.run(variant, compiled, static_cast<unsigned>(done), kCalls);
        if (called == 0) checker.run_specials(variant, compiled);
        ++called;
        ++done;
      }
    }
    tally.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    INFO(checker.faults());
    CHECK(checker.faults().empty());
  }
  CHECK(done > 0);
}

}  // namespace
}  // namespace foldtune::test
