#!/usr/bin/env bash
# Replays the searches over recorded landscapes, and shows how many evaluations they take. Needs no
# GPU.
#
#   scripts/search_study.sh [OPTION...] [FILE...]
#
# FILEs are landscapes: those of bench/landscapes without any. Options are those of search_study, such
# as --check; --help lists them.
set -euo pipefail

cd "$(dirname "$0")/.."
files=(bench/landscapes/*.json)
for argument in "$@"; do
  if [[ $argument == *.json ]]; then files=(); fi
done
cmake --preset release > /dev/null
cmake --build --preset release --parallel "$(nproc)" --target search_study > /dev/null
build/release/bench/study/search_study "$@" "${files[@]}"
