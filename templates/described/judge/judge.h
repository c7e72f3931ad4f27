/// The judges of families from a file.
#pragma once

#include "templates/described/family.h"
#include "tuner/verify/judge.h"

namespace foldtune {

/// Where the description has a reference, its family says what is right; else every configuration
/// is compared with the untuned default.
class DescribedJudge final : public Judge {
 public:
  explicit DescribedJudge(const DescribedFamily& family) : family_(family) {}

  const Family& family() const override { return family_; }
  void fill(const Problem& problem, std::size_t argument, std::span<std::byte> elements,
            std::uint64_t seed) const override;
  bool has_same_inputs(const Problem& a, const Problem& b) const override;
  std::unique_ptr<Expectation> expect(const Workload& workload,
                                      std::span<const void* const> arguments) const override;
  std::unique_ptr<Expectation> expect_same(const Workload& workload,
                                           std::vector<std::byte> result) const override;
  std::string format(const Problem& problem, std::span<const std::byte> result) const override;

 private:
  const DescribedFamily& family_;
};

/// Loads the description `path`, and lets its family and its judge take part from now on; the same
/// file once. Throws std::invalid_argument.
const Family& use_family(const std::string& path);

}  // namespace foldtune
