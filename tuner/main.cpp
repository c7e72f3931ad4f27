#include "tuner/cli.h"

int main(int argc, char** argv) { return foldtune::run_cli(argc, argv); }
