// Version 2 of Catch2 is header only: its implementation and main are compiled here, once.
#define CATCH_CONFIG_MAIN
#include "tests/catch.h"
