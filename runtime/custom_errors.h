/// Compile errors of custom operators, in the terms of who wrote them.
#pragma once

#include "foldtune/error.h"
#include "foldtune/problem.h"

namespace foldtune {

/// The error of compiling `problem`. If it has a custom operator and the compiler's log finds fault
/// with its expressions, the message holds these alone: which expression, its line and what the
/// compiler says of it. Everything else is passed on as it is.
CompileError explain_compile_error(const Problem& problem, const CompileError& error);

}  // namespace foldtune
