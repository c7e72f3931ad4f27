/// What an imported row has to be, beyond its form. Each returns what is wrong, in words that end a
/// sentence; empty if nothing.
#pragma once

#include <string>

#include "cache/config_store.h"

namespace foldtune {

std::string fault_of_run(const StoredResult& row);

/// Of a row whose run has no fault. Tunables are known of the kernels of this Foldtune; of others
/// the params only have to be plain values. A user's operator is known by a hash alone, so that its
/// params have to be those of its family.
std::string fault_of_measurement(const StoredResult& row);

}  // namespace foldtune
