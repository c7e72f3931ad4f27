#include "foldtune/error.h"

#include "cache/excerpt.h"
#include "cache/printable.h"

namespace foldtune {

Error::Error(const std::string& message)
    : std::runtime_error(shortened(printable_lines(message))) {}

}  // namespace foldtune
