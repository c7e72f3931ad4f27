// foldtune-worker: in whose processes configurations are tried, programs compiled, and problems
// tuned for other programs.
#include "tuner/session/worker_roles.h"

int main(int argc, char** argv) { return foldtune::run_worker_program({argv + 1, argv + argc}); }
