#!/usr/bin/env bash
# Replays every search over recorded landscapes, and shows how many evaluations they take. Needs no
# GPU.
#
#   scripts/search_study.sh [FOLDER] [OPTION...]
#
# FOLDER holds the landscapes: bench/landscapes without one. Options are those of search_study, such
# as --check or --by-landscape; --help lists them.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=bench/landscapes
if (($#)) && [[ $1 != -* ]]; then
  folder=$1
  shift
fi
cmake --preset release > /dev/null
cmake --build --preset release --parallel "$(nproc)" --target search_study > /dev/null
build/release/bench/study/search_study "$folder" "$@"
