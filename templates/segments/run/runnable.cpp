#include "templates/segments/run/runnable.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "foldtune/error.h"
#include "templates/fold/many_folds.h"
#include "templates/fold/run/array_of_results.h"
#include "templates/fold/run/check_laws.h"
#include "templates/segments/space.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Offsets of a file, one more than there are segments.
struct Offsets {
  ElementType type;
  std::vector<std::byte> bytes;

  std::uint64_t segments() const { return bytes.size() / size_of(type) - 1; }
  std::int64_t at(std::uint64_t i) const {
    if (type == ElementType::i64) return read<std::int64_t>(i);
    return read<std::int32_t>(i);
  }

 private:
  template <class T>
  T read(std::uint64_t i) const {
    T value{};
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  }
};

Offsets read_offsets(const std::string& path, std::uint64_t elements) {
  const InputArray file(path, std::nullopt, InputFormat::by_content);
  Offsets offsets{.type = file.type(), .bytes = {}};
  if (offsets.type != ElementType::i32 && offsets.type != ElementType::i64) {
    throw InvalidArgument(
        fmt::format("{} has elements of {}: offsets are i32 or i64", path, name(offsets.type)));
  }
  if (file.shape() && file.shape()->size() != 1) {
    throw InvalidArgument(fmt::format("{} has the shape {}: offsets are an array of one dimension",
                                      path, format_shape(*file.shape())));
  }
  if (file.count() == 0) {
    throw InvalidArgument(
        fmt::format("{} has no offsets: there is one more of them than of segments", path));
  }
  file.read(ElementOrder::c_order, [&](std::uint64_t, std::span<const std::byte> piece) {
    offsets.bytes.insert(offsets.bytes.end(), piece.begin(), piece.end());
  });
  for (std::uint64_t i = 0; i <= offsets.segments(); ++i) {
    const std::int64_t offset = offsets.at(i);
    if (offset < 0 || static_cast<std::uint64_t>(offset) > elements) {
      throw InvalidArgument(
          fmt::format("{}: offset {} is {}, outside of {} elements", path, i, offset, elements));
    }
    if (i > 0 && offset < offsets.at(i - 1)) {
      throw InvalidArgument(fmt::format("{}: offset {} is {}, less than the one before it, {}",
                                        path, i, offset, offsets.at(i - 1)));
    }
  }
  return offsets;
}

class SegmentsTask final : public RunTask {
 public:
  SegmentsTask(const SegmentReduction& reduction, Offsets offsets, std::optional<std::string> path)
      : reduction_(reduction),
        workload_(reduction),
        offsets_(std::move(offsets)),
        results_(segment_reduction_of(workload_).segment.result_type(), shape_of(reduction),
                 std::move(path)) {}

  const Workload& workload() const override { return workload_; }
  bool needs_c_order() const override { return true; }

  void prepare(const RunPlace& place) override {
    Reduction all = one_fold(reduction_.segment);
    all.count = reduction_.elements;
    check_laws(place, all);
    results_.open(place.files);
    reducer_ = place.context.segment_reducer(reduction_);
    inputs_ = place.inputs;
    output_ = place.output;
    on_device_.emplace(place.device, offsets_.bytes.size());
    place.device.copy(on_device_->data(), offsets_.bytes.data(), offsets_.bytes.size());
    reducer_->prepare(inputs_, reduction_.elements, reduction_.segments);
  }
  void enqueue() const override {
    const auto* const begins = static_cast<const std::byte*>(on_device_->data());
    reducer_->reduce(inputs_, reduction_.elements, begins, begins + size_of(offsets_.type),
                     reduction_.segments, output_);
  }
  Explanation explain() const override {
    return reducer_->explain(reduction_.elements, reduction_.segments);
  }

  OrderedJson json(std::span<const std::byte> result, const ArrayShape&) const override {
    return results_.json(result);
  }
  std::string text(std::span<const std::byte> result, const ArrayShape&) const override {
    return results_.text(result);
  }
  std::string note(std::span<const std::byte>) const override { return {}; }
  void save(std::span<const std::byte> result) override { results_.save(result); }

 private:
  static ArrayShape shape_of(const SegmentReduction& reduction) {
    ArrayShape shape{reduction.segments};
    if (result_shape(reduction.segment.op) == ResultShape::min_max) shape.push_back(2);
    return shape;
  }

  SegmentReduction reduction_;
  Workload workload_;
  Offsets offsets_;
  ArrayOfResults results_;
  std::optional<SegmentReducer> reducer_;
  std::optional<DeviceBuffer> on_device_;
  std::vector<const void*> inputs_;
  void* output_ = nullptr;
};

class RunnableSegments final : public RunnableFamily {
 public:
  const Family& family() const override { return segments_family(); }
  std::string_view type_field() const override { return "type"; }
  bool has_many_results() const override { return true; }

  void add_options(CLI::App& app) override {
    app.add_option("--segments", path_,
                   "Where segments begin, and where the last one ends: a .npy file of i32 or i64")
        ->type_name("FILE")
        ->group("Family segments");
  }
  std::string first_given() const override { return path_ ? "--segments" : ""; }
  std::vector<std::string> files() const override {
    return path_ ? std::vector{*path_} : std::vector<std::string>();
  }

  std::string_view help() const override {
    return R"(With --family segments --segments FILE the segments of an array are reduced, each to a result. FILE
has one offset more than there are segments: segment i is from offset i up to offset i + 1.)";
  }
  std::string_view examples() const override {
    return R"(  foldtune run --family segments --op sum --segments row_offsets.npy values.npy --output sums.npy)";
  }

  std::unique_ptr<RunTask> make_task(const RunRequest& request) const override {
    if (!path_) {
      throw InvalidArgument(
          "--segments FILE is required for the family segments: from where to where?");
    }
    Offsets offsets = read_offsets(*path_, request.count);
    ProblemOptions options = request.options;
    const std::string type(name(offsets.type));
    if (const auto said = options.fields.find("offsets");
        said != options.fields.end() && said->second != type) {
      throw InvalidArgument(
          fmt::format("{} has offsets of {}, and --offsets says {}", *path_, type, said->second));
    }
    options.fields["offsets"] = type;
    SegmentReduction reduction = segment_reduction_of(make_problem(options));
    reduction.elements = request.count;
    reduction.segments = offsets.segments();
    if (const std::string fault = find_fault(Workload(reduction)); !fault.empty()) {
      throw InvalidArgument(fault);
    }
    return std::make_unique<SegmentsTask>(reduction, std::move(offsets), request.output);
  }

 private:
  std::optional<std::string> path_;
};

}  // namespace

std::unique_ptr<RunnableFamily> make_segments_runnable() {
  return std::make_unique<RunnableSegments>();
}

}  // namespace foldtune
