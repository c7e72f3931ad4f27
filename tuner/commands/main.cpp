#include "tuner/commands/cli.h"
#include "tuner/commands/interrupt.h"
#include "tuner/commands/standard_streams.h"

int main(int argc, char** argv) {
  foldtune::prepare_standard_streams();
  foldtune::remove_folders_on_signals();
  return foldtune::run_cli(argc, argv);
}
