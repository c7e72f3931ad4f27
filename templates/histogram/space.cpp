#include "templates/histogram/space.h"

#include <array>

#include "templates/tunable.h"

namespace foldtune {
namespace {

constexpr std::array kBlockSizes{32, 64, 128, 256, 512, 1024};

constexpr std::array kTunables{
    integer_tunable<&HistogramParams::block_size>("block_size", kBlockSizes),
};

bool is_valid(const Problem&, const Params&) { return false; }
bool is_redundant(const Problem&, const Params&, int) { return false; }
Params default_params(const Problem&, int) { return HistogramParams{}; }
std::vector<Params> known_good(const Problem&) { return {}; }

}  // namespace

const FamilyRules& histogram_rules() {
  static const FamilyRules rules{.device_struct = "foldtune::HistogramParams",
                                 .first = HistogramParams{},
                                 .tunables = kTunables,
                                 .is_valid = is_valid,
                                 .is_redundant = is_redundant,
                                 .default_params = default_params,
                                 .known_good = known_good};
  return rules;
}

}  // namespace foldtune
