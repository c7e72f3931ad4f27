// A library that contains Foldtune's, see CMakeLists.txt.
#include "foldtune/foldtune.h"

extern "C" const char* late_library_version() { return foldtune_version(); }
