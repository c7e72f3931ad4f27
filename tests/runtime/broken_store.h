/// A store that cannot be used.
#pragma once

#include <functional>

#include "cache/config_store.h"
#include "cache/store_error.h"

namespace foldtune::test {

class BrokenStore final : public ConfigStore {
 public:
  RunId begin_run(const RunRecord&) override { throw StoreError("broken"); }
  void put(RunId, const MeasurementRecord&) override { throw StoreError("broken"); }
  std::optional<Match> find(const TuningKey&, const BucketDistance&) const override {
    throw StoreError("broken");
  }
  std::vector<std::string> problems_of(const std::string&) const override {
    throw StoreError("broken");
  }
  bool has_pins(const TuningKey&) const override { throw StoreError("broken"); }
  bool finds_pinned_only() const override { return false; }
  std::vector<StoredResult> newest(std::size_t) const override { throw StoreError("broken"); }
  std::vector<StoredResult> best() const override { throw StoreError("broken"); }
  std::vector<StoredResult> measurements_where(
      const std::function<bool(const StoredResult&)>&) const override {
    throw StoreError("broken");
  }
  std::vector<StoredResult> choices_of(const ProblemKey&) const override {
    throw StoreError("broken");
  }
  std::vector<StoredResult> measurements_of(const TuningKey&) const override {
    throw StoreError("broken");
  }
  std::vector<StoredResult> related(const TuningKey&, const BucketDistance&,
                                    std::size_t) const override {
    throw StoreError("broken");
  }
};

}  // namespace foldtune::test
