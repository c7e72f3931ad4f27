/// Families of kernels from outside the tree: a description and a source file beside it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "templates/described/description.h"
#include "templates/family.h"

namespace foldtune {

class DescribedFamily final : public Family {
 public:
  using Family::find_fault;

  /// `path` is of the description, for other processes to load it.
  DescribedFamily(Description description, std::string path);
  DescribedFamily(const DescribedFamily&) = delete;
  DescribedFamily& operator=(const DescribedFamily&) = delete;

  const Description& description() const { return description_; }

  std::string_view name() const override { return description_.name; }
  std::string_view path() const override { return path_; }
  std::vector<std::string> files() const override;
  std::span<const Field> fields() const override { return fields_; }
  void complete(Problem& problem) const override;
  /// Of its reference, if that does not fit.
  std::string find_fault(const Problem& problem) const override;
  std::string describe(const Problem& problem) const override;

  std::span<const std::string_view> extents() const override { return extents_; }
  /// Also where no configuration is valid for the shape.
  std::string find_fault(const Problem& problem, const Shape& shape) const override;
  /// Of the sizes alone. `elements` throws for no shape without such a fault.
  std::string find_call_fault(const Problem& problem, const Shape& shape) const override;

  std::vector<Argument> arguments(const Problem& problem) const override;
  std::uint64_t elements(const Problem& problem, std::size_t argument,
                         const Shape& shape) const override;

  std::span<const Tunable> tunables() const override { return tunables_; }
  bool is_valid(const Workload& workload, const Config& config) const override;
  /// The default; where it is not valid, the first one that is.
  Config fallback(const Workload& workload, int multiprocessor_count) const override;

  std::string include_lines(const Problem&) const override;
  std::vector<std::string> all_include_lines() const override;
  Program program(const Variant& variant) const override;
  std::unique_ptr<Launcher> launcher(const Variant& variant,
                                     const KernelFacts& facts) const override;

  /// The type of an array's elements.
  ElementType type_of(const Problem& problem, const std::string& type) const;

 private:
  Description description_;
  std::string path_;
  // Views of the description's texts.
  std::vector<std::vector<std::string_view>> labels_;
  std::vector<Field> fields_;
  std::vector<std::string_view> extents_;
  std::vector<Tunable> tunables_;
};

/// Reads the description `path` and the source file that it names, which lies beside it. Throws
/// std::invalid_argument, which names the file and what is wrong with it.
std::unique_ptr<DescribedFamily> load_family(const std::string& path);

}  // namespace foldtune
