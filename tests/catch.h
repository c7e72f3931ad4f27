/// Catch2, version 2 or 3. A file with its own main defines CATCH_CONFIG_RUNNER before including
/// this, which version 2 needs to bring its implementation along.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // where version 2 has it
#else
#include <catch2/catch.hpp>
#include <string>

// Version 3's names for what version 2 has too.
namespace Catch {
namespace Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Matchers
#ifdef CATCH_CONFIG_RUNNER
namespace Clara = clara;
#endif
}  // namespace Catch
#endif
