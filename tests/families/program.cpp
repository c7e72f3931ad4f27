// `foldtune` and `foldtune-worker` with the families of the tests: one line for each.
#include <string_view>

#include "templates/described/judge/judge.h"
#include "tests/families/stencil.h"
#include "tuner/commands/cli.h"
#include "tuner/commands/standard_streams.h"
#include "tuner/session/worker_roles.h"

int main(int argc, char** argv) {
  foldtune::test::use_stencil();
  if (std::string_view(argv[0]).ends_with("worker")) {
    return foldtune::run_worker_program({argv + 1, argv + argc});
  }
  foldtune::use_family(FOLDTUNE_SCALED_COPY);
  foldtune::prepare_standard_streams();
  return foldtune::run_cli(argc, argv);
}
