/// The page's sources, embedded at build time.
#pragma once

#include <span>

#include "templates/embedded.h"

namespace foldtune {

/// The files of this folder that a browser reads, and "chart.js", the chart library.
std::span<const EmbeddedFile> page_sources();

}  // namespace foldtune
