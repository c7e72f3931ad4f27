#include "tuner/commands/cli.h"
#include "tuner/commands/standard_streams.h"

int main(int argc, char** argv) {
  foldtune::prepare_standard_streams();
  return foldtune::run_cli(argc, argv);
}
