/// The tunables of the family `histogram` on the host: its rules, and the shape of its launches.
#pragma once

#include "templates/space.h"

namespace foldtune {

const FamilyRules& histogram_rules();

}  // namespace foldtune
