#!/usr/bin/env bash
# Compiles every variant of the whole space with NVRTC, for each architecture; needs no GPU.
#
#   scripts/compile_space.sh [ARCH]...    default: sm_75 sm_80 sm_90 sm_120
set -euo pipefail

for argument in "$@"; do
  if [[ $argument != sm_* ]]; then
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"
    if [[ $argument == --help ]]; then exit 0; else exit 2; fi
  fi
done

# shellcheck source=scripts/setup.sh
source "$(dirname "$0")/setup.sh" build

build_program() {
  cmake --preset release && cmake --build --preset release --parallel "$(nproc)" --target compile_space
}
quietly "build: compile_space" "scripts/test.sh says more about what does not build." build_program

architectures=("$@")
if ((${#architectures[@]} == 0)); then architectures=(sm_75 sm_80 sm_90 sm_120); fi
status=0
for architecture in "${architectures[@]}"; do
  build/release/tests/compile_space --arch "$architecture" || status=1
done
exit "$status"
